//! `orphans`: items that outlive the item that they belong to.

use singlet_design::{Entity, Operation, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "orphans",
    summary: "items that stay when the item that they belong to is deleted",
    page: include_str!("orphans.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Delete(delete) = &pattern.operation else { continue };
        let parent = &delete.entity;
        let left: Vec<&Entity> = context
            .directory
            .referrers(parent)
            .map(AsRef::as_ref)
            .filter(|child| lies_under(child, parent) && child.ttl.is_none())
            .filter(|child| !context.directory.is_deleted(child))
            .collect();
        if left.is_empty() {
            continue;
        }
        let message = format!(
            "`{}` deletes a `{}`, but no pattern deletes its {} items: they stay, and nothing reaches or removes them",
            pattern.name,
            parent.name,
            names(left.iter().map(|child| &child.name)),
        );
        let fix = Fix::advice(format!(
            "delete them before the `{0}` or in the same transaction, mark the `{0}` as deleted instead, or let them expire",
            parent.name,
        ));
        let mut subjects = vec![Subject::pattern(pattern), Subject::entity(parent)];
        subjects.extend(left.iter().map(|child| Subject::entity(child)));
        let span = context.span(&Subject::pattern(pattern), "delete");
        findings.report(Severity::Warning, span, subjects, message, fix);
    }
}

/// Whether items of an entity belong to an item of another: a reference to it is in their partition key.
fn lies_under(child: &Entity, parent: &Entity) -> bool {
    let refers = |name: &str| {
        child.field(name).is_some_and(|field| field.refers_to.as_deref() == Some(parent.name.as_str()))
    };
    child.name != parent.name && child.key.partition.fields().any(refers)
}
