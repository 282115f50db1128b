//! `singlet run`.

use std::io::{IsTerminal, Write, stdout};

use singlet_design::{Json, Operation};
use singlet_run::apply::choose_environment;
use singlet_run::{Paging, Runner, Wait};

use super::bulk::BulkTotal;
use super::patterns::{Chosen, chosen};
use crate::arguments::{CallArguments, RunArguments};
use crate::columns::columns;
use crate::derivations::settle;
use crate::failure::Failure;
use crate::parameters;
use crate::table::terminal_width;
use crate::target::Target;

/// Runs a pattern and prints its answer.
pub(crate) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let Some(Chosen { design, pattern }) = chosen(&arguments.call, "run")? else { return Ok(()) };
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let values = parameters::values(&pattern, &arguments.call)?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    // An import, for instance, may have left changes that derived fields must take in first.
    settle(&target, &design, &environment.name)?;
    let runner =
        Runner::new(design.clone(), target.store(), &environment.name).with_cursor_key(target.cursor_key()?);
    if let Operation::Bulk(_) = &pattern.operation {
        let total = BulkTotal::of(&runner, &pattern.name, &values, paging(&arguments.call))?;
        target.warn(&design, &environment, &pattern.entities());
        drop(runner);
        settle(&target, &design, &environment.name)?;
        target.close()?;
        show(arguments, &total.to_json())?;
        return total.failure().map_or(Ok(()), Err);
    }
    let outcome = runner.run(&pattern.name, &values, &paging(&arguments.call)).wait();
    target.warn_of(&design, &environment, &pattern.name, &outcome);
    let answer = outcome?.to_json();
    drop(runner);
    if !pattern.reads() {
        settle(&target, &design, &environment.name)?;
    }
    target.close()?;
    show(arguments, &answer)
}

fn show(arguments: &RunArguments, answer: &Json) -> Result<(), Failure> {
    if arguments.table {
        write!(anstream::stdout().lock(), "{}", columns(answer, terminal_width()))?;
    } else {
        print(answer)?;
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
