//! The key templates of a design, each with its use and its position in the file.

use std::sync::Arc;

use singlet_design::{Entity, Index, Span, Subject, Template};

use crate::context::Context;
use crate::partition::find;

/// The part of a key that a template makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Partition,
    Sort,
}

/// One template of an entity's key in its table or in an index.
#[derive(Debug)]
pub(super) struct Key<'a> {
    pub(super) entity: &'a Arc<Entity>,
    /// The index; `None` for the table's own key.
    pub(super) index: Option<&'a Arc<Index>>,
    /// The attribute that gets the value.
    pub(super) attribute: &'a str,
    pub(super) role: Role,
    pub(super) template: &'a Template,
    /// Its position in the file.
    pub(super) span: Span,
}

impl Key<'_> {
    /// "the table", or the index's name in backticks.
    pub(super) fn table_or_index(&self) -> String {
        self.index.map_or_else(|| "the table".to_owned(), |index| format!("`{}`", index.name))
    }

    /// The constant beginnings of the partition keys. Keys with other beginnings are never in the same collection.
    pub(super) fn collection(&self) -> Vec<&str> {
        let entry = self.index.and_then(|index| self.entity.entry(&index.name));
        let own = std::slice::from_ref(&self.entity.key.partition);
        let partition = entry.map_or(own, |entry| &entry.partition);
        partition.iter().map(|template| template.constant_head()).collect()
    }

    pub(super) fn subjects(&self) -> Vec<Subject> {
        let on = match self.index {
            Some(index) => Subject::index(&self.entity.table, index),
            None => Subject::table(&self.entity.table),
        };
        vec![Subject::entity(self.entity), on]
    }
}

/// Every key template of the design, in the order of the file.
pub(super) fn keys<'a>(context: &'a Context<'_>) -> impl Iterator<Item = Key<'a>> {
    context.design.entities.iter().flat_map(move |entity| keys_of(context, entity))
}

/// The key templates of one entity, in the order of the file.
pub(super) fn keys_of<'a>(
    context: &'a Context<'_>,
    entity: &'a Arc<Entity>,
) -> impl Iterator<Item = Key<'a>> {
    table_keys(context, entity).chain(index_keys(context, entity))
}

fn table_keys<'a>(context: &'a Context<'_>, entity: &'a Arc<Entity>) -> impl Iterator<Item = Key<'a>> {
    let table = &entity.table;
    let written = context.span(&Subject::entity(entity), "key");
    let partition = (Role::Partition, table.partition.name.as_str(), &entity.key.partition);
    let sort = table.sort.as_ref().zip(entity.key.sort.as_ref());
    let sort = sort.map(|(attribute, template)| (Role::Sort, attribute.name.as_str(), template));
    std::iter::once(partition).chain(sort).map(move |(role, attribute, template)| Key {
        entity,
        index: None,
        attribute,
        role,
        template,
        span: find(context, written, &template.source).unwrap_or(written),
    })
}

fn index_keys<'a>(context: &'a Context<'_>, entity: &'a Arc<Entity>) -> impl Iterator<Item = Key<'a>> {
    entity.indexes.iter().flat_map(move |entry| {
        let partitions = entry.partition.len();
        let written = context.span(&Subject::entity(entity), &entry.index.name);
        entry.templates().enumerate().map(move |(position, (attribute, template))| Key {
            entity,
            index: Some(&entry.index),
            attribute,
            role: if position < partitions { Role::Partition } else { Role::Sort },
            template,
            span: find(context, written, &template.source).unwrap_or(written),
        })
    })
}
