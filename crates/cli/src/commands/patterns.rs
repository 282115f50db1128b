//! `singlet patterns`, and what `run` and `explain` say about the patterns of a design.

use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;

use singlet_design::{Design, Json, Pattern, similar};
use singlet_run::Usage;

use super::run::print;
use crate::arguments::{self, CallArguments, OutputFormat, PatternsArguments};
use crate::design_file;
use crate::failure::Failure;
use crate::shell::{command_line, word};

/// Names that are offered in place of a wrong one.
const SIMILAR_MAX: usize = 3;

/// Lists the patterns of a design.
pub(crate) fn patterns(arguments: &PatternsArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let usages: Vec<Usage> = match &arguments.pattern {
        Some(name) => vec![Usage::of(find(&design, &arguments.file, name)?)],
        None => design.callable().map(|pattern| Usage::of(pattern)).collect(),
    };
    if arguments.format == OutputFormat::Json {
        return print(&Json::List(usages.iter().map(Usage::to_json).collect()));
    }
    let texts: Vec<String> = usages.iter().map(|usage| text(usage, &arguments.file, "run")).collect();
    write!(stdout().lock(), "{}", texts.join("\n"))?;
    Ok(())
}

/// A pattern that a command is to run, with its design.
pub(super) struct Chosen {
    pub(super) design: Arc<Design>,
    pub(super) pattern: Arc<Pattern>,
}

/// The pattern that the arguments name; `None` if they asked for help or named none, which is answered here.
pub(super) fn chosen(call: &CallArguments, command: &str) -> Result<Option<Chosen>, Failure> {
    let Some(file) = &call.file else {
        let mut arguments = arguments::command();
        if let Some(found) = arguments.find_subcommand_mut(command) {
            let help = found.clone().bin_name(format!("singlet {command}")).render_help();
            write!(anstream::stdout().lock(), "{}", help.ansi())?;
        }
        return Ok(None);
    };
    let design = design_file::load(file)?;
    let Some(name) = &call.pattern else {
        list(&design, file, command)?;
        return Ok(None);
    };
    let pattern = Arc::clone(find(&design, file, name)?);
    if call.help {
        write!(stdout().lock(), "{}", text(&Usage::of(&pattern), file, command))?;
        return Ok(None);
    }
    Ok(Some(Chosen { design, pattern }))
}

/// The patterns in short.
fn list(design: &Design, file: &Path, command: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    writeln!(out, "The patterns of {}:", design.name)?;
    for usage in design.callable().map(|pattern| Usage::of(pattern)) {
        writeln!(out, "  {}\n      {}", usage.signature(), usage.about.as_ref().unwrap_or(&usage.does))?;
    }
    writeln!(out, "\nOne in full: singlet {command} {} PATTERN --help", word(&file.display().to_string()))?;
    Ok(())
}

fn find<'d>(design: &'d Design, file: &Path, name: &str) -> Result<&'d Arc<Pattern>, Failure> {
    if let Some(pattern) = design.pattern(name) {
        return Ok(pattern);
    }
    let names = design.callable().map(|pattern| pattern.name.as_str());
    let similar: Vec<String> =
        similar(name, names, SIMILAR_MAX).into_iter().map(|name| format!("`{name}`")).collect();
    let meant =
        if similar.is_empty() { String::new() } else { format!("; did you mean {}?", similar.join(" or ")) };
    let all = format!("singlet patterns {}", word(&file.display().to_string()));
    Err(Failure::Arguments(format!("there is no pattern `{name}`{meant}\n`{all}` lists all of them")))
}

fn text(usage: &Usage, file: &Path, command: &str) -> String {
    let file = file.display().to_string();
    let words = ["singlet", command, &file, &usage.name].into_iter();
    usage.text(&command_line(words.chain(usage.example.iter().map(String::as_str))))
}
