//! Checks entities whose items exist as long as others count for them: `counted = true`.

use std::sync::Arc;

use super::{Context, EntityDraft};

use crate::model::{Aggregate, Derivation, DerivationKind, Entity, Field, Made, Operation, Pattern};
use crate::syntax::Node;
use crate::template::{Format, Part};

/// Returns whether the items of an entity exist as long as others count for them.
pub(super) fn is_counted(node: &Node) -> bool {
    node.get("counted").and_then(Node::truth).unwrap_or(false)
}

/// Checks that such items can be made from what counts for them.
pub(super) fn check(context: &Context<'_>, drafts: &[EntityDraft<'_>], aggregates: &[Vec<Aggregate>]) {
    for (draft, aggregates) in drafts.iter().zip(aggregates) {
        if !is_counted(draft.node) {
            continue;
        }
        let span = draft.node.entry("counted").map_or(draft.span, |entry| entry.span);
        let fields = draft.node.entries("fields");
        if aggregates.is_empty() && !fields.iter().any(|field| field.node.get("count").is_some()) {
            context.mistakes.add_with_help(
                span,
                format!("nothing counts for the items of `{}`, so they would never exist", draft.name),
                "add a field with `count`, or remove `counted`",
            );
        }
        if let Some(unique) = draft.node.entry("unique") {
            let message = format!("items of `{}` are counted, so they can't have unique values", draft.name);
            context.mistakes.add_with_help(unique.span, message, "remove `unique` or `counted`");
        }
        draft.fields.list.iter().for_each(|field| has_value(context, draft, field));
        expires_by_key(context, draft);
        has_one_period(context, draft);
    }
}

/// Checks that a field has a value when Singlet makes the item.
fn has_value(context: &Context<'_>, draft: &EntityDraft<'_>, field: &Field) {
    let has = field.optional
        || field.default.is_some()
        || field.computed
        || field.derived
        || in_key(draft, &field.name)
        || matches!(field.made, Some(Made::Created | Made::Updated))
        || draft.fields.vague.contains(&field.name);
    if !has {
        context.mistakes.add_with_help(
            field.span,
            format!("`{}` has no value when Singlet makes an item of `{}`", field.name, draft.name),
            "use it in the table's key, derive it, or add `optional = true` or a `default`",
        );
    }
}

/// Checks that the time to live follows from the key: an item that is made again must not live longer than before.
fn expires_by_key(context: &Context<'_>, draft: &EntityDraft<'_>) {
    let Some(node) = draft.node.get("ttl") else { return };
    let field = node.text().and_then(|text| text.split_ascii_whitespace().last()).unwrap_or_default();
    if draft.key.is_some() && !in_key(draft, field) {
        context.mistakes.add_with_help(
            node.span,
            format!("counted items expire by their key, and `{field}` isn't in the key of `{}`", draft.name),
            "use a time in the table's key, such as `at` of `\"WEEK#{at:week}\"`: it is the beginning of the period",
        );
    }
}

/// Checks that the key has no periods that overlap: the beginning of a week can be in another month.
fn has_one_period(context: &Context<'_>, draft: &EntityDraft<'_>) {
    let Some(key) = &draft.key else { return };
    let parts = || std::iter::once(&key.partition).chain(&key.sort).flat_map(|template| &template.parts);
    let has = |wanted: &Part| parts().any(|part| part == wanted);
    for part in parts() {
        let Part::Field { path, format: Format::Week } = part else { continue };
        let of = |format| Part::Field { path: path.clone(), format };
        if has(&of(Format::Month)) || has(&of(Format::Year)) {
            context.mistakes.add_with_help(
                draft.node.get("key").map_or(draft.span, |node| node.span),
                format!(
                    "the key of `{}` has a week and a month or year of `{path}`, which overlap",
                    draft.name
                ),
                "use one period",
            );
        }
    }
}

fn in_key(draft: &EntityDraft<'_>, field: &str) -> bool {
    let templates = draft.key.iter().flat_map(|key| std::iter::once(&key.partition).chain(&key.sort));
    templates.flat_map(|template| template.fields()).any(|path| path.split('.').next() == Some(field))
}

/// Checks that no pattern and no derivation writes counted items.
pub(in crate::resolve) fn unwritten(
    context: &Context<'_>,
    patterns: &[Arc<Pattern>],
    derivations: &[Derivation],
) {
    for derivation in derivations {
        if let DerivationKind::Make(maker) = &derivation.kind
            && maker.entity.counted
        {
            let message = format!("items of `{}` are counted, so no rule can make them", maker.entity.name);
            context.mistakes.add_with_help(derivation.span, message, "make items of another entity");
        }
    }
    for pattern in patterns {
        let written = pattern.written().into_iter().chain(deleted(pattern));
        if let Some(entity) = written.into_iter().find(|entity| entity.counted) {
            context.mistakes.add_with_help(
                pattern.span,
                format!("items of `{}` are counted, so no pattern can write them", entity.name),
                "write the items that count for them",
            );
        }
    }
}

fn deleted(pattern: &Pattern) -> Option<&Arc<Entity>> {
    match &pattern.operation {
        Operation::Delete(delete) => Some(&delete.entity),
        _ => None,
    }
}
