//! `singlet review --fix`.

use std::io::{self, Write};
use std::process::ExitCode;

use singlet_review::{Applied, Reviewed, difference, repair};

use super::{File, code, print};
use crate::arguments::{ReviewArguments, ReviewFormat};
use crate::design_file;
use crate::failure::Failure;
use crate::style;

/// Applies the fixes that hold to each file, and shows what is left.
pub(super) fn fix(arguments: &ReviewArguments) -> Result<ExitCode, Failure> {
    let mut files = Vec::new();
    let mut changed = false;
    for path in &arguments.files {
        let source = design_file::read(path)?;
        let name = path.display().to_string();
        // A design that doesn't load is shown with its mistakes, and stays as it is.
        let (text, changes) = match repair(&name, &source, arguments.examples) {
            Ok(repaired) => (repaired.text, repaired.changes),
            Err(_) => (source.clone(), Vec::new()),
        };
        changed |= text != source;
        if arguments.dry_run {
            let changes = style::difference(&difference(&name, &source, &text));
            anstream::stdout().lock().write_all(changes.as_bytes())?;
        } else if text != source {
            design_file::replace(path, &text)?;
        }
        say(arguments, &name, &changes)?;
        files.push(File::of(name, text, true));
    }
    let reviewed: Vec<Reviewed<'_>> = files.iter().map(File::reviewed).collect();
    print(arguments.format, &reviewed)?;
    let least = u8::from(arguments.dry_run && changed);
    Ok(ExitCode::from(code(&files, arguments.strict).max(least)))
}

/// Says what was changed: among the findings for people, beside the answer for machines.
fn say(arguments: &ReviewArguments, name: &str, changes: &[Applied]) -> io::Result<()> {
    let word = if arguments.dry_run { "would fix" } else { "fixed" };
    let lines: String = changes
        .iter()
        .map(|change| format!("{word}[{}]: {name}:{}: {}\n", change.rule, change.line, change.about))
        .collect();
    let lines = style::report(&lines);
    match arguments.format {
        ReviewFormat::Human => anstream::stdout().lock().write_all(lines.as_bytes()),
        _ => anstream::stderr().lock().write_all(lines.as_bytes()),
    }
}
