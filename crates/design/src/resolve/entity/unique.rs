//! Resolves unique fields.

use super::{Context, EntityDraft};
use crate::model::{KeyKind, Table, Unique};
use crate::resolve::field::{is_scalar, kind_name};
use crate::resolve::name;
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
        let mut fields: Vec<String> = Vec::new();
        for place in places {
            let Some(field) = field(context, draft, place) else { continue };
            if fields.contains(&field) {
                context.mistakes.add(place.span, format!("`{field}` appears twice in this group"));
            }
            fields.push(field);
        }
        if all.iter().any(|other| other.fields == fields) && !fields.is_empty() {
            context.mistakes.add(group.span, format!("{} appears twice in `unique`", name::list(&fields)));
        }
        all.push(Unique { fields, span: group.span });
    }
    all
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
