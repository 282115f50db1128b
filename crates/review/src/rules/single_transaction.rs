//! `single-transaction`: a transaction of one write.

use singlet_design::{Operation, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "single-transaction",
    summary: "a transaction of one write",
    page: include_str!("single_transaction.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Transaction(transaction) = &pattern.operation else { continue };
        let [step] = transaction.steps.as_slice() else { continue };
        if step.each.is_some() {
            continue;
        }
        let message = format!(
            "`{}` is a transaction of one write: a single write is atomic anyway, and the transaction doubles its cost",
            pattern.name,
        );
        let fix = Fix::advice(format!("call `{}` directly", step.pattern.name));
        let span = context.span(&Subject::pattern(pattern), "transaction");
        findings.report(Severity::Warning, span, vec![Subject::pattern(pattern)], message, Some(fix));
    }
}
