//! `partial-key-update`: an update that knows only some parts of a key.

use super::{Check, Rule};
use crate::model::{Entity, IndexEntry, Operation, Update};
use crate::review::text::list;
use crate::review::{Context, Findings, Fix, Severity, Subject};
use crate::template::Template;

pub(super) static RULE: Rule = Rule {
    id: "partial-key-update",
    summary: "an update that gives some but not all parts of an index key",
    page: include_str!("partial_key_update.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Update(update) = &pattern.operation else { continue };
        let mut missing: Vec<&str> = Vec::new();
        let mut indexes: Vec<String> = Vec::new();
        for entry in &update.entity.indexes {
            let lacking = lacking(update, entry);
            if !lacking.is_empty() {
                indexes.push(entry.index.name.clone());
            }
            missing.extend(lacking);
        }
        if missing.is_empty() {
            continue;
        }
        missing.sort_unstable();
        missing.dedup();
        let missing = list(missing.into_iter().map(str::to_owned));
        let message = format!(
            "{} changes a part of the key of {} without {missing}: the item is read first and written under the \
             condition that nothing changed, one read more and a retry under contention",
            pattern.name,
            list(indexes),
        );
        let fix =
            Fix::advice(format!("nothing has to be done; with {missing} as parameters it is one write"));
        let place = context.place(&Subject::pattern(pattern), "update");
        findings.report(Severity::Info, place, vec![Subject::pattern(pattern)], message, Some(fix));
    }
}

/// The fields of an index key that the update neither sets nor gets as part of the table's key, if it sets any.
fn lacking<'a>(update: &'a Update, entry: &'a IndexEntry) -> Vec<&'a str> {
    let mut fields: Vec<&str> = entry.templates().flat_map(|(_, template)| template.fields()).collect();
    fields.extend(entry.when.iter().map(|when| when.field.as_str()));
    let touched = |field: &&str| update.changes.iter().any(|change| change.field() == *field);
    if !fields.iter().any(touched) {
        return Vec::new();
    }
    fields.retain(|field| !touched(field) && !in_table_key(&update.entity, field));
    fields.dedup();
    fields
}

fn in_table_key(entity: &Entity, field: &str) -> bool {
    let key = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    key.flat_map(Template::fields).any(|name| name == field)
}
