//! Infers the types of key attributes from the templates of the entities. All entities of a table must agree.

use std::collections::BTreeMap;

use super::Context;
use super::entity::EntityDraft;
use super::field::kind_name;
use super::table::TableDraft;
use super::template::find;
use crate::model::{FieldType, KeyKind};
use crate::report::Span;
use crate::template::Template;

/// Sets the type of every key attribute of the tables.
pub(super) fn infer(context: &Context<'_>, tables: &mut [TableDraft], entities: &[EntityDraft<'_>]) {
    for (position, table) in tables.iter_mut().enumerate() {
        let mut kinds = Kinds { context, known: BTreeMap::new() };
        for entity in entities.iter().filter(|entity| entity.table == Some(position)) {
            kinds.of_entity(entity, table);
        }
        for attribute in table.attributes_mut() {
            if let Some((kind, _)) = kinds.known.get(&attribute.name) {
                attribute.kind = *kind;
            }
        }
    }
}

struct Kinds<'a> {
    context: &'a Context<'a>,
    /// The type of each attribute, and the first entity that has it.
    known: BTreeMap<String, (KeyKind, String)>,
}

impl Kinds<'_> {
    fn of_entity(&mut self, entity: &EntityDraft<'_>, table: &TableDraft) {
        if let Some(key) = &entity.key {
            let place = entity.node.get("key").map_or(entity.span, |key| key.span);
            for (attribute, template) in table.table.key().zip([&key.partition].into_iter().chain(&key.sort))
            {
                self.of_template(entity, &attribute.name, template, place);
            }
        }
        for entry in &entity.entries {
            let Some(index) = table.index(&entry.index) else { continue };
            for (attribute, template) in index.key().zip(entry.partition.iter().chain(&entry.sort)) {
                self.of_template(entity, &attribute.name, template, entry.span);
            }
        }
        // A field with the name of a key attribute is that attribute, even if the item isn't in the index.
        for field in entity.fields.list.iter().filter(|field| !entity.fields.vague.contains(&field.name)) {
            let mut keys = table.table.key().chain(table.indexes.iter().flat_map(|index| index.key()));
            if keys.any(|attribute| attribute.name == field.name) {
                match kind_of(&field.kind) {
                    Some(kind) => self.agree(entity, &field.name, kind, field.span),
                    None => self.context.mistakes.add_with_help(
                        field.span,
                        format!(
                            "`{}` is a key attribute and can't be of type `{}`",
                            field.name,
                            kind_name(&field.kind)
                        ),
                        "a key attribute must be a string, a number, a time, an id or bytes",
                    ),
                }
            }
        }
    }

    fn of_template(&mut self, entity: &EntityDraft<'_>, attribute: &str, template: &Template, place: Span) {
        let kind = match template.plain_field() {
            Some(path) => find(&entity.fields.list, path).and_then(|found| kind_of(found.kind)),
            None => Some(KeyKind::Text),
        };
        if let Some(kind) = kind {
            self.agree(entity, attribute, kind, place);
        }
    }

    fn agree(&mut self, entity: &EntityDraft<'_>, attribute: &str, kind: KeyKind, place: Span) {
        let (known, by) =
            self.known.entry(attribute.to_owned()).or_insert_with(|| (kind, entity.name.to_owned()));
        if *known != kind {
            let message = format!(
                "`{attribute}` is {} in `{}`, but {} in `{by}`",
                word(kind),
                entity.name,
                word(*known)
            );
            let help = "a key attribute must have one type in the whole table; a template with literal text is always a string";
            self.context.mistakes.add_with_help(place, message, help);
        }
    }
}

fn word(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Text => "a string",
        KeyKind::Number => "a number",
        KeyKind::Binary => "bytes",
    }
}

/// Returns the type of a key attribute that holds a field, or `None` if a key can't hold it.
pub(super) fn kind_of(kind: &FieldType) -> Option<KeyKind> {
    use FieldType::{
        Any, Binary, Bool, Choice, Date, Epoch, Id, Int, List, Map, Number, Object, Set, Text, Time,
    };
    match kind {
        Text { .. } | Choice(_) | Date | Time | Id => Some(KeyKind::Text),
        Int { .. } | Number { .. } | Epoch => Some(KeyKind::Number),
        Binary { .. } => Some(KeyKind::Binary),
        Bool | List { .. } | Set { .. } | Map { .. } | Object(_) | Any { .. } => None,
    }
}
