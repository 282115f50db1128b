//! Which items a new item refers to: some that are there, and that have room for it.

use std::collections::HashMap;

use singlet_design::{Cardinality, Design, Entity, Field, FieldType, Json, Made};
use singlet_values::{AttributeValue, Item};

use super::dice::Dice;
use super::names::{Meaning, is_person, meaning, words_of};
use super::references::{identity, is_copy, owners, shared, text_of};
use super::story::{Story, Topic};
use crate::entropy::make;

/// Places that are tried by chance before all are looked at in turn.
const GUESSES: usize = 8;
/// References in a list or set.
const REFERENCES_MAX: u64 = 3;

/// The items so far, as far as later items refer to them.
#[derive(Debug)]
pub(super) struct Parents {
    entities: Vec<KnownEntity>,
    /// Children of an item by a relation: (entity, relation, item).
    children: HashMap<(usize, usize, usize), u64>,
    /// Children of all items by a relation.
    all_children: HashMap<(usize, usize), u64>,
    /// Where stories begin: another seed tells others first.
    first_story: u64,
    /// The topic of the design, for entities whose names don't tell theirs.
    topic: Option<Topic>,
    /// Values that are referred to before their item is made, where references run in a circle: (entity, field, value).
    promised: Vec<(usize, String, AttributeValue)>,
}

/// One entity.
#[derive(Debug)]
struct KnownEntity {
    name: String,
    /// The fields that others hold or copy.
    shared: Vec<String>,
    /// The field that a reference holds, unless the referring field has the name of another one.
    identity: String,
    relations: Vec<RelationBound>,
    items: Vec<KnownItem>,
    /// The references that say where an item belongs: (field, entity). A ticket belongs to its project; that somebody wrote
    /// it doesn't make it belong to them, unless its key says so.
    owners: Vec<(String, usize)>,
    /// The items by what they belong to.
    belonging: HashMap<Origin, Vec<usize>>,
    /// The items by the value that references hold.
    by_identity: HashMap<String, usize>,
    /// The topic of its items, if its name tells it.
    topic: Option<Topic>,
    /// Whether what refers to an item is about the same thing.
    tells: bool,
    is_referred_to: bool,
}

/// Something that an item belongs to, directly or through what it refers to: an entity, and the value that refers to it.
type Origin = (usize, String);

/// A relation with a bound.
#[derive(Debug)]
struct RelationBound {
    entity: String,
    by: Option<String>,
    max: Option<u64>,
    /// Whether parents without children look unfinished: an order has lines.
    is_few: bool,
}

/// One item.
#[derive(Debug)]
struct KnownItem {
    made_ms: u64,
    story: Story,
    values: Vec<(String, AttributeValue)>,
    origins: Vec<Origin>,
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
    /// The owners of the item, and through which entity. Other references must agree with them.
    origins: Vec<(Origin, usize)>,
    /// Values that the item must have, because others refer to it already.
    own: Vec<(String, AttributeValue)>,
    /// Values that items of other entities must have, because this one refers to them: (entity, field, value).
    promises: Vec<(usize, String, AttributeValue)>,
    /// Places that are taken: (entity, relation, item).
    places: Vec<(usize, usize, usize)>,
    /// The story of the parents.
    told: Option<Story>,
    /// The place among the siblings, from 1.
    pub(super) position: Option<u64>,
}

impl Family {
    /// Whether the item is about what a parent is about.
    pub(super) fn continues(&self) -> bool {
        self.told.is_some()
    }

    /// The values of a field that refer to parents.
    pub(super) fn held(&self, field: &str) -> Option<&[AttributeValue]> {
        self.references.iter().find(|(name, _)| name == field).map(|(_, values)| values.as_slice())
    }

    /// The value of a field by which another item refers to this one already.
    pub(super) fn promised(&self, field: &str) -> Option<&AttributeValue> {
        self.own.iter().find(|(name, _)| name == field).map(|(_, value)| value)
    }

    /// A parent's value that the field repeats.
    pub(super) fn copied(&self, field: &str) -> Option<&AttributeValue> {
        self.copies.iter().find(|(name, _)| name == field).map(|(_, value)| value)
    }
}

impl Parents {
    pub(super) fn new(design: &Design, seed: u64) -> Self {
        let kind = |entity: &std::sync::Arc<Entity>| KnownEntity {
            topic: Topic::of(&words_of(&entity.name)),
            tells: tells(entity),
            is_referred_to: design
                .entities
                .iter()
                .flat_map(|other| &other.fields)
                .any(|field| field.refers_to.as_deref() == Some(entity.name.as_str())),
            name: entity.name.clone(),
            shared: shared(design, entity),
            identity: identity(entity),
            relations: entity.relations.iter().map(RelationBound::new).collect(),
            items: Vec::new(),
            owners: owners(design, entity),
            belonging: HashMap::new(),
            by_identity: HashMap::new(),
        };
        let entities = design.entities.iter().map(kind).collect();
        let about = format!("{} {}", design.name, design.about.as_deref().unwrap_or_default());
        Parents {
            entities,
            children: HashMap::new(),
            all_children: HashMap::new(),
            promised: Vec::new(),
            first_story: seed.wrapping_sub(1).wrapping_mul(7) % 1000,
            topic: Topic::of(&words_of(&about)),
        }
    }

    /// Whether other items refer to those of an entity.
    pub(super) fn are_referred_to(&self, entity: &str) -> bool {
        self.entities.iter().any(|kind| kind.name == entity && kind.is_referred_to)
    }

    /// The story of a new item: that of its parents, or else the next one of its entity.
    pub(super) fn story(&self, position: usize, family: &Family) -> Story {
        let kind = self.entities.get(position);
        let number = self.first_story + kind.map_or(0, |kind| kind.items.len() as u64);
        let own = Story { topic: kind.and_then(|kind| kind.topic).or(self.topic), number };
        family.told.unwrap_or(own)
    }

    /// Chooses what a new item refers to; `None` if a field that must be there finds no parent with room.
    pub(super) fn choose(&self, dice: &mut Dice, position: usize, entity: &Entity) -> Option<Family> {
        let mut family = Family::default();
        let own = self.promised.iter().find(|(target, ..)| *target == position);
        family.own.extend(own.map(|(_, field, value)| (field.clone(), value.clone())));
        for (field, target) in self.referring(entity) {
            if family.held(&field.name).is_some() {
                continue;
            }
            if let FieldType::List { max, .. } | FieldType::Set { max, .. } = &field.kind {
                let values = self.several(dice, target, field, max.unwrap_or(u32::MAX), &family);
                family.references.push((field.name.clone(), values));
                continue;
            }
            if field.optional && !dice.chance(70) {
                continue;
            }
            match self.with_room(dice, target, entity, field, &family) {
                Some(item) => self.adopt(&mut family, target, item, entity, field),
                None if field.optional => {}
                None if target == position => self.refer_to_itself(dice, &mut family, entity, field),
                None if self.entities.get(target).is_some_and(|kind| kind.items.is_empty()) => {
                    self.promise(dice, &mut family, target, field);
                }
                None => return None,
            }
        }
        let siblings = family.places.iter().filter_map(|place| self.children.get(place)).min().copied();
        family.position = (!family.places.is_empty()).then(|| siblings.unwrap_or_default() + 1);
        Some(family)
    }

    /// The first item of an entity that can't be without a reference to its own kind refers to itself.
    fn refer_to_itself(&self, dice: &mut Dice, family: &mut Family, entity: &Entity, field: &Field) {
        let identity = identity(entity);
        if entity.field(&identity).is_some_and(|own| own.kind == FieldType::Id) && identity != field.name {
            let given = family.promised(&identity).cloned();
            let value = given.unwrap_or_else(|| make(Made::Uuid7, 0, &dice.entropy).into());
            family.own.retain(|(name, _)| *name != identity);
            family.own.push((identity, value.clone()));
            family.references.push((field.name.clone(), vec![value]));
        }
    }

    /// Refers to an item that is still to be made, where references run in a circle.
    fn promise(&self, dice: &mut Dice, family: &mut Family, target: usize, field: &Field) {
        let Some(kind) = self.entities.get(target) else { return };
        let waiting = self.promised.iter().find(|(known, ..)| *known == target);
        let value = match waiting {
            Some((_, _, value)) => value.clone(),
            None => make(Made::Uuid7, 0, &dice.entropy).into(),
        };
        if waiting.is_none() {
            family.promises.push((target, kind.identity.clone(), value.clone()));
        }
        family.references.push((field.name.clone(), vec![value]));
    }

    /// A reference to any item of an entity, for fields inside objects.
    pub(super) fn some(&self, dice: &mut Dice, target: &str, field: &Field, family: &Family) -> Option<Json> {
        let target = self.entities.iter().position(|kind| kind.name == target)?;
        let item = self.guess(dice, target, field, family, &|_| true)?;
        match self.entities.get(target)?.value_for(item, field)? {
            AttributeValue::S(text) => Some(Json::from(text.as_str())),
            AttributeValue::N(number) => Some(Json::Number(*number)),
            _ => None,
        }
    }

    /// Remembers a new item.
    pub(super) fn add(&mut self, position: usize, family: &Family, item: &Item, made_ms: u64, story: Story) {
        for (target, relation, parent) in &family.places {
            *self.children.entry((*target, *relation, *parent)).or_default() += 1;
            *self.all_children.entry((*target, *relation)).or_default() += 1;
        }
        self.promised.retain(|(target, ..)| *target != position);
        self.promised.extend(family.promises.iter().cloned());
        let origins = self.origins(position, family, item);
        if let Some(kind) = self.entities.get_mut(position) {
            let value = |name: &String| Some((name.clone(), item.get(name)?.clone()));
            let values = kind.shared.iter().filter_map(value).collect();
            let place = kind.items.len();
            for origin in &origins {
                kind.belonging.entry(origin.clone()).or_default().push(place);
            }
            if let Some(value) = item.get(&kind.identity) {
                kind.by_identity.insert(text_of(value), place);
            }
            kind.items.push(KnownItem { made_ms, story, values, origins });
        }
    }

    /// The owners of a new item: by its own references, and by the owners of these.
    fn origins(&self, position: usize, family: &Family, item: &Item) -> Vec<Origin> {
        let mut origins: Vec<Origin> = Vec::new();
        let owners = self.entities.get(position).map(|kind| kind.owners.as_slice()).unwrap_or_default();
        let own = owners.iter().filter_map(|(field, target)| Some((*target, text_of(item.get(field)?))));
        for origin in own.chain(family.origins.iter().map(|(origin, _)| origin.clone())) {
            if origins.iter().all(|(known, _)| *known != origin.0) {
                origins.push(origin);
            }
        }
        origins
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
        let has_room = |item: usize| {
            let bounds = kind.bounds(&entity.name, &field.name);
            let room = bounds.into_iter().all(|(relation, max)| {
                self.children.get(&(target, relation, item)).copied().unwrap_or_default() < max
            });
            let value = kind.value_for(item, field);
            let repeated =
                family.references.iter().any(|(_, values)| value.is_some_and(|v| values.contains(v)));
            room && (!repeated || kind.items.len() == 1)
        };
        // Parents that need children get one after the other, mostly.
        let needs = kind.relations_to(&entity.name, &field.name).find(|(_, bound)| bound.is_few);
        if let Some((relation, _)) = needs
            && family.origins.is_empty()
            && dice.chance(60)
        {
            let made = self.all_children.get(&(target, relation)).copied().unwrap_or_default();
            let next = usize::try_from(made).unwrap_or_default() % kind.items.len().max(1);
            if next < kind.items.len() && has_room(next) {
                return Some(next);
            }
        }
        self.guess(dice, target, field, family, &has_room)
    }

    /// An item of the target that agrees with what the new item refers to already.
    fn guess(
        &self,
        dice: &mut Dice,
        target: usize,
        field: &Field,
        family: &Family,
        fits: &dyn Fn(usize) -> bool,
    ) -> Option<usize> {
        let kind = self.entities.get(target)?;
        let demands: Vec<&Origin> = family
            .origins
            .iter()
            .filter(|((owner, _), through)| {
                *through != target
                    && (*owner == target || kind.owners.iter().any(|(_, known)| known == owner))
            })
            .map(|(origin, _)| origin)
            .collect();
        let agrees = |item: usize| {
            demands.iter().all(|(owner, value)| match *owner == target {
                true => kind.value_for(item, field).is_some_and(|own| text_of(own) == *value),
                false => kind.items.get(item).is_some_and(|known| {
                    known.origins.iter().all(|(known, other)| known != owner || other == value)
                }),
            })
        };
        // Only some can agree: they are looked up instead of guessed at.
        let some: Option<Vec<usize>> = demands.first().and_then(|origin| match origin.0 == target {
            true => kind.by_identity.get(&origin.1).map(|item| vec![*item]),
            false => kind.belonging.get(*origin).cloned(),
        });
        let count = some.as_ref().map_or(kind.items.len(), Vec::len);
        let item = |place: usize| match &some {
            Some(items) => items.get(place).copied(),
            None => (place < count).then_some(place),
        };
        let good = |place: usize| item(place).filter(|item| agrees(*item) && fits(*item));
        let guess = (0..GUESSES).find_map(|_| good(dice.popular_place(count)));
        let start = dice.place(count);
        guess.or_else(|| (start..count).chain(0..start).find_map(good))
    }

    /// Takes a reference and everything that follows from it.
    fn adopt(&self, family: &mut Family, target: usize, item: usize, entity: &Entity, field: &Field) {
        let Some(kind) = self.entities.get(target) else { return };
        let Some(known) = kind.items.get(item) else { return };
        let Some(value) = kind.value_for(item, field) else { return };
        family.references.push((field.name.clone(), vec![value.clone()]));
        family.since_ms = family.since_ms.max(known.made_ms);
        let relations = kind.relations_to(&entity.name, &field.name);
        family.places.extend(relations.map(|(relation, _)| (target, relation, item)));
        if kind.tells && family.told.is_none() {
            family.told = Some(known.story);
        }
        let through = |origin: &Origin| (origin.clone(), target);
        family.origins.extend(known.origins.iter().map(through));
        if let Some(owner) = self.owner(entity, field) {
            family.origins.push(((owner, text_of(value)), target));
        }
        for (name, value) in &known.values {
            let belongs = || kind.owners.iter().any(|(owner, _)| owner == name);
            let own = entity.field(name).is_some_and(|own| own.refers_to.is_some());
            if own && family.held(name).is_none() && belongs() {
                family.references.push((name.clone(), vec![value.clone()]));
            }
            let repeats =
                entity.field(name).is_some_and(|own| own.kind == FieldType::Id && own.refers_to.is_none());
            if repeats && *name != kind.identity && entity.field(name).is_some_and(|own| own.made.is_none()) {
                family.copies.push((name.clone(), value.clone()));
            }
            let copies = entity.fields.iter().filter(|own| own.refers_to.is_none());
            let copies = copies.filter(|own| is_copy(&own.name, field, name));
            family.copies.extend(copies.map(|own| (own.name.clone(), value.clone())));
        }
    }

    /// The entity that an item belongs to by this field, if it does.
    fn owner(&self, entity: &Entity, field: &Field) -> Option<usize> {
        let kind = self.entities.iter().find(|kind| kind.name == entity.name)?;
        kind.owners.iter().find(|(owner, _)| *owner == field.name).map(|(_, target)| *target)
    }

    fn several(
        &self,
        dice: &mut Dice,
        target: usize,
        field: &Field,
        max: u32,
        family: &Family,
    ) -> Vec<AttributeValue> {
        let Some(kind) = self.entities.get(target) else { return Vec::new() };
        let wanted = dice.below(REFERENCES_MAX.min(u64::from(max)) + 1);
        let mut values: Vec<AttributeValue> = Vec::new();
        for _ in 0..wanted {
            let item = self.guess(dice, target, field, family, &|_| true);
            let value = item.and_then(|item| kind.value_for(item, field));
            values.extend(value.filter(|value| !values.contains(value)).cloned());
        }
        values
    }
}

/// Whether items have a text that others speak about: a post has, an order hasn't.
fn tells(entity: &Entity) -> bool {
    let fields = entity.fields.iter().map(|field| field.name.as_str());
    let is_text = |field: &Field| matches!(field.kind, FieldType::Text { .. });
    let speaks = |field: &Field| {
        let meaning = meaning(&field.name, false);
        matches!(meaning, Meaning::Title | Meaning::ThingName | Meaning::Prose)
    };
    !is_person(&entity.name, fields) && entity.fields.iter().any(|field| is_text(field) && speaks(field))
}

impl KnownEntity {
    /// The value that a field holds to refer to an item.
    fn value_for(&self, item: usize, field: &Field) -> Option<&AttributeValue> {
        let values = &self.items.get(item)?.values;
        let named = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        named(&field.name).or_else(|| named(&self.identity))
    }

    /// The relations to children that refer by a field.
    fn relations_to<'k>(
        &'k self,
        child: &'k str,
        field: &'k str,
    ) -> impl Iterator<Item = (usize, &'k RelationBound)> {
        let meant = move |bound: &RelationBound| {
            bound.entity == child && bound.by.as_deref().is_none_or(|by| by == field)
        };
        self.relations.iter().enumerate().filter(move |(_, bound)| meant(bound))
    }

    /// Those with a bound.
    fn bounds(&self, child: &str, field: &str) -> Vec<(usize, u64)> {
        self.relations_to(child, field).filter_map(|(relation, bound)| Some((relation, bound.max?))).collect()
    }
}

impl RelationBound {
    fn new(relation: &singlet_design::Relation) -> Self {
        let max = match relation.cardinality {
            Cardinality::One => Some(1),
            Cardinality::Many { max, .. } => max,
        };
        let is_few = matches!(relation.cardinality, Cardinality::Many { usual: None, max: Some(_) });
        RelationBound { entity: relation.entity.clone(), by: relation.by.clone(), max, is_few }
    }
}
