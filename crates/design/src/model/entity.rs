//! Entities: the kinds of items in a table, and the templates of their keys.

use std::sync::Arc;

use singlet_values::AttributeValue;

use super::aggregate::Aggregate;
use super::copied::FieldCopy;
use super::extreme::Extreme;
use super::table::{Index, Table};
use crate::expression::{Composed, Name};
use crate::field::{Field, FieldType};
use crate::json::Json;
use crate::report::Span;
use crate::template::Template;
use crate::value::{instant_at, instant_ms};

/// A kind of item.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name in the design.
    pub name: String,
    /// Its purpose.
    pub about: Option<String>,
    /// The value of the type attribute of its items.
    pub type_name: String,
    /// Its table.
    pub table: Arc<Table>,
    /// The templates of the table's key.
    pub key: KeyTemplates,
    /// Its entries in indexes, in the order of the table's indexes.
    pub indexes: Vec<IndexEntry>,
    /// The fields, or groups of fields, whose values no two items share.
    pub unique: Vec<Unique>,
    /// When its items expire.
    pub ttl: Option<TimeToLive>,
    /// Whether its items exist exactly as long as others count for them.
    pub counted: bool,
    /// Its fields, in the order of the file.
    pub fields: Vec<Field>,
    /// Its computed fields, each with the value that follows from other fields.
    pub computed: Vec<(String, Composed)>,
    /// The rules of its fields that are derived from items of other entities.
    pub aggregates: Vec<Aggregate>,
    /// Its fields that repeat a field of another item.
    pub copies: Vec<FieldCopy>,
    /// Its fields that have the highest, the lowest or the latest value among items of other entities.
    pub extremes: Vec<Extreme>,
    /// Its relations to other entities.
    pub relations: Vec<Relation>,
    /// Its position in the file.
    pub span: Span,
}

impl Entity {
    /// Returns the field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the type at a path such as `address.city`.
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

    /// Returns the fields, or paths into objects, from which a computed field follows.
    pub fn sources(&self, field: &str) -> impl Iterator<Item = &str> {
        let computed = self.computed.iter().filter(move |(name, _)| name == field);
        computed.flat_map(|(_, value)| value.names()).filter_map(Name::field)
    }

    /// Returns the beginning of the period that a value stands for, if the table's key has only the period: the Monday of
    /// a time in `{at:week}`. `None` if the key has the whole value, or not at all.
    pub fn beginning(&self, field: &str, value: &AttributeValue) -> Option<AttributeValue> {
        let kind = &self.field(field)?.kind;
        let templates = std::iter::once(&self.key.partition).chain(&self.key.sort);
        let formats =
            templates.flat_map(|template| template.parts.iter().filter_map(|part| part.format_of(field)));
        // Each period contains whole ones of the formats after it; only weeks and months overlap.
        let finest = formats.max_by_key(|format| format.fineness())?;
        instant_at(kind, finest.beginning_ms(instant_ms(value)?)?)
    }

    /// Returns the entry in an index.
    pub fn entry(&self, index: &str) -> Option<&IndexEntry> {
        self.indexes.iter().find(|entry| entry.index.name == index)
    }
}

/// The templates of a table's key.
#[derive(Debug, Clone)]
pub struct KeyTemplates {
    /// The template of the partition key.
    pub partition: Template,
    /// The template of the sort key.
    pub sort: Option<Template>,
}

/// The entry of an entity in an index.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    /// The index.
    pub index: Arc<Index>,
    /// The templates of the partition attributes.
    pub partition: Vec<Template>,
    /// The templates of the sort attributes.
    pub sort: Vec<Template>,
    /// The conditions for an item to be in the index; all must be true.
    pub when: Vec<When>,
    /// Whether items without the optional fields of the key are meant to be missing from the index.
    pub sparse: bool,
    /// Its position in the file.
    pub span: Span,
}

impl IndexEntry {
    /// Returns the key attributes with their templates, partition key first.
    pub fn templates(&self) -> impl Iterator<Item = (&str, &Template)> {
        let names = self.index.key().map(|attribute| attribute.name.as_str());
        names.zip(self.partition.iter().chain(&self.sort))
    }
}

/// The condition that a field has one of these values.
#[derive(Debug, Clone, PartialEq)]
pub struct When {
    /// The field.
    pub field: String,
    /// The values.
    pub values: Vec<Json>,
}

/// Values whose combination no two items share.
#[derive(Debug, Clone, PartialEq)]
pub struct Unique {
    /// The fields that the values follow from, each once.
    pub fields: Vec<String>,
    /// The values: a field, or text with fields in braces.
    pub parts: Vec<UniquePart>,
    /// Its position in the file.
    pub span: Span,
}

/// One value of a unique combination.
#[derive(Debug, Clone, PartialEq)]
pub enum UniquePart {
    /// The value of a field.
    Field(String),
    /// Text with fields in braces: `{email:lower}`.
    Composed(Composed),
}

impl Unique {
    /// Returns the values as they are written in the design.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| match part {
            UniquePart::Field(field) => field.as_str(),
            UniquePart::Composed(composed) => composed.source.as_str(),
        })
    }
}

/// The time at which items expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeToLive {
    /// The seconds after the time in the field.
    pub after_seconds: u64,
    /// A field of type `time`, `date` or `epoch`.
    pub field: String,
}

/// A relation between an item of this entity and items of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// The other entity.
    pub entity: String,
    /// The field of the other entity that refers to this one.
    pub by: Option<String>,
    /// The number of items of the other entity.
    pub cardinality: Cardinality,
    /// Its position in the file.
    pub span: Span,
}

/// The number of items in a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// At most one.
    One,
    /// Any number up to the maximum.
    Many {
        /// The usual number, if known.
        usual: Option<u64>,
        /// The maximum, if there is one.
        max: Option<u64>,
    },
}
