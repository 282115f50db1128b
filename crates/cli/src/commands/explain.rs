//! `singlet explain`.

use std::io::{Write, stdout};

use singlet_design::Json;
use singlet_review::{DerivedWrite, derived_writes};
use singlet_run::apply::choose_environment;
use singlet_run::explain::{Predicted, Recorded, RecordedOutcome, Recording, total};
use singlet_run::{Runner, Wait};

use super::patterns::{Chosen, chosen};
use super::run::{paging, print};
use crate::arguments::ExplainArguments;
use crate::derivations::settle;
use crate::failure::Failure;
use crate::parameters;
use crate::target::Target;

/// Shows the requests that a pattern becomes.
pub(crate) fn explain(arguments: &ExplainArguments) -> Result<(), Failure> {
    let Some(Chosen { design, pattern }) = chosen(&arguments.call, "explain")? else { return Ok(()) };
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let values = parameters::values(&pattern, &arguments.call)?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    settle(&target, &design, &environment.name)?;
    let mut recording = Recording::new(target.store());
    if arguments.perform {
        recording = recording.with_writes();
    }
    let mut runner =
        Runner::new(design.clone(), recording, &environment.name).with_cursor_key(target.cursor_key()?);
    if !arguments.perform {
        runner = runner.with_internal_patterns();
    }
    let outcome = runner.run(&pattern.name, &values, &paging(&arguments.call)).wait();
    let recorded = runner.store().recorded();
    let derived = derived_writes(&design, &pattern);
    target.warn_of(&design, &environment, &pattern.name, &outcome);
    drop(runner);
    if arguments.perform {
        settle(&target, &design, &environment.name)?;
    }
    target.close()?;
    if arguments.json {
        let requests = recorded.iter().map(json);
        print(&Json::List(requests.chain(derived.iter().map(derived_json)).collect()))?;
    } else {
        write_text(&recorded)?;
        write_derived(&derived)?;
    }
    outcome.map(|_| ()).map_err(Failure::from)
}

fn write_text(recorded: &[Recorded]) -> Result<(), Failure> {
    let mut out = stdout().lock();
    for (position, request) in recorded.iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        let at_once = recorded.iter().filter(|other| other.round == request.round).count();
        let note = if at_once > 1 { format!(" ({at_once} at once)") } else { String::new() };
        writeln!(out, "{}.{note} {request}", position + 1)?;
    }
    if let Some(total) = total(recorded) {
        writeln!(out, "\n{total}")?;
    }
    Ok(())
}

/// Says which items a worker writes afterwards.
fn write_derived(derived: &[DerivedWrite]) -> Result<(), Failure> {
    let mut out = stdout().lock();
    for write in derived {
        let (entity, units) = (&write.entity.name, write.units);
        let fields: Vec<String> = write.fields.iter().map(|field| format!("{entity}.{field}")).collect();
        writeln!(
            out,
            "\nIn the background: {} of one item, at most {units} write units; changes in one batch share them",
            fields.join(", ")
        )?;
    }
    Ok(())
}

fn derived_json(write: &DerivedWrite) -> Json {
    let predicted = Predicted { read: 0.0, write: write.units, indexes: Vec::new(), at_least: false };
    Json::from([
        ("operation", Json::from("Derive")),
        ("entity", Json::from(write.entity.name.as_str())),
        ("fields", Json::from(write.fields.clone())),
        ("predicted", units(&predicted)),
    ])
}

fn json(recorded: &Recorded) -> Json {
    let mut members = vec![
        ("operation".to_owned(), Json::from(recorded.operation)),
        ("request".to_owned(), recorded.body.clone()),
        ("round".to_owned(), Json::from(i64::from(recorded.round))),
        ("predicted".to_owned(), units(&recorded.predicted)),
    ];
    match &recorded.outcome {
        RecordedOutcome::Done(consumed) => {
            let (read, write, indexes) = (consumed.read, consumed.write, consumed.indexes.clone());
            members.push(("used".to_owned(), units(&Predicted { read, write, indexes, at_least: false })));
        }
        RecordedOutcome::Foreseen => members.push(("done".to_owned(), Json::from(false))),
        RecordedOutcome::Failed(reason) => members.push(("failed".to_owned(), Json::from(reason.as_str()))),
    }
    Json::Object(members)
}

fn units(predicted: &Predicted) -> Json {
    // Units are whole or half: their text is exact.
    let number = |units: f64| units.to_string().parse().map_or(Json::Null, Json::Number);
    let indexes = predicted.indexes.iter().map(|(index, units)| (index.clone(), number(*units))).collect();
    let mut members = vec![
        ("read".to_owned(), number(predicted.read)),
        ("write".to_owned(), number(predicted.write)),
        ("indexes".to_owned(), Json::Object(indexes)),
    ];
    if predicted.at_least {
        members.push(("at_least".to_owned(), Json::from(true)));
    }
    Json::Object(members)
}
