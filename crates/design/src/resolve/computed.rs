//! Resolves computed fields, whose values follow from other fields of the same item.

use super::Context;
use super::field::Fields;
use super::name;
use super::template::find;
use crate::expression::{Composed, ExpressionError, Name, Origin};
use crate::model::{Field, FieldType};
use crate::syntax::{Entry, Node};

/// Resolves `value` of each field of an entity, once all fields are known.
pub(super) fn values(context: &Context<'_>, entries: &[Entry], fields: &mut Fields) {
    for entry in entries {
        let Some(node) = entry.node.get("value") else { continue };
        let before = context.mistakes.count();
        let value = value(context, entry, node, fields);
        if context.mistakes.count() > before {
            fields.vague.insert(entry.name.clone());
        }
        fields.computed.extend(value.map(|value| (entry.name.clone(), value)));
    }
}

fn value(context: &Context<'_>, entry: &Entry, node: &Node, fields: &Fields) -> Option<Composed> {
    let text = node.text()?;
    let own = fields.list.iter().find(|field| field.name == entry.name)?;
    if fields.vague.contains(&own.name) {
        return None;
    }
    alone(context, entry, own);
    let wrong = |error: ExpressionError| {
        context.mistakes.add_with(context.inside(node, error.range), error.message, error.help);
    };
    let mut composed = Composed::parse(text).map_err(wrong).ok()?;
    if composed.uses_now() || composed.literal().is_some() {
        context.mistakes.add_with_help(
            node.span,
            "a computed field must follow from other fields of the item",
            "write fields in braces, such as `{name:fold}`",
        );
        return None;
    }
    let field = |origin: &Origin| {
        let Origin::Parameter(path) = origin else { return None };
        let kind = find(&fields.list, path)?.kind.clone();
        Some(Name { origin: Origin::Field(path.clone()), kind: Some(kind) })
    };
    let before = context.mistakes.count();
    let checked = composed.check(&own.kind, &field);
    for path in composed.names().into_iter().map(Name::to_string) {
        source(context, node, own, &path, fields);
    }
    if context.mistakes.count() == before {
        checked.map_err(wrong).ok()?;
    }
    (context.mistakes.count() == before).then_some(composed)
}

/// Checks that nothing else gives the field a value.
fn alone(context: &Context<'_>, entry: &Entry, own: &Field) {
    let others = ["default", "made", "ref"].iter().filter_map(|key| entry.node.entry(key));
    for other in others {
        let message = format!("`{}` can't be used with `value`", other.name);
        context.mistakes.add_with_help(other.span, message, format!("remove `{}` or `value`", other.name));
    }
    if own.made.is_some() {
        let message = format!("`{}` is generated, so it can't be computed", own.name);
        context.mistakes.add_with_help(entry.span, message, "use another type, such as `string` or `time`");
    }
}

/// Checks one field that the value is computed from.
fn source(context: &Context<'_>, node: &Node, own: &Field, path: &str, fields: &Fields) {
    let first = path.split('.').next().unwrap_or(path);
    if fields.vague.contains(first) {
        return;
    }
    let Some(found) = find(&fields.list, path) else {
        let message = format!("there is no field `{path}`");
        let names = fields.list.iter().map(|field| field.name.as_str()).filter(|name| *name != own.name);
        context.mistakes.add_with(node.span, message, name::help(path, "field", names));
        return;
    };
    let is_own = first == own.name;
    let is_computed = |field: &Field| field.name == first && (field.computed || is_own);
    if fields.list.iter().any(is_computed) {
        context.mistakes.add_with_help(
            node.span,
            format!("`{first}` is computed itself"),
            "compute the value from fields that are given",
        );
    } else if found.optional && !own.optional {
        context.mistakes.add_with_help(
            node.span,
            format!("`{path}` is optional, so `{}` can be missing too", own.name),
            "add `optional = true`",
        );
    } else if matches!(found.kind, FieldType::Binary { .. }) {
        context
            .mistakes
            .add(node.span, format!("`{path}` is of type `binary`, which can't be computed with"));
    }
}
