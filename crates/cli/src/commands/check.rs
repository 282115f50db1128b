//! `singlet check`.

use std::io::Write;

use crate::arguments::CheckArguments;
use crate::design_file;
use crate::failure::Failure;
use crate::style::report;

/// Says of each design whether it is well-formed.
pub(crate) fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    let mut out = std::io::stdout().lock();
    for file in &arguments.files {
        match design_file::load(file) {
            Ok(design) => {
                let counts = [
                    counted(design.tables.len(), "table"),
                    counted(design.entities.len(), "entity"),
                    counted(design.patterns.len(), "pattern"),
                ];
                writeln!(out, "{}: {} is well-formed: {}", file.display(), design.name, counts.join(", "))?;
            }
            Err(failure) => wrong.push(failure),
        }
    }
    // All reports are shown; the last one is the command's own failure.
    let last = wrong.pop();
    for failure in wrong {
        anstream::eprintln!("{}\n", report(&failure.report()));
    }
    last.map_or(Ok(()), Err)
}

fn counted(count: usize, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {what}s"),
    }
}
