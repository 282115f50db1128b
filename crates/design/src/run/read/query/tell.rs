//! Telling what an item of a query is: by its type attribute, or by the shape of its keys where an index doesn't
//! carry the type.

use std::sync::Arc;

use singlet_engine::values::{AttributeValue, ItemRef, ValueRef};

use crate::model::{Design, Entity, Index, KeyAttribute, Table};
use crate::run::read::project::carries;
use crate::template::{Part, Template};

/// Tells the entities of one query apart, and others from them.
#[derive(Debug, Clone)]
pub(super) struct Teller {
    asked: Vec<Arc<Entity>>,
    /// Nothing else can stand under the keys that are read.
    certain: bool,
    type_attribute: String,
    /// Whether items carry the type where they are read.
    typed: bool,
    /// Everything that could stand under these keys, for items that don't carry their type.
    shapes: Vec<Shape>,
}

/// The constant beginnings of an entity's keys.
#[derive(Debug, Clone)]
struct Shape {
    entity: Arc<Entity>,
    asked: bool,
    heads: Vec<(String, String)>,
}

impl Teller {
    pub(super) fn new(design: &Design, asked: &[Arc<Entity>], table: &Table, index: Option<&Index>) -> Self {
        let is_asked = |entity: &Entity| asked.iter().any(|known| known.name == entity.name);
        let others = || design.entities_of(table).filter(|entity| !is_asked(entity));
        let certain = match asked {
            [only] => !others().any(|other| may_meet(only, other, index)),
            _ => false,
        };
        let met = |other: &&Arc<Entity>| asked.iter().any(|known| may_meet(known, other, index));
        let shape = |entity: &Arc<Entity>, asked: bool| Shape {
            entity: entity.clone(),
            asked,
            heads: heads(entity, index),
        };
        let shapes = asked.iter().map(|entity| shape(entity, true));
        Teller {
            asked: asked.to_vec(),
            certain,
            type_attribute: table.type_attribute.clone(),
            typed: carries(table, index, &table.type_attribute),
            shapes: shapes.chain(others().filter(met).map(|entity| shape(entity, false))).collect(),
        }
    }

    /// What an item is; `None` if it is nothing that was asked for.
    pub(super) fn tell(&self, item: ItemRef<'_>) -> Option<&Arc<Entity>> {
        if self.certain {
            return self.asked.first();
        }
        if let Some(ValueRef::S(name)) = item.get(&self.type_attribute) {
            return self.asked.iter().find(|entity| entity.type_name == name);
        }
        let fitting = self.shapes.iter().filter_map(|shape| Some((shape.fits(item)?, shape)));
        // Among equals the first wins: what was asked for.
        let best = fitting.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.filter(|(_, shape)| shape.asked).map(|(_, shape)| &shape.entity)
    }

    /// The attribute that must be read to tell.
    pub(super) fn attribute(&self) -> Option<&str> {
        (!self.certain && self.typed).then_some(self.type_attribute.as_str())
    }

    /// The types that a filter lets through, if one is needed: others could stand under the keys, and the store can
    /// leave them out itself.
    pub(super) fn filtered(&self) -> Option<impl Iterator<Item = AttributeValue>> {
        let others = self.shapes.iter().any(|shape| !shape.asked);
        (others && self.typed)
            .then(|| self.asked.iter().map(|entity| AttributeValue::from(entity.type_name.as_str())))
    }
}

impl Shape {
    /// How many bytes of the keys speak for this entity; `None` if they speak against it.
    fn fits(&self, item: ItemRef<'_>) -> Option<usize> {
        let mut bytes = 0;
        for (attribute, head) in &self.heads {
            match item.get(attribute) {
                Some(ValueRef::S(text)) if text.starts_with(head.as_str()) => bytes += head.len(),
                Some(ValueRef::S(_)) => return None,
                _ => {}
            }
        }
        Some(bytes)
    }
}

/// The beginnings of the table's key and of the index's.
fn heads(entity: &Entity, index: Option<&Index>) -> Vec<(String, String)> {
    let table = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let names = entity.table.key().map(|attribute| attribute.name.as_str());
    let entry = index.and_then(|index| entity.entry(&index.name));
    let entry = entry.into_iter().flat_map(|entry| entry.templates());
    let head = |(name, template): (&str, &Template)| (name.to_owned(), template.constant_head().to_owned());
    names.zip(table).chain(entry).map(head).filter(|(_, head)| !head.is_empty()).collect()
}

/// Whether an item of the other entity could stand among those of the first.
fn may_meet(entity: &Entity, other: &Entity, index: Option<&Index>) -> bool {
    match index {
        None => {
            let sorts = match (&entity.key.sort, &other.key.sort) {
                (Some(one), Some(two)) => may_begin_alike(one, two),
                _ => true,
            };
            sorts && may_begin_alike(&entity.key.partition, &other.key.partition)
        }
        Some(index) => match (entity.entry(&index.name), other.entry(&index.name)) {
            (Some(one), Some(two)) => {
                one.templates().zip(two.templates()).all(|((_, one), (_, two))| may_begin_alike(one, two))
            }
            // An entity without an entry is not in the index.
            _ => false,
        },
    }
}

/// Whether the keys of one template could be read with those of another: both are of one beginning.
fn may_begin_alike(one: &Template, two: &Template) -> bool {
    let (first, second) = (one.constant_head(), two.constant_head());
    match (is_constant(one), is_constant(two)) {
        (true, true) => first == second,
        (true, false) => first.starts_with(second),
        (false, true) => second.starts_with(first),
        (false, false) => first.starts_with(second) || second.starts_with(first),
    }
}

/// Whether it has no placeholder.
pub(super) fn is_constant(template: &Template) -> bool {
    template.parts.iter().all(|part| matches!(part, Part::Literal(_)))
}

/// The text that all sort keys of several entities begin with.
pub(super) fn common_head<'t>(templates: impl Iterator<Item = &'t Template>) -> String {
    let heads = templates.map(|template| template.constant_head());
    let shared = heads.reduce(|one, two| {
        let bytes = one.char_indices().zip(two.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
        one.get(..bytes.unwrap_or(one.len().min(two.len()))).unwrap_or_default()
    });
    shared.unwrap_or_default().to_owned()
}

/// The key attributes by which a query reads, with the templates of one entity: partition and sort.
pub(super) type KeyPart = Vec<(KeyAttribute, Template)>;

/// The templates of an entity for the key that is read.
pub(super) fn key_parts(entity: &Entity, index: Option<&Index>) -> (KeyPart, KeyPart) {
    let pair = |(attribute, template): (&KeyAttribute, &Template)| (attribute.clone(), template.clone());
    match index {
        None => {
            let table = &entity.table;
            let partition = vec![(table.partition.clone(), entity.key.partition.clone())];
            (partition, table.sort.iter().zip(&entity.key.sort).map(pair).collect())
        }
        Some(index) => match entity.entry(&index.name) {
            Some(entry) => (
                index.partition.iter().zip(&entry.partition).map(pair).collect(),
                index.sort.iter().zip(&entry.sort).map(pair).collect(),
            ),
            None => (Vec::new(), Vec::new()),
        },
    }
}
