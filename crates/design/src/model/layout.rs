//! The positions of a design's parts in its file, for findings of the review and their fixes.

use std::collections::BTreeMap;
use std::fmt;

use super::{Entity, Field, Index, Pattern, Table};
use crate::report::Span;

/// A named part of a design.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A table: its label.
    Table(String),
    /// An index: the label of its table, and its name.
    Index(String, String),
    /// An entity.
    Entity(String),
    /// A field: its entity, and its name.
    Field(String, String),
    /// A pattern.
    Pattern(String),
}

impl Subject {
    /// Returns the subject of a table.
    pub fn table(table: &Table) -> Subject {
        Subject::Table(table.label.clone())
    }

    /// Returns the subject of an index.
    pub fn index(table: &Table, index: &Index) -> Subject {
        Subject::Index(table.label.clone(), index.name.clone())
    }

    /// Returns the subject of an entity.
    pub fn entity(entity: &Entity) -> Subject {
        Subject::Entity(entity.name.clone())
    }

    /// Returns the subject of a field.
    pub fn field(entity: &Entity, field: &Field) -> Subject {
        Subject::Field(entity.name.clone(), field.name.clone())
    }

    /// Returns the subject of a pattern.
    pub fn pattern(pattern: &Pattern) -> Subject {
        Subject::Pattern(pattern.name.clone())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Table(name) => write!(f, "table {name}"),
            Subject::Index(_, name) => write!(f, "index {name}"),
            Subject::Entity(name) => write!(f, "{name}"),
            Subject::Field(entity, name) => write!(f, "{name} of {entity}"),
            Subject::Pattern(name) => write!(f, "pattern {name}"),
        }
    }
}

/// The positions of everything in a design.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The positions of each named part.
    pub places: BTreeMap<Subject, Places>,
    /// The findings of the review that the design allows, with the part that allows each.
    pub allowances: Vec<(Subject, Allowance)>,
}

/// The positions of a named part and of its keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Its name.
    pub name: Span,
    /// Its value; for a table with a header, the header.
    pub value: Span,
    /// Its keys with the positions of their values, in the order of the file.
    pub keys: Vec<(String, Span)>,
}

/// A finding of the review that the design allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The id of the rule.
    pub rule: String,
    /// Why the design allows it.
    pub reason: String,
    /// Its position.
    pub span: Span,
}
