//! Telling what an item of a query is: by its type attribute, or by the shape of its keys where an index doesn't
//! carry the type.

use std::sync::Arc;

use singlet_design::{Design, Entity, Index, KeyAttribute, Table, Template};
use singlet_values::{AttributeValue, ItemRef, ValueRef};

use crate::outcome::Shown;
use crate::read::project::carries;

/// Tells the entities of one query apart, and others from them.
#[derive(Debug, Clone)]
pub(in super::super) struct Teller {
    asked: Vec<Arc<Shown>>,
    /// Others may stand under the keys that are read.
    mixed: bool,
    type_attribute: String,
    /// Whether items carry the type where they are read.
    typed: bool,
    /// Everything that could stand under these keys, for items that don't carry their type.
    shapes: Vec<Shape>,
}

/// The constant beginnings of an entity's keys.
#[derive(Debug, Clone)]
struct Shape {
    /// How it is shown; `None` if it wasn't asked for.
    asked: Option<Arc<Shown>>,
    heads: Vec<(String, String)>,
}

impl Teller {
    pub(in super::super) fn new(
        design: &Design,
        entities: &[Arc<Entity>],
        (table, index): (&Table, Option<&Arc<Index>>),
        show: Option<&[String]>,
        mixed: bool,
    ) -> Self {
        let fields: Option<Arc<[String]>> = show.map(Into::into);
        let shown = |entity: &Arc<Entity>| {
            Arc::new(Shown {
                entity: entity.clone(),
                fields: fields.clone(),
                with_type: entities.len() > 1,
                index: index.cloned(),
            })
        };
        let asked: Vec<Arc<Shown>> = entities.iter().map(shown).collect();
        let index = index.map(Arc::as_ref);
        let is_asked = |entity: &Entity| entities.iter().any(|known| known.name == entity.name);
        let is_there = |entity: &Entity| index.is_none_or(|index| entity.entry(&index.name).is_some());
        let others = design.entities_of(table).filter(|entity| !is_asked(entity) && is_there(entity));
        let shapes = asked
            .iter()
            .map(|shown| Shape { asked: Some(shown.clone()), heads: heads(&shown.entity, index) });
        let others =
            others.filter(|_| mixed).map(|entity| Shape { asked: None, heads: heads(entity, index) });
        Teller {
            shapes: shapes.chain(others).collect(),
            asked,
            mixed,
            type_attribute: table.type_attribute.clone(),
            typed: carries(table, index, &table.type_attribute),
        }
    }

    /// How all items under the keys are shown, if they are of one entity.
    #[inline]
    pub(in super::super) fn only(&self) -> Option<&Arc<Shown>> {
        match self.asked.as_slice() {
            [only] if !self.mixed => Some(only),
            _ => None,
        }
    }

    /// How an item is shown, which says its entity; `None` if it isn't one of those that were requested.
    #[inline]
    pub(in super::super) fn tell(&self, item: ItemRef<'_>) -> Option<&Arc<Shown>> {
        if let Some(only) = self.only() {
            return Some(only);
        }
        if let Some(ValueRef::S(name)) = item.get(&self.type_attribute) {
            return self.asked.iter().find(|shown| shown.entity.type_name == name);
        }
        let fitting = self.shapes.iter().filter_map(|shape| Some((shape.fits(item)?, shape)));
        // Among equals the first wins: what was asked for.
        let best = fitting.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.and_then(|(_, shape)| shape.asked.as_ref())
    }

    /// The attribute that must be read to tell.
    pub(in super::super) fn attribute(&self) -> Option<&str> {
        let needed = self.mixed || self.asked.len() > 1;
        (needed && self.typed).then_some(self.type_attribute.as_str())
    }

    /// The types that a filter lets through, if one is needed: others could stand under the keys, and the store can
    /// leave them out itself.
    pub(in super::super) fn filtered(&self) -> Option<impl Iterator<Item = AttributeValue>> {
        (self.mixed && self.typed)
            .then(|| self.asked.iter().map(|shown| AttributeValue::from(shown.entity.type_name.as_str())))
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
