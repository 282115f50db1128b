//! `missing-rate`: a pattern without a rate.

use singlet_design::{Pattern, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};

pub(super) static RULE: Rule = Rule {
    id: "missing-rate",
    summary: "a pattern without a rate in a design that has rates",
    page: include_str!("missing_rate.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let patterns = &context.design.patterns;
    if patterns.iter().all(|pattern| pattern.rate.is_none()) {
        return;
    }
    // Parts of a composed pattern run at its rate.
    let lacking: Vec<_> = patterns
        .iter()
        .filter(|pattern| pattern.rate.is_none() && context.directory.users_of(pattern).next().is_none())
        .collect();
    let Some(first) = lacking.first() else { return };
    let message = match lacking.len() {
        1 => format!("`{}` has no rate, so the load and the plan leave it out", first.name),
        count => format!(
            "`{}` and {} other patterns have no rate, so the load and the plan leave them out",
            first.name,
            count - 1,
        ),
    };
    // One note for all patterns, with a line for each.
    let line = |pattern: &Pattern| {
        Edit::line_after(context.source, context.name_span(&Subject::pattern(pattern)), "rate = \"1/s\"")
    };
    let edits = lacking.iter().map(|pattern| line(pattern)).collect();
    let fix = Fix::edits("declare how often they are called", edits).as_example();
    let subjects = lacking.iter().map(|pattern| Subject::pattern(pattern)).collect();
    let span = context.name_span(&Subject::pattern(first));
    findings.report(Severity::Info, span, subjects, message, Some(fix));
}
