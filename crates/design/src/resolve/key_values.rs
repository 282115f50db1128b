//! Checks that the values that a design contains fit the key templates: defaults, enums, and constants in `set`.
//!
//! A value that no key can hold would be refused by every write that uses it.

use singlet_values::{AttributeValue, Item};

use super::Context;
use super::entity::EntityDraft;
use crate::json::Json;
use crate::model::{Entity, FieldType, When};
use crate::report::Span;
use crate::syntax::Entry;
use crate::template::Template;
use crate::value;

/// The templates of an entity's keys, each with the conditions under which it is used.
pub(super) struct KeyUses<'a> {
    separator: char,
    templates: Vec<(&'a Template, &'a [When])>,
}

impl<'a> KeyUses<'a> {
    /// Returns the keys of an entity.
    pub(super) fn of_entity(entity: &'a Entity) -> Self {
        let own = [&entity.key.partition].into_iter().chain(&entity.key.sort);
        let entries = entity.indexes.iter().flat_map(|entry| {
            entry.partition.iter().chain(&entry.sort).map(|template| (template, entry.when.as_slice()))
        });
        let templates = own.map(|template| (template, [].as_slice())).chain(entries).collect();
        KeyUses { separator: entity.table.separator, templates }
    }

    /// Returns the keys of an entity whose table isn't complete yet.
    fn of_draft(draft: &'a EntityDraft<'_>, separator: char) -> Self {
        let own = draft.key.iter().flat_map(|key| [&key.partition].into_iter().chain(&key.sort));
        let entries = draft.entries.iter().flat_map(|entry| {
            entry.partition.iter().chain(&entry.sort).map(|template| (template, entry.when.as_slice()))
        });
        KeyUses {
            separator,
            templates: own.map(|template| (template, [].as_slice())).chain(entries).collect(),
        }
    }

    /// Adds a mistake if a key that contains the field at this path can't hold the value.
    pub(super) fn check(
        &self,
        context: &Context<'_>,
        path: &str,
        (kind, json): (&FieldType, &Json),
        span: Span,
    ) {
        let Ok(value) = value::to_attribute(kind, json) else { return };
        let item = item_with(path, value);
        for (template, when) in &self.templates {
            let excluded = |when: &When| when.field == path && !when.values.contains(json);
            if when.iter().any(excluded) {
                continue;
            }
            let refused = (0..template.parts.len())
                .find_map(|part| template.render_field(self.separator, &item, part).err());
            if let Some(error) = refused {
                let message = format!(
                    "this value of `{}` can't be part of the key `{template}`: {}",
                    error.field, error.reason
                );
                let help = "use a value that fits, or change the template";
                context.mistakes.add_with_help(span, message, help);
                return;
            }
        }
    }
}

/// Returns an item that has only this value.
fn item_with(path: &str, value: AttributeValue) -> Item {
    let (first, inner) = path.split_once('.').map_or((path, None), |(first, inner)| (first, Some(inner)));
    let value = match inner {
        Some(inner) => AttributeValue::M(item_with(inner, value)),
        None => value,
    };
    Item::from([(first, value)])
}

/// Checks the defaults and enums of an entity's fields.
pub(super) fn fields(context: &Context<'_>, draft: &EntityDraft<'_>, separator: char) {
    let uses = KeyUses::of_draft(draft, separator);
    let sound = |entry: &&Entry| !draft.fields.vague.contains(&entry.name);
    for entry in draft.node.entries("fields").iter().filter(sound) {
        let field = draft.fields.list.iter().find(|field| field.name == entry.name);
        if let Some(field) = field {
            values_of(context, &uses, &entry.name, entry, &field.kind);
        }
    }
}

fn values_of(context: &Context<'_>, uses: &KeyUses<'_>, path: &str, entry: &Entry, kind: &FieldType) {
    match kind {
        FieldType::Choice(_) => {
            for choice in entry.node.get("enum").and_then(|choices| choices.list()).unwrap_or_default() {
                uses.check(context, path, (kind, &choice.json()), choice.span);
            }
            // A default is one of the choices.
            return;
        }
        FieldType::Object(fields) => {
            for inner in entry.node.entries("fields") {
                if let Some(field) = fields.iter().find(|field| field.name == inner.name) {
                    values_of(context, uses, &format!("{path}.{}", inner.name), inner, &field.kind);
                }
            }
        }
        _ => {}
    }
    if let Some(default) = entry.node.get("default") {
        uses.check(context, path, (kind, &default.json()), default.span);
    }
}
