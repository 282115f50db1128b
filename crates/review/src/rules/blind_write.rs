//! `blind-write`: a `put` that can undo other writes.

use singlet_design::{Entity, Operation, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "blind-write",
    summary: "a `put` that can overwrite changes of other patterns",
    page: include_str!("blind_write.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Put(put) = &pattern.operation else { continue };
        if put.condition.is_some() {
            continue;
        }
        let Some(other) = other_writer(context, &put.entity) else { continue };
        let message = format!(
            "`{}` replaces a whole `{}` without a condition: it undoes changes by `{other}` and restores deleted items",
            pattern.name, put.entity.name,
        );
        let fix = Fix::advice(format!(
            "use `create = \"{0}\"` if the item must be new, `update = \"{0}\"` if it must exist, or add a condition \
             (`if = …`)",
            put.entity.name,
        ));
        let subjects = vec![Subject::pattern(pattern), Subject::entity(&put.entity)];
        findings.report(
            Severity::Warning,
            context.span(&Subject::pattern(pattern), "put"),
            subjects,
            message,
            Some(fix),
        );
    }
}

/// A pattern that creates or updates items of the entity.
fn other_writer<'a>(context: &Context<'a>, entity: &Entity) -> Option<&'a str> {
    let mut patterns = context.directory.patterns_of(entity);
    let other =
        patterns.find(|pattern| matches!(pattern.operation, Operation::Create(_) | Operation::Update(_)))?;
    Some(&other.name)
}
