//! `index-gap`: an index that some items are not in, by accident.

use super::{Check, Rule};
use crate::model::{Entity, IndexEntry, Operation};
use crate::review::{Context, Findings, Fix, Severity, Subject};
use crate::template::Template;

pub(super) static RULE: Rule = Rule {
    id: "index-gap",
    summary: "an optional field in the key of an index from which a pattern expects every item",
    page: include_str!("index_gap.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        for entry in entity.indexes.iter().filter(|entry| !entry.sparse && entry.when.is_empty()) {
            let Some((field, reader)) = optional(entity, entry).zip(reader(context, entity, entry)) else {
                continue;
            };
            let message = format!(
                "{field} is optional and in the key of {}: {} reads that index and never sees a {} without it",
                entry.index.name, reader, entity.name,
            );
            let written = context.place(&Subject::entity(entity), &entry.index.name);
            let stated = context.has(&Subject::entity(entity), &entry.index.name);
            let edit = context.say_more(written, "key", "sparse = true").filter(|_| stated);
            let fix = Fix::edits_or(
                "say that it is meant, or make the field required",
                edit.map(|edit| vec![edit]),
                format!(
                    "make {field} required, or say that it is meant: `{} = {{ sparse = true }}`",
                    entry.index.name
                ),
            );
            let subjects = vec![Subject::entity(entity), Subject::index(&entity.table, &entry.index)];
            findings.report(Severity::Warning, written, subjects, message, Some(fix));
        }
    }
}

/// The first field of an entry's key that may be missing.
fn optional<'a>(entity: &Entity, entry: &'a IndexEntry) -> Option<&'a str> {
    let mut fields = entry.partition.iter().chain(&entry.sort).flat_map(Template::fields);
    fields.find(|path| {
        let field = entity.field(path.split('.').next().unwrap_or(path));
        field.is_some_and(|field| field.optional && field.default.is_none())
    })
}

/// A pattern that reads the entity through the index.
fn reader<'a>(context: &'a Context<'_>, entity: &Entity, entry: &IndexEntry) -> Option<&'a str> {
    let through = |on: &Option<std::sync::Arc<crate::model::Index>>| {
        on.as_ref().is_some_and(|index| index.name == entry.index.name)
    };
    let reads = |operation: &Operation| match operation {
        Operation::Query(query) => {
            through(&query.on) && query.entities.iter().any(|read| read.name == entity.name)
        }
        Operation::Scan(scan) => through(&scan.on) && scan.entity.name == entity.name,
        // Who asks for one item by a value knows that it has that value.
        _ => false,
    };
    let pattern = context.design.patterns.iter().find(|pattern| reads(&pattern.operation));
    pattern.map(|pattern| pattern.name.as_str())
}
