//! `singlet check`.

use std::io::Write;
use std::path::PathBuf;

use singlet_design::Json;

use crate::arguments::{CheckArguments, OutputFormat};
use crate::counted::counted;
use crate::design_file;
use crate::failure::Failure;
use crate::style::report;

/// Says of each design whether it is well-formed.
pub(crate) fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    if arguments.format == OutputFormat::Json {
        return as_json(&arguments.files);
    }
    let mut wrong = Vec::new();
    let mut out = std::io::stdout().lock();
    for file in &arguments.files {
        match design_file::load(file) {
            Ok(design) => {
                let counts = [
                    counted(design.tables.len() as u64, "table"),
                    counted(design.entities.len() as u64, "entity"),
                    counted(design.patterns.len() as u64, "pattern"),
                ];
                writeln!(out, "{}: {} is well-formed: {}", file.display(), design.name, counts.join(", "))?;
                for form in singlet_design::old_forms(&design.source) {
                    let file = file.display();
                    anstream::eprintln!("note: {file}: {form}; `singlet fmt --upgrade {file}` rewrites it");
                }
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

/// Prints a list with an object for each file. The exit code says whether all are well-formed.
fn as_json(files: &[PathBuf]) -> Result<(), Failure> {
    let mut wrong = 0;
    let mut list = Vec::new();
    for file in files {
        let name = Json::from(file.display().to_string());
        list.push(match design_file::load(file) {
            Ok(design) => {
                let number = |count: usize| Json::from(i64::try_from(count).unwrap_or(i64::MAX));
                Json::from([
                    ("file", name),
                    ("well_formed", Json::Bool(true)),
                    ("design", Json::from(design.name.as_str())),
                    ("tables", number(design.tables.len())),
                    ("entities", number(design.entities.len())),
                    ("patterns", number(design.patterns.len())),
                    ("old_forms", Json::from(singlet_design::old_forms(&design.source))),
                ])
            }
            Err(failure) => {
                wrong += 1;
                let report = Json::from(failure.report());
                Json::from([("file", name), ("well_formed", Json::Bool(false)), ("report", report)])
            }
        });
    }
    writeln!(std::io::stdout().lock(), "{}", Json::List(list))?;
    match wrong {
        0 => Ok(()),
        _ => Err(Failure::Arguments(format!("{wrong} of {} designs aren't well-formed", files.len()))),
    }
}
