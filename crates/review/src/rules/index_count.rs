//! `index-count`: more indexes than a table can have.

use singlet_design::{Projection, Subject};
use singlet_values::limits::{GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX, PROJECTED_ATTRIBUTES_MAX};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "index-count",
    summary: "more indexes or projected attributes than a table can have",
    page: include_str!("index_count.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for table in &context.design.tables {
        let local = table.indexes.iter().filter(|index| index.local).count();
        let included = table.indexes.iter().map(|index| match &index.projection {
            Projection::Include(names) => names.len(),
            _ => 0,
        });
        let counts = [
            (table.indexes.len() - local, GLOBAL_INDEXES_MAX, "global indexes"),
            (local, LOCAL_INDEXES_MAX, "local indexes"),
            (included.sum(), PROJECTED_ATTRIBUTES_MAX, "projected attributes"),
        ];
        for (count, max, what) in counts.into_iter().filter(|(count, max, _)| count > max) {
            let message = format!("`{}` has {count} {what}, but a table can have {max}", table.label);
            let fix = Fix::advice("let entities share indexes: one index can serve any number of them");
            findings.report(Severity::Error, table.span, vec![Subject::table(table)], message, Some(fix));
        }
    }
}
