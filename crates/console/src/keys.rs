//! Keys of items: the entity that they belong to, and their parts by its templates.

use std::sync::Arc;

use maud::{Markup, html};
use singlet_design::{Design, Entity, Part, Table, Template};
use singlet_values::{AttributeValue, ItemRef, ValueRef};

use crate::text::{Visible, brief};
use crate::value::{Room, attribute};

/// Characters of a key that a page shows; DynamoDB allows 2 KB.
const CHARACTERS_MAX: usize = 2_048;

/// The entity of an item: by its type attribute, or by its keys if an index doesn't carry the type.
pub(crate) fn entity_of<'d>(design: &'d Design, table: &Table, item: ItemRef<'_>) -> Option<&'d Arc<Entity>> {
    let mut entities = design.entities.iter().filter(|entity| entity.table.label == table.label);
    match item.get(&table.type_attribute) {
        Some(ValueRef::S(name)) => entities.find(|entity| entity.type_name == name),
        Some(_) => None,
        None => entities.find(|entity| has_keys_of(entity, item)),
    }
}

/// Whether the keys of an item have the form of an entity's templates.
fn has_keys_of(entity: &Entity, item: ItemRef<'_>) -> bool {
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let mut keys = entity.table.key().zip(templates);
    keys.all(|(attribute, template)| match item.get(&attribute.name) {
        Some(ValueRef::S(text)) => {
            let field = |path: &str| entity.field_at(path);
            template.pieces(text, entity.table.separator, field).is_some()
        }
        Some(_) => template.plain_field().is_some(),
        None => false,
    })
}

/// The template of an entity for a key attribute of its table or of an index.
pub(crate) fn template_of<'e>(entity: &'e Entity, attribute: &str) -> Option<&'e Template> {
    let own = entity.table.key().zip(std::iter::once(&entity.key.partition).chain(&entity.key.sort));
    let own = own.map(|(key, template)| (key.name.as_str(), template));
    let mut all = own.chain(entity.indexes.iter().flat_map(|entry| entry.templates()));
    all.find(|(name, _)| *name == attribute).map(|(_, template)| template)
}

/// A key as a page shows it: literals faint, and the fields of the template with their names.
pub(crate) fn split(entity: Option<&Entity>, attribute_name: &str, key: &AttributeValue) -> Markup {
    let AttributeValue::S(text) = key else {
        return html! { code.key-text { (attribute(None, key, Room::Cell)) } };
    };
    let template = entity.and_then(|entity| Some((entity, template_of(entity, attribute_name)?)));
    let pieces = template.and_then(|(entity, template)| {
        let pieces = template.pieces(text, entity.table.separator, |path| entity.field_at(path))?;
        Some((template, pieces))
    });
    html! {
        code.key-text {
            @match pieces {
                None => (brief(text, CHARACTERS_MAX)),
                Some((template, pieces)) => {
                    @let mut pieces = pieces.into_iter();
                    @for part in &template.parts {
                        @match part {
                            Part::Literal(literal) => span.literal { (Visible(literal)) },
                            Part::Field { .. } | Part::Shard { .. } => {
                                @if let Some((part, text)) = pieces.next() { (piece(part, text)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A field's text in a key.
fn piece(part: &Part, text: &str) -> Markup {
    let name = match part {
        Part::Shard { .. } => "shard",
        part => part.path().unwrap_or_default(),
    };
    html! { span.field title=(name) { (Visible(text)) } }
}
