//! The items of other entities that a query reads although it doesn't ask for them.

use std::sync::Arc;

use singlet_design::{
    AskedKey, Count, Entity, FieldType, Format, Index, KeyKind, Operation, Order, Part, Pattern, SortRange,
    Template,
};

use crate::pieces::{EntityKey, EntityKeys, Piece, is_numeric, numeric, overlap, pieces};

/// Sorts after every text with the same beginning. Keys never contain this noncharacter.
const LAST: char = '\u{10FFFF}';

/// A read of one partition: a query, or a get through an index.
#[derive(Debug)]
pub(super) struct PartitionRead<'a> {
    pub(super) entities: &'a [Arc<Entity>],
    pub(super) index: Option<&'a Index>,
    /// The key that is asked for; `None` for the entity's own.
    pub(super) asked: Option<&'a AskedKey>,
    pub(super) order: Order,
    matched: &'a [String],
    range: Option<&'a SortRange>,
    /// A get through an index. Its parameters give the first parts of the sort key.
    get: Option<&'a Pattern>,
}

/// The position of another entity's items, in the direction of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lies {
    /// After all items that are asked for.
    Behind,
    /// Before all items that are asked for.
    Ahead,
    /// Between items that are asked for.
    Among,
}

/// Another entity whose items are read.
#[derive(Debug)]
pub(super) struct Foreign<'a> {
    pub(super) entity: &'a Arc<Entity>,
    pub(super) lies: Lies,
}

/// The sort keys that are read.
enum Reach<'a> {
    /// All of the partition.
    Whole,
    /// Those with this beginning. The last piece may continue.
    Beginning(Vec<Piece<'a>>),
    /// Those between two texts.
    Between(String, String),
}

impl<'a> PartitionRead<'a> {
    /// The read of a pattern; `None` if it doesn't read a partition.
    pub(super) fn of(pattern: &'a Pattern) -> Option<Self> {
        match &pattern.operation {
            Operation::Query(query) | Operation::Count(Count { query, .. }) => Some(PartitionRead {
                entities: &query.entities,
                index: query.on.as_deref(),
                asked: query.key.as_ref(),
                order: query.order,
                matched: &query.matched,
                range: query.range.as_ref(),
                get: None,
            }),
            Operation::Get(get) | Operation::Exists(get) if get.on.is_some() => Some(PartitionRead {
                entities: std::slice::from_ref(&get.entity),
                index: get.on.as_deref(),
                asked: get.key.as_ref(),
                order: Order::Ascending,
                matched: &[],
                range: None,
                get: Some(pattern),
            }),
            _ => None,
        }
    }

    /// The entities whose items are read although they aren't asked for.
    pub(super) fn foreign(&self, keys: &EntityKeys<'a>) -> Vec<Foreign<'a>> {
        let Some(first) = self.entities.first() else { return Vec::new() };
        let Some((own, reach)) = self.own_partition(first).zip(self.reach(first)) else { return Vec::new() };
        let own: Vec<_> = own.iter().map(|template| (template, pieces(first, &template.parts))).collect();
        let partition: Vec<Vec<Piece<'_>>> = own.iter().map(|(_, pieces)| pieces.clone()).collect();
        let asked = |other: &Entity| self.entities.iter().any(|entity| entity.name == other.name);
        let others = keys.candidates(&first.table, self.index, &partition);
        let others = others.into_iter().filter(|other| !asked(other.entity));
        let read = others.filter(|other| self.in_partition(first, &own, other) && self.covers(&reach, other));
        read.map(|other| Foreign { entity: other.entity, lies: self.lies(other.entity) }).collect()
    }

    /// The partition templates that are asked for.
    fn own_partition(&self, first: &'a Entity) -> Option<&'a [Template]> {
        match self.asked {
            Some(asked) => Some(&asked.partition),
            None => self.templates(first).map(|(partition, _)| partition),
        }
    }

    /// The partition and sort templates of an entity for the key that is read.
    pub(super) fn templates<'e>(&self, entity: &'e Entity) -> Option<(&'e [Template], &'e [Template])> {
        match self.index {
            None => Some((std::slice::from_ref(&entity.key.partition), entity.key.sort.as_slice())),
            Some(index) => {
                let entry = entity.entry(&index.name)?;
                Some((&entry.partition, &entry.sort))
            }
        }
    }

    /// Whether items of another entity have the partition keys that are read.
    fn in_partition(
        &self,
        first: &Entity,
        own: &[(&Template, Vec<Piece<'_>>)],
        other: &EntityKey<'_>,
    ) -> bool {
        let Some((theirs, _)) = self.templates(other.entity) else { return false };
        own.len() == theirs.len()
            && own.iter().zip(&other.partition).all(|((_, own), theirs)| overlap(own, theirs))
            && own.iter().zip(theirs).all(|((own, _), theirs)| same_things(first, own, other.entity, theirs))
    }

    /// The sort keys that are read; `None` if no other entity can have them.
    fn reach(&self, first: &'a Entity) -> Option<Reach<'a>> {
        let (_, sort) = self.templates(first)?;
        let Some(own) = sort.first() else { return Some(Reach::Whole) };
        if self.kind() != Some(KeyKind::Text) {
            return Some(Reach::Whole);
        }
        if let Some(asked) = self.asked {
            return Some(asked.sort.first().map_or(Reach::Whole, |asked| beginning(first, &asked.parts)));
        }
        if self.entities.len() > 1 && self.matched.is_empty() && self.range.is_none() {
            return self.between_heads();
        }
        let mut matched = self.matched.iter().map(String::as_str).peekable();
        let unknown = own.parts.iter().position(|part| match part {
            Part::Literal(_) => false,
            Part::Field { path, .. } => {
                let given = self.get.is_some_and(|get| get.parameter(path).is_some());
                !given && matched.next_if_eq(&path.as_str()).is_none()
            }
            Part::Shard { .. } => true,
        });
        Some(beginning(first, own.parts.get(..unknown.unwrap_or(own.parts.len()))?))
    }

    /// From the lowest to the highest beginning of several entities.
    fn between_heads(&self) -> Option<Reach<'a>> {
        let templates = self.entities.iter().filter_map(|entity| self.templates(entity)?.1.first());
        let lowest = templates.clone().map(Template::constant_head).min()?;
        let highest = templates.map(|template| match template.fields().next() {
            None => template.constant_head().to_owned(),
            Some(_) => format!("{}{LAST}", template.constant_head()),
        });
        Some(Reach::Between(lowest.to_owned(), highest.max()?))
    }

    fn kind(&self) -> Option<KeyKind> {
        let table = || self.entities.first()?.table.sort.as_ref();
        let attribute = self.index.map_or_else(table, |index| index.sort.first());
        attribute.map(|attribute| attribute.kind)
    }

    fn covers(&self, reach: &Reach<'_>, other: &EntityKey<'_>) -> bool {
        let Some(theirs) = &other.sort else { return true };
        match reach {
            Reach::Whole => true,
            Reach::Beginning(own) => {
                let Some((last, whole)) = own.split_last() else { return true };
                theirs.len() >= own.len()
                    && whole.iter().zip(theirs).all(|(own, theirs)| own.meets(theirs))
                    && theirs.get(whole.len()).is_some_and(|piece| piece.begins_with(last))
            }
            Reach::Between(low, high) => {
                let sort = self.templates(other.entity).and_then(|(_, sort)| sort.first());
                let Some((lowest, highest)) = sort.map(|sort| bounds(other.entity, sort)) else {
                    return true;
                };
                lowest <= *high && highest >= *low
            }
        }
    }

    /// The position of another entity's items relative to those that are asked for.
    fn lies(&self, other: &'a Entity) -> Lies {
        let bounds_of = |entity: &'a Entity| Some(bounds(entity, self.templates(entity)?.1.first()?));
        let own = self.entities.iter().filter_map(|entity| bounds_of(entity));
        let own = own.reduce(|(low, high), (lower, higher)| (low.min(lower), high.max(higher)));
        let (Some((low, high)), Some((lowest, highest))) = (own, bounds_of(other)) else {
            return Lies::Among;
        };
        if self.kind() != Some(KeyKind::Text) {
            return Lies::Among;
        }
        match (lowest > high, highest < low, self.order) {
            (true, _, Order::Ascending) | (_, true, Order::Descending) => Lies::Behind,
            (true, _, Order::Descending) | (_, true, Order::Ascending) => Lies::Ahead,
            _ => Lies::Among,
        }
    }
}

fn beginning<'a>(entity: &'a Entity, parts: &[Part]) -> Reach<'a> {
    Reach::Beginning(pieces(entity, parts))
}

/// The lowest and the highest text of a template, judged by its first placeholder.
fn bounds(entity: &Entity, template: &Template) -> (String, String) {
    let head = template.constant_head();
    let first = template.parts.iter().find(|part| !matches!(part, Part::Literal(_)));
    let (low, high) = match first {
        None => return (head.to_owned(), head.to_owned()),
        Some(Part::Field { path, format }) if numeric(entity.field_at(path), *format) => ("-", "9"),
        Some(Part::Field { path, format }) => match entity.field_at(path) {
            Some(FieldType::Choice(choices)) if *format == Format::Plain => {
                let [low, high] = [choices.iter().min(), choices.iter().max()];
                (low.map_or("", String::as_str), high.map_or("", String::as_str))
            }
            _ => ("", ""),
        },
        Some(_) => ("0", "9"),
    };
    (format!("{head}{low}"), format!("{head}{high}{LAST}"))
}

/// Whether two partition templates that can make the same text mean the same by it. They do after a constant beginning.
/// Without one, they do if their first fields name the same thing.
fn same_things(one: &Entity, first: &Template, two: &Entity, second: &Template) -> bool {
    let heads = [first.constant_head(), second.constant_head()];
    if heads.iter().all(|head| !head.is_empty()) {
        return true;
    }
    match (first.parts.first(), second.parts.first()) {
        (Some(Part::Field { path, .. }), Some(Part::Field { path: other, .. })) => {
            path == other || named(one, path) == named(two, other)
        }
        (Some(Part::Shard { .. }), Some(Part::Shard { .. })) => true,
        // A constant that is one value of the other key's field.
        (Some(Part::Literal(text)), Some(Part::Field { path, .. })) => is_choice(two, path, text),
        (Some(Part::Field { path, .. }), Some(Part::Literal(text))) => is_choice(one, path, text),
        _ => false,
    }
}

fn is_choice(entity: &Entity, path: &str, text: &str) -> bool {
    matches!(entity.field_at(path), Some(FieldType::Choice(_))) || is_numeric(text)
}

/// The entity that a field's value names: the one that it refers to, or its own.
pub(super) fn named<'e>(entity: &'e Entity, field: &str) -> &'e str {
    entity.field(field).and_then(|field| field.refers_to.as_deref()).unwrap_or(&entity.name)
}
