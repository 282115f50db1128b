//! `singlet derivations`.

use std::io::Write;

use singlet_derive::{DerivedStatus, RuleStatus, Stuck, status};
use singlet_design::Json;
use singlet_run::Wait;
use singlet_run::apply::choose_environment;

use super::audit::key_json;
use crate::arguments::{DerivationsArguments, OutputFormat};
use crate::counted::counted;
use crate::derivations::settle;
use crate::design_file;
use crate::failure::Failure;
use crate::style::{FAINT, HEAD, styled};
use crate::table::{Fit, Table, terminal_width};
use crate::target::Target;

/// Shows the derived fields of a design and how far they are.
pub(crate) fn derivations(arguments: &DerivationsArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    settle(&target, &design, &environment.name)?;
    let found = status(target.store(), &design, &environment.name).wait()?;
    target.close()?;
    let mut out = anstream::stdout().lock();
    if arguments.format == OutputFormat::Json {
        writeln!(out, "{}", json(&found))?;
    } else if found.rules.is_empty() {
        writeln!(out, "{} derives no fields", design.name)?;
    } else {
        write!(out, "{}", text(&found))?;
    }
    Ok(())
}

fn text(found: &DerivedStatus) -> String {
    let head = ["field", "derived from", "state"].map(str::to_owned).to_vec();
    let row = |rule: &RuleStatus| vec![rule.name.clone(), rule.meaning.clone(), rule.phase.word().to_owned()];
    let table = Table { head, rows: found.rules.iter().map(row).collect(), fit: Fit::Wrap, is_ruled: false };
    let mut text = table.text(terminal_width());
    if found.waiting > 0 {
        let items = counted(found.waiting, "item");
        let note = format!("Values wait for {items} that others refer to and that don't exist");
        text += &format!(
            "{}
",
            styled(FAINT, &note)
        );
    }
    if found.stuck > 0 {
        let title = format!("{} can't take derived values:", counted(found.stuck, "item"));
        text += &format!(
            "{}
",
            styled(HEAD, &title)
        );
        for Stuck { entity, key, reason } in &found.stuck_items {
            text += &format!("  {entity} {}: {reason}\n", key_json(key));
        }
    }
    text
}

fn json(found: &DerivedStatus) -> Json {
    let rule = |rule: &RuleStatus| {
        Json::from([
            ("field", Json::from(rule.name.as_str())),
            ("derived_from", Json::from(rule.meaning.as_str())),
            ("state", Json::from(rule.phase.word())),
        ])
    };
    let stuck = |one: &Stuck| {
        Json::from([
            ("entity", Json::from(one.entity.as_str())),
            ("key", key_json(&one.key)),
            ("reason", Json::from(one.reason.as_str())),
        ])
    };
    Json::from([
        ("fields", Json::List(found.rules.iter().map(rule).collect())),
        ("batches", Json::Number(found.batches.into())),
        ("waiting", Json::Number(found.waiting.into())),
        ("stuck", Json::Number(found.stuck.into())),
        ("stuck_items", Json::List(found.stuck_items.iter().map(stuck).collect())),
    ])
}
