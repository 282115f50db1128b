//! `singlet fmt`.

use std::io::{Read, Write, stdin, stdout};
use std::path::Path;

use singlet_design::Formatted;

use crate::arguments::FmtArguments;
use crate::design_file;
use crate::failure::Failure;

/// The name that stands for the standard input.
const STANDARD_INPUT: &str = "-";

/// Formats designs, or with `--check` says which aren't formatted.
pub(crate) fn fmt(arguments: &FmtArguments) -> Result<(), Failure> {
    let mut out = stdout().lock();
    let mut different = 0;
    for file in &arguments.files {
        let source = read(file)?;
        let formatted = formatted(file, &source, arguments.upgrade)?;
        if file == Path::new(STANDARD_INPUT) && !arguments.check {
            write!(out, "{}", formatted.text)?;
        } else if formatted.text != source {
            different += 1;
            let done = match (arguments.check, formatted.upgraded) {
                (true, 0) => "isn't formatted".to_owned(),
                (true, upgraded) => format!("isn't formatted; {}", words(upgraded)),
                (false, 0) => "formatted".to_owned(),
                (false, upgraded) => format!("formatted; {} replaced", words(upgraded)),
            };
            if !arguments.check {
                design_file::replace(file, &formatted.text)?;
            }
            writeln!(out, "{}: {done}", file.display())?;
        }
    }
    match different {
        0 => Ok(()),
        _ if !arguments.check => Ok(()),
        _ => Err(Failure::Refused(format!(
            "{different} of {} designs would change: `singlet fmt` formats them",
            arguments.files.len()
        ))),
    }
}

fn read(file: &Path) -> Result<String, Failure> {
    if file != Path::new(STANDARD_INPUT) {
        return design_file::read(file);
    }
    let mut text = String::new();
    let limit = singlet_design::FILE_BYTES_MAX as u64 + 1;
    stdin()
        .lock()
        .take(limit)
        .read_to_string(&mut text)
        .map_err(|reason| Failure::unreadable(file, reason))?;
    Ok(text)
}

fn formatted(file: &Path, source: &str, upgrade: bool) -> Result<Formatted, Failure> {
    let name = file.display().to_string();
    let formatted = if upgrade {
        singlet_design::upgrade(&name, source)
    } else {
        singlet_design::format(&name, source).map(|text| Formatted { text, upgraded: 0 })
    };
    formatted.map_err(|report| Failure::Design(Box::new(report)))
}

/// The number of old words, for people.
fn words(count: usize) -> String {
    if count == 1 { "1 old word".to_owned() } else { format!("{count} old words") }
}
