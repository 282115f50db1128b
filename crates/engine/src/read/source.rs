//! The table or index that a query or scan reads.

use std::sync::Arc;

use singlet_expr::Projection;
use singlet_values::{Item, ItemRef};

use super::Snapshot;
use crate::error::{Invalid, Result};
use crate::keyspace::{PARTS_AT, RowSpace};
use crate::request::{KeyDescription, Select};
use crate::table::{Index, IndexState, KeyAttribute, KeyProblem, KeyShape, Table};

/// The key of a table or of one of its indexes.
pub(crate) fn key_of(view: &Snapshot, table: &str, index: Option<&str>) -> Result<KeyDescription> {
    Source::find(view, table, index, false).map(Source::describe_key)
}

/// A table or one of its indexes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) table: &'a Arc<Table>,
    pub(super) index: Option<&'a Index>,
}

impl<'a> Source<'a> {
    /// Finds the source and checks that it can be read in this way.
    pub(super) fn find(
        view: &'a Snapshot,
        table: &str,
        index: Option<&str>,
        consistent: bool,
    ) -> Result<Source<'a>> {
        let table = view.catalogue().table(table)?;
        let Some(name) = index else { return Ok(Source { table, index: None }) };
        let index = table.index(name).ok_or_else(|| Invalid::NoSuchIndex(name.to_owned()))?;
        match index.state {
            IndexState::Active => {}
            IndexState::Creating { .. } => return Err(Invalid::IndexNotReady(name.to_owned()).into()),
            IndexState::Deleting => return Err(Invalid::NoSuchIndex(name.to_owned()).into()),
        }
        if consistent && !index.local {
            return Err(Invalid::ConsistentGlobalRead.into());
        }
        Ok(Source { table, index: Some(index) })
    }

    /// The names and kinds of the key's attributes.
    pub(super) fn describe_key(self) -> KeyDescription {
        let describe = |attributes: &[KeyAttribute]| {
            attributes.iter().map(|attribute| (attribute.name.clone(), attribute.scalar.kind())).collect()
        };
        let key = self.key();
        KeyDescription { partition: describe(&key.partition), sort: describe(&key.sort) }
    }

    /// The key by which the source is ordered.
    pub(super) fn key(self) -> &'a KeyShape {
        self.index.map_or(&self.table.key, |index| &index.key)
    }

    /// The space of its rows.
    pub(super) fn space(self) -> RowSpace {
        self.index.map_or_else(|| self.table.items(), |index| self.table.entries(index))
    }

    /// The row key of an item or of a start key.
    pub(super) fn row_key(self, item: ItemRef<'_>) -> Result<Vec<u8>, KeyProblem<'a>> {
        let own = self.table.key.row_key(self.table.items(), item)?;
        let Some(index) = self.index else { return Ok(own) };
        let mut row = index.key.row_key(self.space(), item)?;
        row.extend_from_slice(own.get(PARTS_AT..).unwrap_or_default());
        Ok(row)
    }

    /// The attributes that identify an item of this source: index key and table key.
    pub(super) fn cursor_names(self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.key().attributes().map(|attribute| attribute.name.as_str()).collect();
        for attribute in self.table.key.attributes() {
            if !names.contains(&attribute.name.as_str()) {
                names.push(&attribute.name);
            }
        }
        names
    }

    /// The cursor after an item.
    pub(super) fn cursor(self, item: ItemRef<'_>) -> Item {
        let value = |name: &str| item.get(name)?.to_value().ok();
        self.cursor_names().into_iter().filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
    }

    /// Whether the items must be fetched from the table because the index doesn't have all requested attributes.
    pub(super) fn needs_fetch(self, select: Option<Select>, projection: Option<&Projection>) -> Result<bool> {
        let Some(index) = self.index else {
            let projected = select == Some(Select::AllProjectedAttributes);
            return if projected { Err(Invalid::ProjectedWithoutIndex.into()) } else { Ok(false) };
        };
        if let Some(projection) = projection {
            let missing: Vec<&str> =
                projection.top_level_attributes().filter(|name| !index.projects(self.table, name)).collect();
            if missing.is_empty() || index.local {
                return Ok(!missing.is_empty());
            }
            let attributes = missing.join(", ");
            return Err(Invalid::NotProjected { index: index.name.clone(), attributes }.into());
        }
        let carries_all = index.projection == crate::request::ProjectedAttributes::All;
        match select {
            Some(Select::AllAttributes) if carries_all => Ok(false),
            Some(Select::AllAttributes) if index.local => Ok(true),
            Some(Select::AllAttributes) => Err(Invalid::AllAttributesOfIndex(index.name.clone()).into()),
            _ => Ok(false),
        }
    }
}
