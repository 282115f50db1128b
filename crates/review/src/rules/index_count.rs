//! `index-count`: more indexes than a table may have.

use singlet_design::{Projection, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "index-count",
    summary: "more indexes or included attributes than a table may have",
    page: include_str!("index_count.md"),
    check: Check::Review(check),
};

const GLOBAL_MAX: usize = 20;
const LOCAL_MAX: usize = 5;
const INCLUDED_MAX: usize = 100;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for table in &context.design.tables {
        let local = table.indexes.iter().filter(|index| index.local).count();
        let included = table.indexes.iter().map(|index| match &index.projection {
            Projection::Include(names) => names.len(),
            _ => 0,
        });
        let counts = [
            (table.indexes.len() - local, GLOBAL_MAX, "global indexes"),
            (local, LOCAL_MAX, "local indexes"),
            (included.sum(), INCLUDED_MAX, "included attributes in all"),
        ];
        for (count, max, what) in counts.into_iter().filter(|(count, max, _)| count > max) {
            let message = format!("{} has {count} {what}; a table may have {max}", table.label);
            let fix = Fix::advice("let entities share indexes: an index serves any number of them");
            findings.report(Severity::Error, table.span, vec![Subject::table(table)], message, Some(fix));
        }
    }
}
