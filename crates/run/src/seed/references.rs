//! Relations between entities that fields declare.

use singlet_design::{Design, Entity, Field, FieldType};
use singlet_values::AttributeValue;

use super::names::{is_party, is_person, words_of};

/// The references of an entity that say where its items belong: those in its key, those to what isn't a person, and
/// those to a person whom the item is about.
pub(super) fn owners(design: &Design, entity: &Entity) -> Vec<(String, usize)> {
    let in_key = |name: &str| {
        let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
        templates.flat_map(|template| template.fields()).any(|field| field == name)
    };
    let owner = |field: &Field| {
        let name = field.refers_to.as_deref()?;
        let target = design.entities.iter().position(|other| other.name == name)?;
        let fields = design.entities.get(target)?.fields.iter().map(|field| field.name.as_str());
        let several = matches!(field.kind, FieldType::List { .. } | FieldType::Set { .. });
        let owns = !several && (in_key(&field.name) || !is_person(name, fields) || is_party(name));
        owns.then(|| (field.name.clone(), target))
    };
    entity.fields.iter().filter_map(owner).collect()
}

/// A value as text, to be looked up by.
pub(super) fn text_of(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => text.clone(),
        AttributeValue::N(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

/// The field that identifies an item: the last id in its key, or the key's first field.
pub(super) fn identity(entity: &Entity) -> String {
    let templates = || std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let fields = || templates().flat_map(|template| template.fields());
    let own = |name: &&str| {
        entity.field(name).is_some_and(|field| field.kind == FieldType::Id && field.refers_to.is_none())
    };
    fields().filter(own).last().or_else(|| fields().next()).unwrap_or_default().to_owned()
}

/// The fields of an entity that others may hold or copy.
pub(super) fn shared(design: &Design, entity: &Entity) -> Vec<String> {
    let identity = identity(entity);
    let referring = || {
        let all =
            design.entities.iter().flat_map(|other| other.fields.iter().map(move |field| (other, field)));
        all.filter(|(_, field)| field.refers_to.as_deref() == Some(entity.name.as_str()))
    };
    let is_shared = |field: &Field| {
        let copied =
            referring().any(|(other, by)| other.fields.iter().any(|own| is_copy(&own.name, by, &field.name)));
        field.name == identity || field.kind == FieldType::Id || copied
    };
    entity.fields.iter().filter(|field| is_shared(field)).map(|field| field.name.clone()).collect()
}

/// Whether a field repeats one of the item that a reference beside it leads to: `product_name` and `user_name` repeat
/// the `name` of a product and the `username` of a user.
pub(super) fn is_copy(own: &str, reference: &Field, field: &str) -> bool {
    let (own_words, words) = (words_of(own), words_of(field));
    let is_same =
        own_words.concat() == words.concat() && own_words.first() == words_of(&reference.name).first();
    own == copy_name(reference, field) || (is_same && own != reference.name)
}

/// `product_id` and `name` make `product_name`, `productId` and `name` make `productName`.
fn copy_name(reference: &Field, field: &str) -> String {
    if let Some(stem) = reference.name.strip_suffix("_id") {
        return format!("{stem}_{field}");
    }
    let stem = reference.name.strip_suffix("Id").unwrap_or(&reference.name);
    let mut letters = field.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    stem.chars().chain(first).chain(letters).collect()
}
