//! Resolves unique fields.

use super::{Context, EntityDraft};
use crate::expression::{Composed, ExpressionError, Name, Origin};
use crate::model::{FieldType, KeyKind, Table, Unique, UniquePart};
use crate::resolve::field::{is_scalar, kind_name};
use crate::resolve::name;
use crate::resolve::template::find;
use crate::syntax::Node;

/// Resolves `unique` of an entity.
pub(super) fn unique(context: &Context<'_>, draft: &EntityDraft<'_>, table: Option<&Table>) -> Vec<Unique> {
    let Some(node) = draft.node.get("unique") else { return Vec::new() };
    if let Some(key) = table.and_then(|table| table.key().find(|key| key.kind != KeyKind::Text)) {
        context.mistakes.add_with_help(
            node.span,
            format!("unique fields need a table whose keys are strings, but `{}` isn't one", key.name),
            "unique values are reserved by items of the same table, whose keys are strings",
        );
    }
    let mut all: Vec<Unique> = Vec::new();
    for group in node.list().unwrap_or_default() {
        let places = group.list().unwrap_or(std::slice::from_ref(group));
        let mut unique = Unique { fields: Vec::new(), parts: Vec::new(), span: group.span };
        for place in places {
            let Some(part) = part(context, draft, place) else { continue };
            if unique.parts.contains(&part) {
                let text = place.text().unwrap_or_default();
                context.mistakes.add(place.span, format!("`{text}` appears twice in this group"));
            }
            for field in fields_of(&part) {
                if !unique.fields.contains(&field) {
                    unique.fields.push(field);
                }
            }
            unique.parts.push(part);
        }
        if all.iter().any(|other| other.parts == unique.parts) && !unique.parts.is_empty() {
            let labels: Vec<&str> = unique.labels().collect();
            context.mistakes.add(group.span, format!("{} appears twice in `unique`", name::list(&labels)));
        }
        all.push(unique);
    }
    all
}

/// Returns the fields that a part uses, in order.
fn fields_of(part: &UniquePart) -> Vec<String> {
    match part {
        UniquePart::Field(field) => vec![field.clone()],
        UniquePart::Composed(composed) => {
            composed.names().into_iter().filter_map(Name::field).map(str::to_owned).collect()
        }
    }
}

fn part(context: &Context<'_>, draft: &EntityDraft<'_>, place: &Node) -> Option<UniquePart> {
    let text = place.text()?;
    if !text.contains(['{', '}']) {
        return field(context, draft, place).map(UniquePart::Field);
    }
    let wrong = |error: ExpressionError| {
        context.mistakes.add_with(context.inside(place, error.range), error.message, error.help);
    };
    let fields = &draft.fields;
    let mut composed = Composed::parse(text).map_err(wrong).ok()?;
    let names: Vec<String> = composed.names().into_iter().map(Name::to_string).collect();
    if composed.uses_now() || names.is_empty() {
        let help = "write fields in braces, such as `{email:lower}`";
        context.mistakes.add_with_help(
            place.span,
            "a unique value must follow from fields of the item",
            help,
        );
        return None;
    }
    if let Some((_, split)) = composed.split() {
        let message = format!("`{}` makes a list, which can't be unique", split.name());
        context.mistakes.add_with_help(place.span, message, "write text, such as `{email:lower}`");
        return None;
    }
    if let Some(path) = names.iter().find(|path| find(&fields.list, path).is_none()) {
        let known = fields.list.iter().map(|field| field.name.as_str());
        let message = format!("`{}` has no field `{path}`", draft.name);
        context.mistakes.add_with(place.span, message, name::help(path, "field", known));
        return None;
    }
    let field = |origin: &Origin| {
        let Origin::Parameter(path) = origin else { return None };
        let kind = find(&fields.list, path)?.kind.clone();
        Some(Name { origin: Origin::Field(path.clone()), kind: Some(kind) })
    };
    if names.iter().any(|path| path.split('.').next().is_some_and(|first| fields.vague.contains(first))) {
        return None;
    }
    composed.check(&FieldType::Any { max_bytes: None }, &field).map_err(wrong).ok()?;
    Some(UniquePart::Composed(composed))
}

fn field(context: &Context<'_>, draft: &EntityDraft<'_>, place: &Node) -> Option<String> {
    let name = place.text()?;
    let fields = &draft.fields;
    match fields.list.iter().find(|field| field.name == name) {
        None => {
            let names = fields.list.iter().map(|field| field.name.as_str());
            let message = format!("`{}` has no field `{name}`", draft.name);
            context.mistakes.add_with(place.span, message, name::help(name, "field", names));
        }
        Some(field) if !is_scalar(&field.kind) && !fields.vague.contains(name) => {
            context.mistakes.add_with_help(
                place.span,
                format!("`{name}` is of type `{}` and can't be unique", kind_name(&field.kind)),
                "strings, numbers, times and ids can be unique",
            )
        }
        Some(_) => {}
    }
    Some(name.to_owned())
}
