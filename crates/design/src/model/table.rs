//! Tables, indexes and environments.

use std::sync::Arc;

use singlet_values::Schedule;

use crate::report::Span;

/// A table of the design.
#[derive(Debug, Clone)]
pub struct Table {
    /// How the design calls it: the word after `table.`, or the design's name if there is only one.
    pub label: String,
    /// Its name, `{environment}` not yet filled in.
    pub name: String,
    /// Partition key.
    pub partition: KeyAttribute,
    /// Sort key.
    pub sort: Option<KeyAttribute>,
    /// The attribute that carries the entity's type.
    pub type_attribute: String,
    /// The attribute with the epoch second after which an item is gone.
    pub ttl: Option<String>,
    /// Whether the table has a change stream.
    pub stream: bool,
    /// For how many days it can be had back as it was at any moment.
    pub recovery_days: Option<u32>,
    /// When backups are taken by themselves, and how long they are kept.
    pub backup: Option<Schedule>,
    /// What stands between the parts of a key; no part may contain it.
    pub separator: char,
    /// Its indexes, in the order of the file.
    pub indexes: Vec<Arc<Index>>,
    /// Where it stands in the file.
    pub span: Span,
}

impl Table {
    /// The name in an environment.
    pub fn name_in(&self, environment: &str) -> String {
        self.name.replace("{environment}", environment)
    }

    /// The index of this name.
    pub fn index(&self, name: &str) -> Option<&Arc<Index>> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The attributes of the table's key, partition first.
    pub fn key(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Attribute name.
    pub name: String,
    /// Its type, as the entities' templates give it.
    pub kind: KeyKind,
}

/// The type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Text.
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
    /// Partition attributes: one, or up to four in a global index.
    pub partition: Vec<KeyAttribute>,
    /// Sort attributes: none, one, or up to four in a global index.
    pub sort: Vec<KeyAttribute>,
    /// What its entries carry.
    pub projection: Projection,
    /// A local index shares the table's partition key.
    pub local: bool,
    /// Where it stands in the file.
    pub span: Span,
}

impl Index {
    /// All attributes of its key, partition first.
    pub fn key(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }
}

/// What the entries of an index carry besides the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// Everything.
    All,
    /// Nothing but the keys (and nothing that tells the type, unless a key does).
    Keys,
    /// These attributes.
    Include(Vec<String>),
}

impl Projection {
    /// Carries one more attribute.
    pub fn include(&mut self, attribute: &str) {
        match self {
            Projection::All => {}
            Projection::Keys => *self = Projection::Include(vec![attribute.to_owned()]),
            Projection::Include(names) if names.iter().any(|name| name == attribute) => {}
            Projection::Include(names) => names.push(attribute.to_owned()),
        }
    }
}

/// A place that a design is applied to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Its name, which stands for `{environment}`.
    pub name: String,
    /// What happens to the tables when the design is taken away.
    pub removal: Removal,
    /// Used when the caller names none.
    pub default: bool,
}

impl Environment {
    /// The environment of a design that names none.
    pub const DEFAULT_NAME: &str = "dev";
}

/// What happens to a table when the design is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// It stays, protected from deletion.
    Keep,
    /// It is deleted with its data.
    Delete,
}

impl Removal {
    /// The policy of an environment that has none of its own: `dev` is for trying things out, others may be in use.
    pub fn default_of(environment: &str) -> Removal {
        if environment == Environment::DEFAULT_NAME { Removal::Delete } else { Removal::Keep }
    }
}
