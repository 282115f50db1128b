//! What patterns read by key, as the rules look at it.

use std::sync::Arc;

use crate::model::{AskedKey, Design, Entity, Index, IndexEntry, Operation, Pattern};
use crate::template::{Part, Template};

/// A read by key: of the table, or of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'a> {
    pub(super) pattern: &'a Pattern,
    /// What is read; the first of several entities.
    pub(super) entity: &'a Arc<Entity>,
    pub(super) index: Option<&'a Arc<Index>>,
    /// The key that is asked for, if it isn't the entity's own.
    pub(super) asked: Option<&'a AskedKey>,
    /// What the caller is said to know.
    pub(super) by: Option<&'a [String]>,
    /// Leading parts of the sort key that are parameters.
    matched: &'a [String],
    /// One item is read by its whole key.
    one_item: bool,
}

/// Every read by key of a design.
pub(super) fn reads(design: &Design) -> impl Iterator<Item = Read<'_>> {
    design.patterns.iter().filter_map(|pattern| read(pattern))
}

/// What a pattern reads by key.
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
        Operation::Query(query) => Some(Read {
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
    /// How the entity is in the index that is read.
    pub(super) fn entry(&self) -> Option<&'a IndexEntry> {
        self.index.and_then(|index| self.entity.entry(&index.name))
    }

    /// `the table` or the index's name.
    pub(super) fn place_name(&self) -> &'a str {
        self.index.map_or("the table", |index| &index.name)
    }

    /// The partition templates that are asked for.
    pub(super) fn partition(&self) -> &'a [Template] {
        match (self.asked, self.entry()) {
            (Some(asked), _) => &asked.partition,
            (None, Some(entry)) => &entry.partition,
            (None, None) => std::slice::from_ref(&self.entity.key.partition),
        }
    }

    /// The entity's own sort templates in the place that is read.
    pub(super) fn own_sort(&self) -> &'a [Template] {
        self.entry().map_or(self.entity.key.sort.as_slice(), |entry| &entry.sort)
    }

    /// The fields that the caller must give.
    pub(super) fn given(&self) -> Vec<&'a str> {
        // A shard that nothing gives is read everywhere.
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
