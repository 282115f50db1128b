//! `mutable-key`: an index key that changes often.

use singlet_design::{Change, FieldType, IndexEntry, Made, Operation, Pattern, Subject, Update};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::Spread;
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "mutable-key",
    summary: "an index key that changes often",
    page: include_str!("mutable_key.md"),
    check: Check::Review(check),
};

/// Changes of one item's field in a second that count as often.
const OFTEN_PER_SECOND: f64 = 10.0;

fn check(context: &Context<'_>, findings: &mut Findings) {
    updated(context, findings);
    for pattern in &context.design.patterns {
        let Operation::Update(update) = &pattern.operation else { continue };
        for change in &update.changes {
            let entry = update.entity.indexes.iter().find(|entry| holds(entry, change.field()));
            let Some((entry, how)) = entry.zip(often(pattern, update, change)) else { continue };
            let message = format!(
                "`{}` changes `{}`, which is in the key of `{}`{how}: each change deletes the old entry and writes a new \
                 one, which is two index writes",
                pattern.name,
                change.field(),
                entry.index.name,
            );
            let fix =
                Fix::advice("put a copy into the key that is refreshed now and then, or sort after reading");
            let subjects = vec![
                Subject::pattern(pattern),
                Subject::entity(&update.entity),
                Subject::index(&update.entity.table, &entry.index),
            ];
            let counted = matches!(change, Change::Add { .. });
            let span = context.span(&Subject::pattern(pattern), if counted { "add" } else { "set" });
            findings.report(Severity::Warning, span, subjects, message, fix);
        }
    }
}

/// Reports a time of the last write in an index key: every update moves the entry.
fn updated(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        let mut patterns = context.directory.patterns_of(entity);
        let writer = patterns.find(|pattern| matches!(pattern.operation, Operation::Update(_)));
        let Some(writer) = writer else { continue };
        let times = entity.fields.iter().filter(|field| field.made == Some(Made::Updated));
        for (field, entry) in times.flat_map(|field| entity.indexes.iter().map(move |entry| (field, entry))) {
            if !holds(entry, &field.name) {
                continue;
            }
            let message = format!(
                "`{}` is the time of the last write and in the key of `{}`: every update, such as `{}`, deletes the old entry \
                 and writes a new one, which is two index writes",
                field.name, entry.index.name, writer.name,
            );
            let fix = Fix::advice("sort by a time that only some writes set, or by the time of creation");
            let subjects = vec![Subject::entity(entity), Subject::index(&entity.table, &entry.index)];
            let span = context.span(&Subject::entity(entity), &entry.index.name);
            findings.report(Severity::Warning, span, subjects, message, fix);
        }
    }
}

/// How often one item's field changes, in words; `None` if that isn't often. It is often if the field is a counter, if it
/// is a fraction that is set together with a counter, or if the declared rate is high for one item. A rate over many
/// items doesn't count.
fn often(pattern: &Pattern, update: &Update, change: &Change) -> Option<String> {
    let key = std::iter::once(&update.entity.key.partition).chain(&update.entity.key.sort);
    let share = Spread::of(&update.entity, key).busiest_share(pattern.busiest);
    let rate = pattern.rate.zip(share).map(|(rate, share)| rate.per_second * share);
    let counts = update.changes.iter().any(|change| matches!(change, Change::Add { .. }));
    let fraction = matches!(update.entity.field_at(change.field()), Some(FieldType::Number { .. }));
    let counted = matches!(change, Change::Add { .. }) || (counts && fraction);
    let told = rate.map(|rate| format!(", up to {} times a second for one item", number(rate)));
    (counted || rate >= Some(OFTEN_PER_SECOND)).then(|| told.unwrap_or_default())
}

fn holds(entry: &IndexEntry, field: &str) -> bool {
    entry.templates().any(|(_, template)| template.fields().any(|name| name == field))
}
