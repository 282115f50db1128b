//! `missing-rate`: a pattern that can't be planned.

use super::{Check, Rule};
use crate::model::Operation;
use crate::review::{Context, Findings, Fix, Severity, Subject};

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
    for pattern in
        patterns.iter().filter(|pattern| pattern.rate.is_none() && !is_part(context, &pattern.name))
    {
        let message = format!("{} has no rate: it counts as nothing in the load and the plan", pattern.name);
        let fix = Fix::line_after(
            "say how often it is called",
            context.source,
            context.name(&Subject::pattern(pattern)),
            "rate = \"1/s\"",
        );
        findings.report(
            Severity::Info,
            context.name(&Subject::pattern(pattern)),
            vec![Subject::pattern(pattern)],
            message,
            Some(fix),
        );
    }
}

/// Parts of composed patterns run at the rate of those.
fn is_part(context: &Context<'_>, name: &str) -> bool {
    context.design.patterns.iter().any(|pattern| match &pattern.operation {
        Operation::Parts(parts) => parts.parts.iter().any(|part| part.pattern.name == name),
        Operation::Transaction(transaction) => transaction.steps.iter().any(|step| step.pattern.name == name),
        Operation::Merge(merge) => merge.each.name == name || merge.run.name == name,
        _ => false,
    })
}
