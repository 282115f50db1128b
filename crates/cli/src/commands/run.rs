//! `singlet run`.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stdout};
use std::path::Path;

use singlet_design::apply::choose_environment;
use singlet_design::json::Json;
use singlet_design::model::{Design, Pattern};
use singlet_design::run::{Arguments, Paging, Runner};
use singlet_design::value;

use crate::arguments::{CallArguments, RunArguments};
use crate::columns::columns;
use crate::design_file;
use crate::failure::Failure;
use crate::target::Target;

/// Runs a pattern and prints its answer.
pub(crate) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.call.file)?;
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let values = values(&design, &arguments.call)?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    let runner = Runner::new(design, target.store(), &environment.name).with_cursor_key(target.cursor_key()?);
    let outcome = runner.run(&arguments.call.pattern, &values, &paging(&arguments.call))?;
    let answer = outcome.to_json();
    drop(runner);
    target.close()?;
    if arguments.table {
        write!(stdout().lock(), "{}", columns(&answer))?;
    } else {
        print(&answer)?;
    }
    Ok(())
}

/// JSON for people on a terminal, in one line for programs.
pub(super) fn print(json: &Json) -> Result<(), Failure> {
    let mut out = stdout().lock();
    if out.is_terminal() {
        writeln!(out, "{json:#}")?
    } else {
        writeln!(out, "{json}")?
    }
    Ok(())
}

pub(super) fn paging(call: &CallArguments) -> Paging {
    Paging { limit: call.limit, cursor: call.cursor.clone() }
}

/// The values of a pattern's parameters. Names that it doesn't have are left for the runner, which knows the nearest.
pub(super) fn values(design: &Design, call: &CallArguments) -> Result<Arguments, Failure> {
    let pattern = design.pattern(&call.pattern).map(|pattern| &**pattern);
    let mut values: Arguments = BTreeMap::new();
    for word in &call.values {
        let (name, value) = value_of(pattern, word)?;
        if values.insert(name.clone(), value).is_some() {
            return Err(Failure::Arguments(format!("{name} is given twice")));
        }
    }
    Ok(values)
}

fn value_of(pattern: Option<&Pattern>, word: &str) -> Result<(String, Json), Failure> {
    let Some((name, text)) = word.split_once('=') else {
        return Err(Failure::Arguments(format!(
            "{word} is no value: write NAME=VALUE, NAME=@FILE or NAME:=JSON"
        )));
    };
    if let Some(name) = name.strip_suffix(':') {
        let json =
            text.parse().map_err(|error| Failure::Arguments(format!("{name}: expected JSON: {error}")))?;
        return Ok((name.to_owned(), json));
    }
    let text = match text.strip_prefix('@') {
        Some(file) => {
            let file = Path::new(file);
            std::fs::read_to_string(file).map_err(|reason| Failure::unreadable(file, reason))?
        }
        None => text.to_owned(),
    };
    let json = match pattern.and_then(|pattern| pattern.parameter(name)) {
        Some(parameter) => value::from_text(&parameter.kind, &text)
            .map_err(|error| Failure::Arguments(format!("{name}: {error}")))?,
        None => Json::from(text),
    };
    Ok((name.to_owned(), json))
}
