//! `unbounded-query`: a query without a page size.

use singlet_design::{Operation, PAGE_ITEMS_DEFAULT, Pattern, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::query_units;
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "unbounded-query",
    summary: "a query without a page size",
    page: include_str!("unbounded_query.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Query(query) = &pattern.operation else { continue };
        if query.limit.is_some() || has_page_of_user(context, pattern) {
            continue;
        }
        let message = format!(
            "`{}` has no page size: a call without one returns {PAGE_ITEMS_DEFAULT} items and costs about {} read units",
            pattern.name,
            number(query_units(query)),
        );
        let span = context.span(&Subject::pattern(pattern), "query");
        let line = format!("limit = {PAGE_ITEMS_DEFAULT}");
        let fix = Fix::line_after("declare the page size", context.source, span, &line);
        findings.report(Severity::Warning, span, vec![Subject::pattern(pattern)], message, Some(fix));
    }
}

/// Whether a query is only run by composed patterns that decide themselves how many of its items they read: as the list of
/// a walk, or merged.
fn has_page_of_user(context: &Context<'_>, pattern: &Pattern) -> bool {
    let decides = |user: &Pattern| {
        let merges = matches!(user.operation, Operation::Merge(_));
        user.walk().is_some_and(|walk| merges || walk.run.name != pattern.name)
    };
    let mut users = context.directory.users_of(pattern).peekable();
    pattern.internal && users.peek().is_some() && users.all(|user| decides(user))
}
