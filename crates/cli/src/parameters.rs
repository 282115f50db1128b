//! The values of a pattern's parameters: from arguments, from files and from the standard input.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use singlet_design::{Json, JsonError, Pattern, from_text};
use singlet_run::{Arguments, RunError, WrongParameter, check_arguments};

use crate::arguments::{CallArguments, command};
use crate::failure::Failure;
use crate::shell::word;

/// The standard input, where a file is named.
const STANDARD_INPUT: &str = "-";
/// Most bytes of a file with values: an item has at most 400 KB, and a transaction at most 100 of them.
const BYTES_MAX: u64 = 40 * 1024 * 1024;

/// The values of a call, checked against the pattern's parameters. All that are wrong are in one error.
pub(crate) fn values(pattern: &Pattern, call: &CallArguments) -> Result<Arguments, Failure> {
    let mut source = Source { standard_input: None };
    let mut values: Arguments = match &call.input {
        Some(file) => object(file, &source.read(file, "--input")?)?,
        None => BTreeMap::new(),
    };
    let mut given: Vec<String> = Vec::new();
    let mut wrong: Vec<WrongParameter> = Vec::new();
    for (position, argument) in call.values.iter().enumerate() {
        if argument.starts_with("--") {
            return Err(not_an_option(argument, call.values.get(position + 1).map(String::as_str)));
        }
        let (name, value) = value_of(pattern, argument, &mut source)?;
        if given.contains(&name) {
            return Err(Failure::Arguments(format!("`{name}` is given twice")));
        }
        match value {
            Ok(value) => _ = values.insert(name.clone(), value),
            Err(reason) => {
                values.remove(&name);
                wrong.push(WrongParameter { parameter: name.clone(), reason });
            }
        }
        given.push(name);
    }
    // A value that could not be read isn't missing.
    let unread: Vec<String> = wrong.iter().map(|wrong| wrong.parameter.clone()).collect();
    wrong.extend(
        check_arguments(pattern, &values).into_iter().filter(|wrong| !unread.contains(&wrong.parameter)),
    );
    if wrong.is_empty() {
        return Ok(values);
    }
    let file = call.file.as_deref().map(|file| word(&file.display().to_string())).unwrap_or_default();
    let help = format!("singlet run {file} {} --help", pattern.name);
    Err(Failure::Arguments(format!("{}\n`{help}` shows its parameters", RunError::of(pattern, wrong))))
}

/// The failure of a call that writes a parameter as an option; `None` if clap's own message says more.
pub(crate) fn option_for_parameter(
    error: &clap::Error,
    words: impl Iterator<Item = String>,
) -> Option<Failure> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let option = option.split('=').next().unwrap_or_default();
    let is_misspelt = error.get(ContextKind::SuggestedArg).is_some();
    if error.kind() != ErrorKind::UnknownArgument || is_misspelt || !option.starts_with("--") {
        return None;
    }
    let words: Vec<String> = words.collect();
    let is_command = |word: &&String| command().find_subcommand(word).is_some();
    words.iter().find(is_command).filter(|word| ["run", "explain"].contains(&word.as_str()))?;
    let is_option = |word: &String| word.split('=').next() == Some(option);
    let position = words.iter().position(is_option)?;
    Some(not_an_option(words.get(position)?, words.get(position + 1).map(String::as_str)))
}

/// The failure for a parameter that is written as an option.
fn not_an_option(written: &str, next: Option<&str>) -> Failure {
    let (option, value) = match written.split_once('=') {
        Some((option, value)) => (option, value),
        None => (written, next.filter(|next| !next.starts_with("--")).unwrap_or("VALUE")),
    };
    let argument = word(&format!("{}={value}", option.trim_start_matches('-')));
    Failure::Arguments(format!(
        "there is no option `{option}`; parameters of a pattern are written without hyphens: `{argument}`"
    ))
}

/// The name and the value of an argument, or why the value can't be read.
fn value_of(
    pattern: &Pattern,
    argument: &str,
    source: &mut Source,
) -> Result<(String, Result<Json, String>), Failure> {
    let Some((name, text)) = argument.split_once('=') else {
        return Err(Failure::Arguments(format!(
            "`{argument}` has no value: write NAME=VALUE, NAME=@FILE or NAME:=JSON"
        )));
    };
    if let Some(name) = name.strip_suffix(':') {
        let json = text.parse().map_err(|error: JsonError| {
            format!("must be JSON after `:=`: {} at {}", error.reason, error.place(text))
        });
        return Ok((name.to_owned(), json));
    }
    let text = match text.strip_prefix('@') {
        Some(literal) if literal.starts_with('@') => literal.to_owned(),
        Some(file) => source.read(Path::new(file), name)?,
        None => text.to_owned(),
    };
    let value = match pattern.parameter(name) {
        Some(parameter) => from_text(&parameter.kind, &text).map_err(|error| match error.path.as_str() {
            "" => error.reason,
            _ => error.to_string(),
        }),
        None => Ok(Json::from(text)),
    };
    Ok((name.to_owned(), value))
}

/// Where texts are read from. The standard input can be read once.
struct Source {
    /// The option or parameter that has taken it.
    standard_input: Option<String>,
}

impl Source {
    fn read(&mut self, file: &Path, taker: &str) -> Result<String, Failure> {
        if file == Path::new(STANDARD_INPUT) {
            if let Some(first) = self.standard_input.replace(taker.to_owned()) {
                return Err(Failure::Arguments(format!(
                    "the standard input can be read once, not for both `{first}` and `{taker}`"
                )));
            }
            return text(&mut stdin().lock(), &PathBuf::from("the standard input"));
        }
        let mut opened = File::open(file).map_err(|reason| Failure::unreadable(file, reason))?;
        text(&mut opened, file)
    }
}

fn text(source: &mut dyn Read, name: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    source
        .take(BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(|reason| Failure::unreadable(name, reason))?;
    if text.len() as u64 > BYTES_MAX {
        let name = name.display();
        return Err(Failure::Arguments(format!("{name} has more than {} MB", BYTES_MAX / 1024 / 1024)));
    }
    Ok(text)
}

/// The members of a JSON object.
fn object(file: &Path, text: &str) -> Result<Arguments, Failure> {
    let file = match file == Path::new(STANDARD_INPUT) {
        true => "the standard input".to_owned(),
        false => file.display().to_string(),
    };
    let json: Json = text.parse().map_err(|error: JsonError| {
        Failure::Arguments(format!("{file}, {}: {}", error.place(text), error.reason))
    })?;
    match json {
        Json::Object(members) => Ok(members.into_iter().collect()),
        other => Err(Failure::Arguments(format!(
            "{file} must hold a JSON object such as {{\"name\": \"value\"}}, not {}",
            other.kind()
        ))),
    }
}
