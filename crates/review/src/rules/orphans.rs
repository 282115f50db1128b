//! `orphans`: items that outlive the item that they belong or refer to.

use std::sync::Arc;

use singlet_design::{DerivationKind, Entity, Field, Operation, Pattern, Span, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "orphans",
    summary: "items that stay when the item that they belong or refer to is deleted",
    page: include_str!("orphans.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for parent in context.design.entities.iter().filter(|entity| context.directory.is_deleted(entity)) {
        let deletes = |pattern: &&Arc<Pattern>| matches!(pattern.operation, Operation::Delete(_));
        let deleting: Vec<&Arc<Pattern>> = context.directory.patterns_of(parent).filter(deletes).collect();
        let stays = |child: &&Arc<Entity>| {
            child.name != parent.name
                && child.ttl.is_none()
                && !context.directory.is_deleted(child)
                && !goes_with(context, parent, child)
        };
        let staying: Vec<&Arc<Entity>> = context.directory.referrers(parent).filter(stays).collect();
        let (under, beside): (Vec<&Arc<Entity>>, Vec<&Arc<Entity>>) =
            staying.into_iter().partition(|child| lies_under(child, parent));
        report_children(context, &deleting, parent, &under, findings);
        report_references(context, &deleting, parent, &beside, findings);
    }
}

/// Whether a derivation deletes items with the item that they refer to.
fn goes_with(context: &Context<'_>, parent: &Entity, child: &Entity) -> bool {
    context.design.derivations.iter().any(|derivation| match &derivation.kind {
        DerivationKind::Delete(cascade) => {
            cascade.parent.name == parent.name
                && cascade.children.iter().any(|one| one.entity.name == child.name)
        }
        _ => false,
    })
}

/// Reports the items under the key of a deleted item.
fn report_children(
    context: &Context<'_>,
    deleting: &[&Arc<Pattern>],
    parent: &Entity,
    children: &[&Arc<Entity>],
    findings: &mut Findings,
) {
    if children.is_empty() {
        return;
    }
    let message = format!(
        "{}, but no pattern deletes its {} items: they stay, and nothing reaches or removes them",
        deleted_by(deleting, parent),
        names(children.iter().map(|child| &child.name)),
    );
    let fix = Fix::advice(format!(
        "let them go with the `{0}` by `[derive.NAME]` with `of = \"{0}\"` and `delete`, delete them in the same transaction, \
         mark the `{0}` as deleted instead, or let them expire",
        parent.name,
    ));
    let (span, subjects) = place(context, deleting, parent, children);
    findings.report(Severity::Warning, span, subjects, message, fix);
}

/// Reports the items elsewhere that keep a reference to a deleted item. A reference that must exist when it is written
/// is a promise; another one may outlive its item on purpose.
fn report_references(
    context: &Context<'_>,
    deleting: &[&Arc<Pattern>],
    parent: &Entity,
    children: &[&Arc<Entity>],
    findings: &mut Findings,
) {
    for (severity, must_exist) in [(Severity::Warning, true), (Severity::Info, false)] {
        let stays = |child: &Entity, field: &Field| {
            refers(field, parent) && field.must_exist == must_exist && !is_changed(context, child, field)
        };
        let mut referring: Vec<&Arc<Entity>> = Vec::new();
        let mut fields: Vec<String> = Vec::new();
        for child in children {
            let held = child.fields.iter().filter(|field| stays(child, field));
            let held: Vec<String> = held.map(|field| format!("{}.{}", child.name, field.name)).collect();
            if !held.is_empty() {
                referring.push(child);
                fields.extend(held);
            }
        }
        if referring.is_empty() {
            continue;
        }
        let message = format!(
            "{}, but no pattern deletes the items that refer to it or changes their reference {}: it then refers to \
             nothing",
            deleted_by(deleting, parent),
            names(&fields),
        );
        let fix = Fix::advice(format!(
            "mark the `{0}` as deleted instead, delete the items that refer to it first, or allow it if readers expect a \
             reference without a `{0}`",
            parent.name,
        ));
        let (span, subjects) = place(context, deleting, parent, &referring);
        findings.report(severity, span, subjects, message, fix);
    }
}

/// The beginning of a message.
fn deleted_by(deleting: &[&Arc<Pattern>], parent: &Entity) -> String {
    let verb = if deleting.len() == 1 { "deletes" } else { "delete" };
    format!("{} {verb} a `{}`", names(deleting.iter().map(|pattern| &pattern.name)), parent.name)
}

/// The place of a finding, at the first pattern that deletes the item, and its subjects.
fn place(
    context: &Context<'_>,
    deleting: &[&Arc<Pattern>],
    parent: &Entity,
    children: &[&Arc<Entity>],
) -> (Span, Vec<Subject>) {
    let mut subjects: Vec<Subject> = deleting.iter().map(|pattern| Subject::pattern(pattern)).collect();
    let span = subjects.first().map(|first| context.span(first, "delete")).unwrap_or_default();
    subjects.push(Subject::entity(parent));
    subjects.extend(children.iter().map(|child| Subject::entity(child)));
    (span, subjects)
}

/// Whether items of an entity belong to an item of another: a reference to it is in their partition key.
fn lies_under(child: &Entity, parent: &Entity) -> bool {
    let is_reference = |name: &str| child.field(name).is_some_and(|field| refers(field, parent));
    child.key.partition.fields().any(is_reference)
}

fn refers(field: &Field, parent: &Entity) -> bool {
    field.can_refer_to(&parent.name)
}

/// Whether a pattern can give a field of an item that is there another value.
fn is_changed(context: &Context<'_>, entity: &Entity, field: &Field) -> bool {
    let mut in_key =
        entity.key.partition.fields().chain(entity.key.sort.iter().flat_map(|sort| sort.fields()));
    if in_key.any(|path| path == field.name) {
        return false;
    }
    context.directory.patterns_of(entity).any(|pattern| match &pattern.operation {
        Operation::Put(_) => true,
        Operation::Update(update) => update.changes.iter().any(|change| change.field() == field.name),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use singlet_design::load;

    use super::*;
    use crate::review;

    const SHOP: &str = r#"
design = "shop"
[table]
key = ["PK", "SK"]
[entity.Customer]
key = ["CUSTOMER#{customer_id}", "CUSTOMER"]
[entity.Customer.fields]
customer_id = "id"
[entity.Order]
key = ["ORDER#{order_id}", "ORDER"]
[entity.Order.fields]
order_id = "id"
buyer_id = { type = "key", ref = "Customer", must_exist = true }
[pattern.delete_customer]
delete = "Customer"
"#;

    /// The severities and messages that the rule reports for the shop with more lines.
    fn findings(source: &str) -> Vec<(Severity, String)> {
        let design = load("shop.toml", source).unwrap_or_else(|report| panic!("{report}"));
        let found = review(&design, source).findings.into_iter().filter(|finding| finding.rule == RULE.id);
        found.map(|finding| (finding.severity, finding.message)).collect()
    }

    #[test]
    fn a_reference_that_must_exist_is_a_warning_and_another_one_an_info() {
        let found = findings(SHOP);
        assert!(
            matches!(found.as_slice(), [(Severity::Warning, message)] if message.contains("`Order.buyer_id`")),
            "{found:?}"
        );
        let found = findings(&SHOP.replace(", must_exist = true", ""));
        assert!(matches!(found.as_slice(), [(Severity::Info, _)]), "{found:?}");
    }

    #[test]
    fn several_patterns_that_delete_one_entity_are_reported_once() {
        let found = findings(&format!("{SHOP}[pattern.erase]\ndelete = \"Customer\"\n"));
        assert!(
            matches!(found.as_slice(), [(_, message)] if message.starts_with("`delete_customer` and `erase` delete")),
            "{found:?}"
        );
    }

    #[test]
    fn a_reference_that_patterns_can_take_away_is_fine() {
        for pattern in ["delete = \"Order\"", "update = \"Order\"\nset = [\"buyer_id\"]", "put = \"Order\""] {
            assert_eq!(findings(&format!("{SHOP}[pattern.mend]\n{pattern}\n")), [], "{pattern}");
        }
    }
}
