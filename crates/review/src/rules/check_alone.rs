//! `check-alone`: a check outside a transaction.

use singlet_design::{Operation, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "check-alone",
    summary: "a `check` that isn't a step of a transaction",
    page: include_str!("check_alone.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let patterns = &context.design.patterns;
    for pattern in patterns.iter().filter(|pattern| matches!(pattern.operation, Operation::Check(_))) {
        let mut users = context.directory.users_of(pattern);
        if users.any(|user| matches!(user.operation, Operation::Transaction(_))) {
            continue;
        }
        let message = format!(
            "`{}` is a check outside a transaction: its result can change before the caller acts on it, and it costs two \
             write units where a read costs half a read unit",
            pattern.name,
        );
        let fix = Fix::advice(format!(
            "make `{}` a step of the transaction that it protects, or use `exists` instead",
            pattern.name
        ));
        let span = context.span(&Subject::pattern(pattern), "check");
        findings.report(Severity::Warning, span, vec![Subject::pattern(pattern)], message, fix);
    }
}
