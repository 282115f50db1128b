//! Tables and their indexes.

use std::sync::Arc;

use super::TableSettings;
use crate::report::Span;

/// A table of the design.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its label in the design: the word after `table.`, or the name of the design if there is only one table.
    pub label: String,
    /// Its name, which may contain `{environment}`.
    pub name: String,
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key.
    pub sort: Option<KeyAttribute>,
    /// The attribute that holds the type of an item.
    pub type_attribute: String,
    /// The attribute that holds the expiry time in epoch seconds.
    pub ttl: Option<String>,
    /// Its settings where the environment says nothing else.
    pub settings: TableSettings,
    /// The character between the parts of a key, which values can't contain.
    pub separator: char,
    /// Its indexes, in the order of the file.
    pub indexes: Vec<Arc<Index>>,
    /// Its position in the file.
    pub span: Span,
}

impl Table {
    /// Returns the name in an environment.
    pub fn name_in(&self, environment: &str) -> String {
        self.name.replace("{environment}", environment)
    }

    /// Returns the index of this name.
    pub fn index(&self, name: &str) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Returns the attributes of the table's key, partition key first.
    pub fn key(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }
}

/// An attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// The name of the attribute.
    pub name: String,
    /// Its type, which follows from the templates of the entities.
    pub kind: KeyKind,
}

/// The type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// A string.
    Text,
    /// A number.
    Number,
    /// Bytes.
    Binary,
}

/// An index of a table.
#[derive(Debug, Clone)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// The partition attributes: one, or up to four in a global index.
    pub partition: Vec<KeyAttribute>,
    /// The sort attributes: none, one, or up to four in a global index.
    pub sort: Vec<KeyAttribute>,
    /// The attributes that it contains.
    pub projection: Projection,
    /// Whether it is a local index, with the table's partition key.
    pub local: bool,
    /// Its position in the file.
    pub span: Span,
}

impl Index {
    /// Returns all attributes of its key, partition key first.
    pub fn key(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }
}

/// The attributes that an index contains besides the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// All attributes.
    All,
    /// None, so that only the keys can show the type of an item.
    Keys,
    /// These attributes.
    Include(Vec<String>),
}

impl Projection {
    /// Adds an attribute.
    pub fn include(&mut self, attribute: &str) {
        match self {
            Projection::All => {}
            Projection::Keys => *self = Projection::Include(vec![attribute.to_owned()]),
            Projection::Include(names) if names.iter().any(|name| name == attribute) => {}
            Projection::Include(names) => names.push(attribute.to_owned()),
        }
    }
}
