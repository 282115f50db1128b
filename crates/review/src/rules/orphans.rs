//! `orphans`: children that outlive their parent.

use singlet_design::{Entity, Operation, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::list;

pub(super) static RULE: Rule = Rule {
    id: "orphans",
    summary: "items that are left behind when their parent is deleted",
    page: include_str!("orphans.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Delete(delete) = &pattern.operation else { continue };
        let parent = &delete.entity;
        let left: Vec<&Entity> = context
            .design
            .entities
            .iter()
            .map(AsRef::as_ref)
            .filter(|child| lies_under(child, parent) && child.ttl.is_none() && !is_deleted(context, child))
            .collect();
        let Some(first) = left.first() else { continue };
        let names = list(left.iter().map(|child| child.name.clone()));
        let message = format!(
            "{} deletes a {}, and its {names} items stay: no pattern deletes a {}, so nobody reaches or removes them any more",
            pattern.name, parent.name, first.name,
        );
        let fix = Fix::advice(format!(
            "delete them in the same transaction or before it, mark the {} as deleted instead, or let them expire",
            parent.name,
        ));
        let mut subjects = vec![Subject::pattern(pattern), Subject::entity(parent)];
        subjects.extend(left.iter().map(|child| Subject::entity(child)));
        let place = context.place(&Subject::pattern(pattern), "delete");
        findings.report(Severity::Warning, place, subjects, message, fix);
    }
}

/// Whether the items of an entity lie under the key of another's item: its reference leads their partition key.
fn lies_under(child: &Entity, parent: &Entity) -> bool {
    let refers = |name: &str| {
        child.field(name).is_some_and(|field| field.refers_to.as_deref() == Some(parent.name.as_str()))
    };
    child.name != parent.name && child.key.partition.fields().any(refers)
}

fn is_deleted(context: &Context<'_>, entity: &Entity) -> bool {
    let deletes = |operation: &Operation| matches!(operation, Operation::Delete(delete) if delete.entity.name == entity.name);
    context.design.patterns.iter().any(|pattern| deletes(&pattern.operation))
}
