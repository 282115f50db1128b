//! `mutable-key`: an index key that changes often.

use super::{Check, Rule};
use crate::model::{Change, IndexEntry, Operation};
use crate::review::text::number;
use crate::review::{Context, Findings, Fix, Severity, Subject};

pub(super) static RULE: Rule = Rule {
    id: "mutable-key",
    summary: "an index key that changes often",
    page: include_str!("mutable_key.md"),
    check: Check::Review(check),
};

/// A field that is set more often than this counts as changing often.
const OFTEN_PER_SECOND: f64 = 10.0;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Update(update) = &pattern.operation else { continue };
        let rate = pattern.rate.map_or(0.0, |rate| rate.per_second);
        // What is set beside a counter changes as often as it counts.
        let counts = update.changes.iter().any(|change| matches!(change, Change::Add { .. }));
        if !counts && rate < OFTEN_PER_SECOND {
            continue;
        }
        for change in &update.changes {
            let counted = matches!(change, Change::Add { .. });
            let Some(entry) = update.entity.indexes.iter().find(|entry| holds(entry, change.field())) else {
                continue;
            };
            let how = if rate > 0.0 { format!(", {} times a second", number(rate)) } else { String::new() };
            let message = format!(
                "{} changes {}, which is in the key of {}{how}: each time the old entry is deleted and a new one \
                 written, two index writes",
                pattern.name,
                change.field(),
                entry.index.name,
            );
            let fix =
                Fix::advice("keep a copy in the key that is refreshed every so often, or sort when reading");
            let subjects = vec![
                Subject::pattern(pattern),
                Subject::entity(&update.entity),
                Subject::index(&update.entity.table, &entry.index),
            ];
            let place = context.place(&Subject::pattern(pattern), if counted { "add" } else { "set" });
            findings.report(Severity::Warning, place, subjects, message, Some(fix));
        }
    }
}

fn holds(entry: &IndexEntry, field: &str) -> bool {
    entry.templates().any(|(_, template)| template.fields().any(|name| name == field))
}
