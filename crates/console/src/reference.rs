//! The items that the fields of an item refer to, and the collections of items that refer to it.

use std::sync::Arc;

use singlet_design::{Cardinality, Design, Entity, Field, FieldType, Template};
use singlet_run::derive;
use singlet_values::{AttributeValue, Item};

use crate::figures::grouped;
use crate::key_text;
use crate::link::Link;
use crate::parts::key_fields;

/// The page of the item that a value of a field refers to; `None` if it refers to nothing, or the item lacks what the
/// other key needs.
pub(crate) fn target(
    design: &Design,
    entity: &Entity,
    field: &Field,
    item: &Item,
    value: &AttributeValue,
) -> Option<Link> {
    let target = target_entity(design, entity, field, item)?;
    let held = held_field(field, target)?;
    let mut fields = Item::new();
    for path in key_fields(target) {
        let value = if path == held { value } else { item.get(path)? };
        fields.insert(path, value.clone());
    }
    let key = derive::key_of(target, &fields).ok()?;
    Link::item_with_key(&design.name, &target.table, &key)
}

/// The entity that a field refers to. If there are several, another field of the item tells which.
fn target_entity<'d>(
    design: &'d Design,
    entity: &Entity,
    field: &Field,
    item: &Item,
) -> Option<&'d Arc<Entity>> {
    if let Some(name) = &field.refers_to {
        return design.entity(name);
    }
    let chooser = design.chooser(entity, field)?;
    let AttributeValue::S(word) = item.get(&chooser.field)? else { return None };
    let position = chooser.words.iter().position(|known| known == word)?;
    design.entity(field.refers_to_one_of.get(position)?)
}

/// The field of the other entity's key whose value a reference holds: the one of the same name, the only one, or the
/// only one that isn't a reference itself. The language refuses references for which nothing decides.
fn held_field<'e>(field: &Field, target: &'e Entity) -> Option<&'e str> {
    let members = key_fields(target);
    if let Some(same) = members.iter().find(|path| **path == field.name) {
        return Some(same);
    }
    if let [only] = members.as_slice() {
        return Some(only);
    }
    let is_own = |path: &&str| target.field(path).is_some_and(|member| !refers(member));
    let mut own = members.into_iter().filter(is_own);
    own.next().filter(|_| own.next().is_none())
}

fn refers(field: &Field) -> bool {
    field.refers_to.is_some() || !field.refers_to_one_of.is_empty()
}

/// A list of items that refer to an item: one partition of a table or index.
#[derive(Debug, Clone)]
pub(crate) struct Referrers {
    /// The entity of the items.
    pub(crate) entity: String,
    /// The field by which they refer.
    pub(crate) field: String,
    /// The name of the relation, if the design declares one.
    pub(crate) relation: Option<String>,
    /// How many there may be, in words.
    pub(crate) count: String,
    /// The partition that holds them; `None` if no table or index lists them.
    pub(crate) link: Option<Link>,
}

/// The lists of items that refer to an item. Nothing is read: each list has a link.
pub(crate) fn referrers(design: &Design, entity: &Entity, item: &Item) -> Vec<Referrers> {
    let mut found = Vec::new();
    for other in &design.entities {
        for field in other.fields.iter().filter(|field| field.can_refer_to(&entity.name)) {
            let relation = entity.relations.iter().find(|relation| {
                relation.entity == other.name && relation.by.as_deref().is_none_or(|by| by == field.name)
            });
            found.push(Referrers {
                entity: other.name.clone(),
                field: field.name.clone(),
                relation: relation.map(|relation| relation.name.clone()),
                count: relation.map(|relation| in_words(&relation.cardinality)).unwrap_or_default(),
                link: listed(design, entity, item, other, field),
            });
        }
    }
    found
}

/// The partition of a table or index in which items with a reference to this item lie: its key needs nothing else.
fn listed(design: &Design, entity: &Entity, item: &Item, other: &Entity, field: &Field) -> Option<Link> {
    if matches!(field.kind, FieldType::List { .. } | FieldType::Set { .. }) {
        return None;
    }
    let held = item.get(held_field(field, entity)?)?;
    let mut fields = Item::new();
    fields.insert(field.name.as_str(), held.clone());
    for shared in key_fields(entity).into_iter().filter(|name| *name != field.name) {
        if let Some(value) = item.get(shared).filter(|_| other.field(shared).is_some()) {
            fields.insert(shared, value.clone());
        }
    }
    let table = &other.table;
    let own = (None, vec![&other.key.partition]);
    let entries =
        other.indexes.iter().map(|entry| (Some(entry.index.name.as_str()), entry.partition.iter().collect()));
    let places = std::iter::once(own).chain(entries);
    let mut links = places.filter_map(|(index, templates): (Option<&str>, Vec<&Template>)| {
        let uses = |template: &&Template| template.fields().any(|name| name == field.name);
        if !templates.iter().any(uses) || templates.iter().any(|template| template.shard_count().is_some()) {
            return None;
        }
        let part = |template: &Template| template.render(table.separator, &fields).ok().flatten();
        let key: Option<Vec<AttributeValue>> = templates.into_iter().map(part).collect();
        let key: Option<Vec<String>> = key?.iter().map(|part| key_text::write(part.as_scalar()?)).collect();
        Some(Link::collection(&design.name, table, index, &key?).with("entity", other.name.as_str()))
    });
    links.next()
}

fn in_words(cardinality: &Cardinality) -> String {
    match cardinality {
        Cardinality::One => "at most one".to_owned(),
        Cardinality::Many { max: Some(max), usual: None } => {
            format!("at most {}", grouped(*max))
        }
        Cardinality::Many { usual: Some(usual), max: None } => format!("about {}", grouped(*usual)),
        Cardinality::Many { usual: Some(usual), max: Some(max) } => {
            format!("about {}, at most {}", grouped(*usual), grouped(*max))
        }
        Cardinality::Many { .. } => "any number".to_owned(),
    }
}
