//! `duplicate-index`: two indexes with the same key.

use singlet_design::{Design, Index, Subject, Table, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "duplicate-index",
    summary: "two indexes with the same items in the same order",
    page: include_str!("duplicate_index.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for table in &context.design.tables {
        for (position, index) in table.indexes.iter().enumerate() {
            let Some(earlier) = table
                .indexes
                .iter()
                .take(position)
                .find(|earlier| same(context.design, table, earlier, index))
            else {
                continue;
            };
            let message = format!(
                "`{}` holds the same items under the same keys as `{}`: each write pays for both",
                index.name, earlier.name,
            );
            let fix = Fix::advice(format!(
                "let the patterns on `{0}` read `{1}`, and remove `{0}`",
                index.name, earlier.name
            ));
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

fn same(design: &Design, table: &Table, one: &Index, two: &Index) -> bool {
    if one.key().eq(two.key()) && one.partition.len() == two.partition.len() {
        return true;
    }
    let mut entities = design.entities_of(table).peekable();
    let used = design.entities_of(table).any(|entity| entity.entry(&one.name).is_some());
    entities.peek().is_some()
        && used
        && entities.all(|entity| match (entity.entry(&one.name), entity.entry(&two.name)) {
            (None, None) => true,
            (Some(one), Some(two)) => {
                sources(&one.partition) == sources(&two.partition)
                    && sources(&one.sort) == sources(&two.sort)
                    && one.when == two.when
            }
            _ => false,
        })
}

fn sources(templates: &[Template]) -> Vec<&str> {
    templates.iter().map(|template| template.source.as_str()).collect()
}
