//! Which items a new item refers to: some that are there, and that have room for it.

use std::collections::HashMap;

use singlet_engine::values::{AttributeValue, Item};

use super::dice::Dice;
use crate::json::Json;
use crate::model::{Cardinality, Design, Entity, Field, FieldType};

/// Places that are tried by chance before all are looked at in turn.
const GUESSES: usize = 8;
/// References in a list or set.
const REFERENCES_MAX: u64 = 3;

/// What was made so far, as far as later items refer to it.
#[derive(Debug)]
pub(super) struct Parents {
    entities: Vec<Kind>,
    /// Children of an item by a relation: (entity, relation, item).
    children: HashMap<(usize, usize, usize), u64>,
}

/// One entity.
#[derive(Debug)]
struct Kind {
    name: String,
    /// The fields that others hold or copy.
    shared: Vec<String>,
    /// The field that a reference holds, unless the referring field has the name of another one.
    identity: String,
    relations: Vec<Bound>,
    items: Vec<Known>,
}

/// A relation with a bound.
#[derive(Debug)]
struct Bound {
    entity: String,
    by: Option<String>,
    max: Option<u64>,
}

/// One item.
#[derive(Debug)]
struct Known {
    made_ms: u64,
    values: Vec<(String, AttributeValue)>,
}

/// The references of one new item.
#[derive(Debug, Default)]
pub(super) struct Family {
    /// Field and what it holds.
    pub(super) references: Vec<(String, Vec<AttributeValue>)>,
    /// Copies of what parents hold under the same name, or under the reference's name and theirs (`product_name`).
    pub(super) copies: Vec<(String, AttributeValue)>,
    /// When the youngest parent was made.
    pub(super) since_ms: u64,
    /// Places that are taken: (entity, relation, item).
    places: Vec<(usize, usize, usize)>,
}

impl Family {
    /// What a field holds because of a parent.
    pub(super) fn held(&self, field: &str) -> Option<&[AttributeValue]> {
        self.references.iter().find(|(name, _)| name == field).map(|(_, values)| values.as_slice())
    }

    /// A parent's value that the field repeats.
    pub(super) fn copied(&self, field: &str) -> Option<&AttributeValue> {
        self.copies.iter().find(|(name, _)| name == field).map(|(_, value)| value)
    }
}

impl Parents {
    pub(super) fn new(design: &Design) -> Self {
        let kind = |entity: &std::sync::Arc<Entity>| Kind {
            name: entity.name.clone(),
            shared: shared(design, entity),
            identity: identity(entity),
            relations: entity.relations.iter().map(Bound::new).collect(),
            items: Vec::new(),
        };
        Parents { entities: design.entities.iter().map(kind).collect(), children: HashMap::new() }
    }

    /// Chooses what a new item refers to; `None` if a field that must be there finds no parent with room.
    pub(super) fn choose(&self, dice: &mut Dice, position: usize, entity: &Entity) -> Option<Family> {
        let mut family = Family::default();
        for (field, target) in self.referring(entity) {
            if family.held(&field.name).is_some() {
                continue;
            }
            if let FieldType::List { max, .. } | FieldType::Set { max, .. } = &field.kind {
                let values = self.several(dice, target, field, max.unwrap_or(u32::MAX));
                family.references.push((field.name.clone(), values));
                continue;
            }
            if field.optional && !dice.chance(70) {
                continue;
            }
            match self.with_room(dice, target, entity, field, &family) {
                Some(item) => self.adopt(&mut family, target, item, entity, field),
                None if field.optional || target == position => {}
                None if self.entities.get(target).is_some_and(|kind| kind.items.is_empty()) => {}
                None => return None,
            }
        }
        Some(family)
    }

    /// A reference to any item of an entity, for fields inside objects.
    pub(super) fn some(&self, dice: &mut Dice, target: &str, field: &Field) -> Option<Json> {
        let kind = self.entities.iter().find(|kind| kind.name == target)?;
        match kind.value_for(dice.popular_place(kind.items.len()), field)? {
            AttributeValue::S(text) => Some(Json::from(text.as_str())),
            AttributeValue::N(number) => Some(Json::Number(*number)),
            _ => None,
        }
    }

    /// Remembers a new item.
    pub(super) fn add(&mut self, position: usize, family: &Family, item: &Item, made_ms: u64) {
        for place in &family.places {
            *self.children.entry(*place).or_default() += 1;
        }
        if let Some(kind) = self.entities.get_mut(position) {
            let value = |name: &String| Some((name.clone(), item.get(name)?.clone()));
            let values = kind.shared.iter().filter_map(value).collect();
            kind.items.push(Known { made_ms, values });
        }
    }

    /// The referring fields with the places of their entities; those come first that have parents themselves, because
    /// what they refer to decides the rest (a line of an order has the order's customer).
    fn referring<'e>(&self, entity: &'e Entity) -> Vec<(&'e Field, usize)> {
        let place = |field: &'e Field| {
            let name = field.refers_to.as_deref()?;
            Some((field, self.entities.iter().position(|kind| kind.name == name)?))
        };
        let mut fields: Vec<(&Field, usize)> = entity.fields.iter().filter_map(place).collect();
        let names: Vec<&str> = fields.iter().map(|(field, _)| field.name.as_str()).collect();
        let decides = |target: usize| {
            let shared = self.entities.get(target).map(|kind| kind.shared.as_slice()).unwrap_or_default();
            shared.iter().filter(|name| names.contains(&name.as_str())).count()
        };
        fields.sort_by_key(|(_, target)| std::cmp::Reverse(decides(*target)));
        fields
    }

    /// An item of the target that may have another child, and is not referred to by the new item already.
    fn with_room(
        &self,
        dice: &mut Dice,
        target: usize,
        entity: &Entity,
        field: &Field,
        family: &Family,
    ) -> Option<usize> {
        let kind = self.entities.get(target)?;
        let count = kind.items.len();
        let has_room = |item: usize| {
            let bounds = kind.bounds(&entity.name, &field.name);
            let room = bounds.into_iter().all(|(relation, max)| {
                self.children.get(&(target, relation, item)).copied().unwrap_or_default() < max
            });
            let value = kind.value_for(item, field);
            let repeated =
                family.references.iter().any(|(_, values)| value.is_some_and(|v| values.contains(v)));
            room && (!repeated || count == 1)
        };
        let guess =
            (0..GUESSES).map(|_| dice.popular_place(count)).find(|item| *item < count && has_room(*item));
        let start = dice.place(count);
        guess.or_else(|| (start..count).chain(0..start).find(|item| has_room(*item)))
    }

    /// Takes a reference and everything that follows from it.
    fn adopt(&self, family: &mut Family, target: usize, item: usize, entity: &Entity, field: &Field) {
        let Some(kind) = self.entities.get(target) else { return };
        let Some(known) = kind.items.get(item) else { return };
        let Some(value) = kind.value_for(item, field) else { return };
        family.references.push((field.name.clone(), vec![value.clone()]));
        family.since_ms = family.since_ms.max(known.made_ms);
        let places = kind.bounds(&entity.name, &field.name).into_iter();
        family.places.extend(places.map(|(relation, _)| (target, relation, item)));
        for (name, value) in &known.values {
            if family.held(name).is_none() && entity.field(name).is_some_and(|own| own.refers_to.is_some()) {
                family.references.push((name.clone(), vec![value.clone()]));
            }
            let copy = copy_name(field, name);
            if entity.field(&copy).is_some_and(|own| own.refers_to.is_none()) {
                family.copies.push((copy, value.clone()));
            }
        }
    }

    fn several(&self, dice: &mut Dice, target: usize, field: &Field, max: u32) -> Vec<AttributeValue> {
        let Some(kind) = self.entities.get(target) else { return Vec::new() };
        let wanted = dice.below(REFERENCES_MAX.min(u64::from(max)) + 1);
        let mut values: Vec<AttributeValue> = Vec::new();
        for _ in 0..wanted {
            let value = kind.value_for(dice.popular_place(kind.items.len()), field);
            values.extend(value.filter(|value| !values.contains(value)).cloned());
        }
        values
    }
}

impl Kind {
    /// The value that a field holds to refer to an item.
    fn value_for(&self, item: usize, field: &Field) -> Option<&AttributeValue> {
        let values = &self.items.get(item)?.values;
        let named = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        named(&field.name).or_else(|| named(&self.identity))
    }

    /// The bounded relations to children that refer by a field.
    fn bounds(&self, child: &str, field: &str) -> Vec<(usize, u64)> {
        let meant = |bound: &Bound| bound.entity == child && bound.by.as_deref().is_none_or(|by| by == field);
        let relations = self.relations.iter().enumerate().filter(|(_, bound)| meant(bound));
        relations.filter_map(|(relation, bound)| Some((relation, bound.max?))).collect()
    }
}

impl Bound {
    fn new(relation: &crate::model::Relation) -> Self {
        let max = match relation.cardinality {
            Cardinality::One => Some(1),
            Cardinality::Few { max } => Some(max),
            Cardinality::Many { max, .. } => max,
        };
        Bound { entity: relation.entity.clone(), by: relation.by.clone(), max }
    }
}

/// What an item of the entity is called by: the last id in its key, or the key's first field.
fn identity(entity: &Entity) -> String {
    let templates = || std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let fields = || templates().flat_map(|template| template.fields());
    let own = |name: &&str| {
        entity.field(name).is_some_and(|field| field.kind == FieldType::Id && field.refers_to.is_none())
    };
    fields().filter(own).last().or_else(|| fields().next()).unwrap_or_default().to_owned()
}

/// The fields of an entity that others may hold or copy.
fn shared(design: &Design, entity: &Entity) -> Vec<String> {
    let identity = identity(entity);
    let referring = || {
        let all =
            design.entities.iter().flat_map(|other| other.fields.iter().map(move |field| (other, field)));
        all.filter(|(_, field)| field.refers_to.as_deref() == Some(entity.name.as_str()))
    };
    let is_shared = |field: &Field| {
        let copied = referring().any(|(other, by)| other.field(&copy_name(by, &field.name)).is_some());
        field.name == identity || field.kind == FieldType::Id || copied
    };
    entity.fields.iter().filter(|field| is_shared(field)).map(|field| field.name.clone()).collect()
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
