//! `unused-index`: an index that no pattern reads.

use singlet_design::{Count, Design, Index, Operation, Subject, Table};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix, whole_lines};
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "unused-index",
    summary: "an index that no pattern reads",
    page: include_str!("unused_index.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for table in &context.design.tables {
        for index in table.indexes.iter().filter(|index| !is_read(context.design, table, index)) {
            let entities: Vec<&str> = context
                .design
                .entities_of(table)
                .filter(|entity| entity.entry(&index.name).is_some())
                .map(|entity| entity.name.as_str())
                .collect();
            let message = match entities.as_slice() {
                [] => format!("no pattern reads `{}`, and no entity is in it", index.name),
                all => format!(
                    "no pattern reads `{}`: each write of {} pays for an entry that is never read",
                    index.name,
                    names(all),
                ),
            };
            let fix = Fix::edits_or(
                "remove the index, or add the pattern that needs it",
                without(context, table, index),
                "remove the index, or add the pattern that needs it",
            );
            findings.report(
                Severity::Warning,
                index.span,
                vec![Subject::index(table, index)],
                message,
                Some(fix),
            );
        }
    }
}

fn is_read(design: &Design, table: &Table, index: &Index) -> bool {
    design.patterns.iter().any(|pattern| match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => {
            get.entity.table.label == table.label && get.on.as_ref().is_some_and(|on| on.name == index.name)
        }
        Operation::Query(query) | Operation::Count(Count { query, .. }) => {
            query.table.label == table.label && query.on.as_ref().is_some_and(|on| on.name == index.name)
        }
        Operation::Scan(scan) => {
            scan.entity.table.label == table.label && scan.on.as_ref().is_some_and(|on| on.name == index.name)
        }
        _ => false,
    })
}

/// Takes the lines of an index away, and those of the entities in it.
fn without(context: &Context<'_>, table: &Table, index: &Index) -> Option<Vec<Edit>> {
    let value = context.value_span(&Subject::index(table, index));
    let lines = whole_lines(context.source, value);
    let mut edits = context
        .text(lines)
        .trim_start()
        .starts_with(index.name.as_str())
        .then(|| vec![Edit { span: lines, text: String::new() }])?;
    for entity in context.design.entities_of(table) {
        if context.has(&Subject::entity(entity), &index.name) {
            edits.push(context.without_key(&Subject::entity(entity), &index.name)?);
        }
    }
    Some(edits)
}
