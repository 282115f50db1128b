//! The reads by key of a design's patterns.

use std::sync::Arc;

use singlet_design::{
    AskedKey, Count, Design, Entity, FieldType, Index, IndexEntry, Operation, OrderWord, Part, Pattern,
    Template,
};

/// A read by key, of the table or of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'a> {
    pub(super) pattern: &'a Pattern,
    /// The entity that is read; the first if there are several.
    pub(super) entity: &'a Arc<Entity>,
    pub(super) index: Option<&'a Arc<Index>>,
    /// The key that is asked for; `None` for the entity's own.
    pub(super) asked: Option<&'a AskedKey>,
    /// The fields that the caller is declared to know.
    pub(super) by: Option<&'a [String]>,
    /// The leading fields of the sort key that are parameters.
    matched: &'a [String],
    /// Whether one item is read by its whole key.
    one_item: bool,
}

/// Every read by key of a design.
pub(super) fn reads(design: &Design) -> impl Iterator<Item = Read<'_>> {
    design.patterns.iter().filter_map(|pattern| read(pattern))
}

/// The read by key of a pattern, if it is one.
pub(super) fn read(pattern: &Pattern) -> Option<Read<'_>> {
    match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => Some(Read {
            pattern,
            entity: &get.entity,
            index: get.on.as_ref(),
            asked: get.key.as_ref(),
            by: get.by.as_deref(),
            matched: &[],
            one_item: get.on.is_none(),
        }),
        Operation::BatchGet(batch) => Some(Read {
            pattern,
            entity: &batch.entity,
            index: None,
            asked: None,
            by: batch.by.as_deref(),
            matched: &[],
            one_item: true,
        }),
        Operation::Query(query) | Operation::Count(Count { query, .. }) => Some(Read {
            pattern,
            entity: query.entities.first()?,
            index: query.on.as_ref(),
            asked: query.key.as_ref(),
            by: query.by.as_deref(),
            matched: &query.matched,
            one_item: false,
        }),
        _ => None,
    }
}

impl<'a> Read<'a> {
    /// The entity's entry in the index that is read.
    pub(super) fn entry(&self) -> Option<&'a IndexEntry> {
        self.index.and_then(|index| self.entity.entry(&index.name))
    }

    /// The order that a list asks for.
    pub(super) fn order(&self) -> Option<OrderWord> {
        match &self.pattern.operation {
            Operation::Query(query) => query.order_word,
            _ => None,
        }
    }

    /// "the table", or the index's name in backticks.
    pub(super) fn table_or_index(&self) -> String {
        self.index.map_or_else(|| "the table".to_owned(), |index| format!("`{}`", index.name))
    }

    /// The partition templates that are asked for.
    pub(super) fn partition(&self) -> &'a [Template] {
        match (self.asked, self.entry()) {
            (Some(asked), _) => &asked.partition,
            (None, Some(entry)) => &entry.partition,
            (None, None) => std::slice::from_ref(&self.entity.key.partition),
        }
    }

    /// The entity's own partition templates in the table or index that is read.
    pub(super) fn own_partition(&self) -> &'a [Template] {
        let own = std::slice::from_ref(&self.entity.key.partition);
        self.entry().map_or(own, |entry| &entry.partition)
    }

    /// Whether items of the entity can have the partition key that is asked for: it is their own, one shard of it, or
    /// one value of a field in it.
    pub(super) fn reaches_partition(&self) -> bool {
        let (asked, own) = (self.partition(), self.own_partition());
        asked.len() == own.len() && asked.iter().zip(own).all(|(asked, own)| self.meets(asked, own, true))
    }

    /// Whether items of the entity can have the whole key that is asked for.
    pub(super) fn reaches(&self) -> bool {
        let sorts = self.asked.into_iter().flat_map(|asked| &asked.sort).zip(self.own_sort());
        self.reaches_partition() && sorts.into_iter().all(|(asked, own)| self.meets(asked, own, false))
    }

    /// Whether the entity's own template can make the key that is asked for, or one that begins with it.
    fn meets(&self, asked: &Template, own: &Template, whole: bool) -> bool {
        let mut asked_parts = PartCursor::of(asked);
        let mut own_parts = PartCursor::of(own);
        loop {
            let (asked, own) = match (asked_parts.next(), own_parts.next()) {
                (None, None) => return true,
                (None, Some(_)) => return !whole,
                (Some(_), None) => return false,
                (Some(asked), Some(own)) => (asked, own),
            };
            match (asked, own) {
                (KeyText::Constant(asked), KeyText::Constant(own)) => {
                    if let Some(rest) = asked.strip_prefix(own) {
                        asked_parts.put_back(rest);
                    } else if let Some(rest) = own.strip_prefix(asked) {
                        own_parts.put_back(rest);
                    } else {
                        return false;
                    }
                }
                (KeyText::Constant(asked), KeyText::Placeholder(own)) => {
                    let end = asked.find(self.entity.table.separator).unwrap_or(asked.len());
                    let (value, rest) = asked.split_at(end);
                    if !self.takes(own, value) {
                        return false;
                    }
                    asked_parts.put_back(rest);
                }
                (KeyText::Placeholder(_), KeyText::Constant(_)) => return false,
                (KeyText::Placeholder(asked), KeyText::Placeholder(own)) => {
                    // A field where the entity has a shard is the number of one shard.
                    let one_shard = matches!((asked, own), (Part::Field { .. }, Part::Shard { .. }));
                    if asked != own && !one_shard {
                        return false;
                    }
                }
            }
        }
    }

    /// Whether a placeholder can have a text as its value.
    fn takes(&self, placeholder: &Part, text: &str) -> bool {
        match placeholder {
            Part::Shard { count, .. } => text.parse::<u32>().is_ok_and(|number| number < *count),
            Part::Field { path, .. } => match self.entity.field_at(path) {
                Some(FieldType::Choice(choices)) => choices.iter().any(|choice| choice == text),
                _ => !text.is_empty(),
            },
            Part::Literal(literal) => literal == text,
        }
    }

    /// The entity's own sort templates in the table or index that is read.
    pub(super) fn own_sort(&self) -> &'a [Template] {
        self.entry().map_or(self.entity.key.sort.as_slice(), |entry| &entry.sort)
    }

    /// The fields that the caller must give.
    pub(super) fn given(&self) -> Vec<&'a str> {
        // The caller doesn't give a shard: all of them are read.
        let plain = |part: &'a Part| match part {
            Part::Field { path, .. } => Some(path.as_str()),
            _ => None,
        };
        let mut given: Vec<&str> =
            self.partition().iter().flat_map(|template| &template.parts).filter_map(plain).collect();
        match self.asked {
            Some(asked) => given.extend(asked.sort.iter().flat_map(Template::fields)),
            None if self.one_item => given.extend(self.own_sort().iter().flat_map(Template::fields)),
            None => given.extend(self.matched.iter().map(String::as_str)),
        }
        let mut once: Vec<&str> = Vec::new();
        for field in given {
            if !once.contains(&field) {
                once.push(field);
            }
        }
        once
    }
}

/// A constant text of a template, or a placeholder.
enum KeyText<'a> {
    Constant(&'a str),
    Placeholder(&'a Part),
}

/// Goes through a template from left to right. The rest of a constant text can be put back.
struct PartCursor<'a> {
    rest: &'a str,
    parts: std::slice::Iter<'a, Part>,
}

impl<'a> PartCursor<'a> {
    fn of(template: &'a Template) -> Self {
        PartCursor { rest: "", parts: template.parts.iter() }
    }

    fn put_back(&mut self, rest: &'a str) {
        self.rest = rest;
    }

    fn next(&mut self) -> Option<KeyText<'a>> {
        if !self.rest.is_empty() {
            return Some(KeyText::Constant(std::mem::take(&mut self.rest)));
        }
        self.parts.next().map(|part| match part {
            Part::Literal(text) => KeyText::Constant(text),
            other => KeyText::Placeholder(other),
        })
    }
}
