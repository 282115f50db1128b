//! `partial-key-update`: an update with only some fields of an index key.

use singlet_design::{Entity, IndexEntry, Operation, Pattern, Subject, Template, Update};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "partial-key-update",
    summary: "an update with some but not all fields of an index key",
    page: include_str!("partial_key_update.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        let (mut patterns, mut missing, mut indexes) = (Vec::new(), Vec::new(), Vec::new());
        for (pattern, update) in updates(context, entity) {
            let lacking = || entity.indexes.iter().map(|entry| (entry, lacking(update, entry)));
            let before = missing.len();
            for (entry, fields) in lacking().filter(|(_, fields)| !fields.is_empty()) {
                indexes.push(entry.index.name.as_str());
                missing.extend(fields);
            }
            if missing.len() > before {
                patterns.push(pattern);
            }
        }
        let Some(first) = patterns.first() else { continue };
        let missing = once(missing);
        let change = if patterns.len() == 1 { "changes" } else { "change" };
        let message = format!(
            "{} of `{}` {change} a part of the key of {} without {missing}: Singlet reads the item first and writes it only \
             if nothing changed, which costs a read, and a retry under contention",
            names(patterns.iter().map(|pattern| &pattern.name)),
            entity.name,
            once(indexes),
        );
        let fix =
            Fix::advice(format!("nothing has to change; with {missing} as parameters it is a single write"));
        let span = context.span(&Subject::pattern(first), "update");
        let mut subjects: Vec<Subject> = patterns.iter().map(|pattern| Subject::pattern(pattern)).collect();
        subjects.push(Subject::entity(entity));
        findings.report(Severity::Info, span, subjects, message, Some(fix));
    }
}

fn updates<'a>(context: &Context<'a>, entity: &Entity) -> impl Iterator<Item = (&'a Pattern, &'a Update)> {
    context.directory.patterns_of(entity).filter_map(|pattern| match &pattern.operation {
        Operation::Update(update) => Some((&**pattern, update)),
        _ => None,
    })
}

/// Names as a list, without repetition.
fn once(mut words: Vec<&str>) -> String {
    words.sort_unstable();
    words.dedup();
    names(words)
}

/// The fields of an index key that the update lacks, if it sets any of them. It has those of the table's key.
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
