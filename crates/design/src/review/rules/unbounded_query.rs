//! `unbounded-query`: a list without a page size.

use super::{Check, Rule};
use crate::model::Operation;
use crate::review::{Context, Findings, Fix, Severity, Subject};

pub(super) static RULE: Rule = Rule {
    id: "unbounded-query",
    summary: "a list pattern without a page size",
    page: include_str!("unbounded_query.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Query(query) = &pattern.operation else { continue };
        if query.limit.is_some() {
            continue;
        }
        let message = format!(
            "{} has no page size: a call reads up to 1 MB, which is 128 read units, and returns as many items as fit",
            pattern.name,
        );
        let place = context.place(&Subject::pattern(pattern), "query");
        let fix = Fix::line_after("say how many items a page has", context.source, place, "limit = 25");
        findings.report(Severity::Warning, place, vec![Subject::pattern(pattern)], message, Some(fix));
    }
}
