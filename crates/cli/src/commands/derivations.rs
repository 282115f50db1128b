//! `singlet derivations`.

use std::io::Write;

use singlet_derive::{
    DerivedStatus, OutletRule, OutletStatus, RuleStatus, Stuck, archive_status, has_archive, outlet_rules,
    status,
};
use singlet_design::{Design, Json, time_of_ms};
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
use crate::target::{AnyStore, Target};

/// Shows the derived fields of a design and how far they are.
pub(crate) fn derivations(arguments: &DerivationsArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    settle(&target, &design, &environment.name)?;
    let found = status(target.store(), &design, &environment.name).wait()?;
    let outlets = Outlets::read(target.store(), &design, &environment.name)?;
    target.close()?;
    let mut out = anstream::stdout().lock();
    if arguments.format == OutputFormat::Json {
        writeln!(out, "{}", json(&found, &outlets))?;
    } else if found.rules.is_empty() && outlets.rules.is_empty() {
        writeln!(out, "{} derives no fields", design.name)?;
    } else {
        write!(out, "{}", text(&found, &outlets))?;
    }
    Ok(())
}

/// The rules whose effects are outside the database.
struct Outlets {
    rules: Vec<OutletRule>,
    archive: OutletStatus,
}

impl Outlets {
    fn read(store: &AnyStore, design: &Design, environment: &str) -> Result<Outlets, Failure> {
        let rules = outlet_rules(design);
        let archive = match has_archive(design) {
            true => archive_status(store, design, environment).wait()?,
            false => OutletStatus::default(),
        };
        Ok(Outlets { rules, archive })
    }

    fn state(&self) -> &'static str {
        if self.archive.has_begun { "ready" } else { "new" }
    }

    /// Says what is archived and what was missed.
    fn text(&self) -> String {
        let OutletStatus { done, gaps, last_gap, .. } = &self.archive;
        let mut text = String::new();
        if *done > 0 {
            text += &format!("{}\n", styled(FAINT, &format!("{} archived", counted(*done, "item"))));
        }
        if let Some(gap) = last_gap {
            let title = format!("The archive misses changes: {}", counted(*gaps, "gap"));
            let (from, to) = (time_of_ms(gap.from_ms), time_of_ms(gap.to_ms));
            text += &format!("{}\n  the last one between {from} and {to}\n", styled(HEAD, &title));
        }
        text
    }
}

fn text(found: &DerivedStatus, outlets: &Outlets) -> String {
    let head = ["field", "derived from", "state"].map(str::to_owned).to_vec();
    let row = |rule: &RuleStatus| vec![rule.name.clone(), rule.meaning.clone(), rule.phase.word().to_owned()];
    let outlet =
        |rule: &OutletRule| vec![rule.name.clone(), rule.meaning.clone(), outlets.state().to_owned()];
    let rows = found.rules.iter().map(row).chain(outlets.rules.iter().map(outlet)).collect();
    let table = Table { head, rows, fit: Fit::Wrap, is_ruled: false };
    let mut text = table.text(terminal_width());
    text += &outlets.text();
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

fn json(found: &DerivedStatus, outlets: &Outlets) -> Json {
    let rule = |rule: &RuleStatus| {
        Json::from([
            ("field", Json::from(rule.name.as_str())),
            ("derived_from", Json::from(rule.meaning.as_str())),
            ("state", Json::from(rule.phase.word())),
        ])
    };
    let outlet = |rule: &OutletRule| {
        Json::from([
            ("name", Json::from(rule.name.as_str())),
            ("effect", Json::from(rule.meaning.as_str())),
            ("state", Json::from(outlets.state())),
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
        ("outlets", Json::List(outlets.rules.iter().map(outlet).collect())),
        ("archived", Json::Number(outlets.archive.done.into())),
        ("archive_gaps", Json::Number(outlets.archive.gaps.into())),
        ("batches", Json::Number(found.batches.into())),
        ("waiting", Json::Number(found.waiting.into())),
        ("stuck", Json::Number(found.stuck.into())),
        ("stuck_items", Json::List(found.stuck_items.iter().map(stuck).collect())),
    ])
}
