//! `singlet audit`.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

use singlet_derive::{Audit, AuditReport, Difference};
use singlet_design::{Json, to_json};
use singlet_engine::values::{AttributeValue, EncodedValue, Item};
use singlet_run::Wait;
use singlet_run::apply::choose_environment;

use super::rebuild::elsewhere;
use crate::arguments::{AuditArguments, OutputFormat};
use crate::counted::counted;
use crate::derivations::settle;
use crate::design_file;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Fit, Table, terminal_width};
use crate::target::Target;

/// Counts derived fields again and shows what differs: 1 if anything does.
pub(crate) fn audit(arguments: &AuditArguments) -> Result<ExitCode, Failure> {
    let design = design_file::load(&arguments.file)?;
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    settle(&target, &design, &environment.name)?;
    let Some(audit) = Audit::new(target.store(), design.clone(), &environment.name) else {
        target.close()?;
        writeln!(anstream::stdout(), "{} derives no fields", design.name)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut line = Progress::new();
    let mut watch = |items| line.count(items, "items");
    let report = match target.embedded() {
        Some(_) => audit.run(&mut watch).wait()?,
        None => audit.confirmed(&mut watch).wait()?,
    };
    drop(line);
    let repaired = match (arguments.repair && report.differing > 0, target.embedded()) {
        (false, _) => 0,
        (true, Some(_)) => audit.repair(&report).wait()?,
        (true, None) => {
            // The server's worker may be about to take in what seems to be missing. It alone can tell.
            elsewhere(&target, &design, &environment.name, &differing_rules(&report))?;
            report.differing
        }
    };
    drop(audit);
    target.close()?;
    show(&report, repaired, arguments)?;
    Ok(if report.differing > repaired { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The rules whose fields differ, as `rebuild` names them.
fn differing_rules(report: &AuditReport) -> Vec<String> {
    let names = report.differences.iter().map(|one| one.rule.clone());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn show(report: &AuditReport, repaired: u64, arguments: &AuditArguments) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    if arguments.format == OutputFormat::Json {
        writeln!(out, "{}", json(report, repaired))?;
        return Ok(());
    }
    if !report.differences.is_empty() {
        let head = ["entity", "key", "field", "stored", "correct"].map(str::to_owned).to_vec();
        let rows = report.differences.iter().map(row).collect();
        write!(out, "{}", Table { head, rows, fit: Fit::Wrap, is_ruled: false }.text(terminal_width()))?;
    }
    let left_off = report.differing.saturating_sub(report.differences.len() as u64);
    if left_off > 0 {
        writeln!(out, "… and {left_off} more")?;
    }
    for name in &report.filling {
        writeln!(out, "{name} isn't audited: it is still being filled")?;
    }
    let (items, fields) = (counted(report.items, "item"), counted(report.fields, "derived field"));
    write!(out, "{items} read, {fields} compared: ")?;
    match (report.differing, repaired) {
        (0, _) => writeln!(out, "nothing differs")?,
        (1, 0) => writeln!(out, "1 differs; --repair writes the correct value")?,
        (count, 0) => writeln!(out, "{count} differ; --repair writes the correct values")?,
        (count, repaired) => {
            writeln!(out, "{count} differed, {repaired} repaired")?;
            if repaired < count {
                writeln!(out, "Some items can't take their values; `singlet derivations` shows why.")?;
            }
        }
    }
    Ok(())
}

fn row(difference: &Difference) -> Vec<String> {
    let value = |value: &Option<AttributeValue>| match value {
        Some(value) => value_json(value).to_string(),
        None => "–".to_owned(),
    };
    let missing = if difference.has_item { "" } else { " (not there)" };
    vec![
        format!("{}{missing}", difference.entity),
        key_json(&difference.key).to_string(),
        difference.field.clone(),
        value(&difference.stored),
        value(&difference.correct),
    ]
}

fn json(report: &AuditReport, repaired: u64) -> Json {
    let value = |value: &Option<AttributeValue>| value.as_ref().map_or(Json::Null, value_json);
    let difference = |one: &Difference| {
        Json::from([
            ("entity", Json::from(one.entity.as_str())),
            ("key", key_json(&one.key)),
            ("field", Json::from(one.field.as_str())),
            ("stored", value(&one.stored)),
            ("correct", value(&one.correct)),
            ("exists", Json::Bool(one.has_item)),
        ])
    };
    Json::from([
        ("items", Json::Number(report.items.into())),
        ("compared", Json::Number(report.fields.into())),
        ("differing", Json::Number(report.differing.into())),
        ("repaired", Json::Number(repaired.into())),
        ("differences", Json::List(report.differences.iter().map(difference).collect())),
        ("filling", Json::from(report.filling.clone())),
    ])
}

/// A key as plain JSON.
pub(super) fn key_json(key: &Item) -> Json {
    Json::Object(key.iter().map(|(name, value)| (name.to_owned(), value_json(value))).collect())
}

fn value_json(value: &AttributeValue) -> Json {
    to_json(EncodedValue::encode(value).view())
}
