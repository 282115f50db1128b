//! Entities: the kinds of items that a table holds, and the keys that their fields make.

use std::sync::Arc;

use super::table::{Index, Table};
use crate::field::{Field, FieldType};
use crate::json::Json;
use crate::report::Span;
use crate::template::Template;

/// A kind of item.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name in the design.
    pub name: String,
    /// What it is.
    pub about: Option<String>,
    /// What the type attribute of its items holds.
    pub type_name: String,
    /// The table that holds it.
    pub table: Arc<Table>,
    /// The table's key.
    pub key: KeyTemplates,
    /// The indexes it can be in, in the order of the table's indexes.
    pub indexes: Vec<IndexEntry>,
    /// Fields, or groups of fields, that no two items share.
    pub unique: Vec<Unique>,
    /// When its items expire.
    pub ttl: Option<TimeToLive>,
    /// Its fields, in the order of the file.
    pub fields: Vec<Field>,
    /// How it relates to others.
    pub relations: Vec<Relation>,
    /// Where it stands in the file.
    pub span: Span,
}

impl Entity {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The type that a path such as `address.city` leads to.
    pub fn field_at(&self, path: &str) -> Option<&FieldType> {
        let mut names = path.split('.');
        let mut kind = &self.field(names.next()?)?.kind;
        for name in names {
            kind = match kind {
                FieldType::Object(fields) => &fields.iter().find(|field| field.name == name)?.kind,
                FieldType::Map { of, .. } => of,
                _ => return None,
            };
        }
        Some(kind)
    }

    /// The entry in an index.
    pub fn entry(&self, index: &str) -> Option<&IndexEntry> {
        self.indexes.iter().find(|entry| entry.index.name == index)
    }
}

/// The templates of a table's key.
#[derive(Debug, Clone)]
pub struct KeyTemplates {
    /// Of the partition key.
    pub partition: Template,
    /// Of the sort key.
    pub sort: Option<Template>,
}

/// How an entity is in an index.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    /// The index.
    pub index: Arc<Index>,
    /// One for each partition attribute.
    pub partition: Vec<Template>,
    /// One for each sort attribute.
    pub sort: Vec<Template>,
    /// It is in the index only while all of these hold.
    pub when: Vec<When>,
    /// It is meant that items without the optional fields of its key are not in the index.
    pub sparse: bool,
    /// Where it stands in the file.
    pub span: Span,
}

impl IndexEntry {
    /// Key attributes with their templates, partition first.
    pub fn templates(&self) -> impl Iterator<Item = (&str, &Template)> {
        let names = self.index.key().map(|attribute| attribute.name.as_str());
        names.zip(self.partition.iter().chain(&self.sort))
    }
}

/// A field that has one of these values.
#[derive(Debug, Clone, PartialEq)]
pub struct When {
    /// The field.
    pub field: String,
    /// The values that let the item in, as JSON.
    pub values: Vec<Json>,
}

/// Fields whose values together belong to one item only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unique {
    /// The fields.
    pub fields: Vec<String>,
    /// Where it stands in the file.
    pub span: Span,
}

/// When items expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeToLive {
    /// Seconds after the field's time.
    pub after_seconds: u64,
    /// A field of type time, date or epoch.
    pub field: String,
}

/// How items of one entity belong to an item of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// The other entity.
    pub entity: String,
    /// The field of the other entity that names this one.
    pub by: Option<String>,
    /// How many there are for one of this entity.
    pub cardinality: Cardinality,
    /// Where it stands in the file.
    pub span: Span,
}

/// How many items a relation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// At most one.
    One,
    /// A bounded number.
    Few {
        /// Most.
        max: u64,
    },
    /// Any number.
    Many {
        /// How many there usually are, if known.
        usual: Option<u64>,
        /// Most, if known.
        max: Option<u64>,
    },
}
