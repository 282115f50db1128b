//! `index-gap`: an index that lacks some items by accident.

use singlet_design::{Count, Entity, IndexEntry, Operation, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::reads::read;

pub(super) static RULE: Rule = Rule {
    id: "index-gap",
    summary: "an optional field in the key of an index that a pattern lists",
    page: include_str!("index_gap.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        for entry in entity.indexes.iter().filter(|entry| !entry.sparse && entry.when.is_empty()) {
            let optional = optional(entity, entry);
            if optional.is_empty() {
                continue;
            }
            let Some((reader, field)) = gap(context, entity, entry, &optional) else { continue };
            let message = format!(
                "`{field}` is optional and in the key of `{}`: `{reader}` reads that index and never sees `{}` items without it",
                entry.index.name, entity.name,
            );
            let written = context.span(&Subject::entity(entity), &entry.index.name);
            // Only the author knows what is intended. Proposing `optional` alone would just hide the finding.
            let fix = Fix::advice(format!(
                "make `{field}` required or give it a default; if items without it are left out on purpose, declare \
                 `optional = true` in `{}`",
                entry.index.name,
            ));
            let subjects = vec![Subject::entity(entity), Subject::index(&entity.table, &entry.index)];
            findings.report(Severity::Warning, written, subjects, message, Some(fix));
        }
    }
}

/// The fields of an entry's key that an item may lack.
fn optional<'a>(entity: &Entity, entry: &'a IndexEntry) -> Vec<&'a str> {
    let fields = entry.partition.iter().chain(&entry.sort).flat_map(Template::fields);
    let may_miss = |path: &&str| {
        let field = entity.field(path.split('.').next().unwrap_or(path));
        field.is_some_and(|field| field.optional && field.default.is_none())
    };
    fields.filter(may_miss).collect()
}

/// A pattern that lists the entity through the index, and an optional field that it doesn't give. A pattern that gives the
/// field's value expects only items that have it.
fn gap<'a>(
    context: &Context<'a>,
    entity: &Entity,
    entry: &IndexEntry,
    optional: &[&'a str],
) -> Option<(&'a str, &'a str)> {
    context.directory.patterns_of(entity).find_map(|pattern| {
        let on = match &pattern.operation {
            Operation::Query(query) | Operation::Count(Count { query, .. }) => &query.on,
            Operation::Scan(scan) => &scan.on,
            _ => return None,
        };
        on.as_ref().filter(|index| index.name == entry.index.name)?;
        let given = read(pattern).map(|read| read.given()).unwrap_or_default();
        let field = optional.iter().find(|field| !given.contains(*field))?;
        Some((pattern.name.as_str(), *field))
    })
}
