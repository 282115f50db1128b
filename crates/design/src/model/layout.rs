//! Where the parts of a design stand in its file, for findings and their fixes.

use std::collections::BTreeMap;
use std::fmt;

use super::{Entity, Field, Index, Pattern, Table};
use crate::report::Span;

/// Something that has a name in a design.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A table, by its label.
    Table(String),
    /// An index: table and name.
    Index(String, String),
    /// An entity.
    Entity(String),
    /// A field: entity and name.
    Field(String, String),
    /// A pattern.
    Pattern(String),
}

impl Subject {
    /// A table.
    pub fn table(table: &Table) -> Subject {
        Subject::Table(table.label.clone())
    }

    /// An index.
    pub fn index(table: &Table, index: &Index) -> Subject {
        Subject::Index(table.label.clone(), index.name.clone())
    }

    /// An entity.
    pub fn entity(entity: &Entity) -> Subject {
        Subject::Entity(entity.name.clone())
    }

    /// A field of an entity.
    pub fn field(entity: &Entity, field: &Field) -> Subject {
        Subject::Field(entity.name.clone(), field.name.clone())
    }

    /// A pattern.
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

/// Where everything of a design is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The place of everything that has a name.
    pub places: BTreeMap<Subject, Places>,
    /// The findings of the review that the design allows, and where.
    pub allowances: Vec<(Subject, Allowance)>,
}

/// Where a construct and the keys in it stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Its name.
    pub name: Span,
    /// What it is: of a table with a header, the header.
    pub value: Span,
    /// Its keys with the places of their values, in the order of the file.
    pub keys: Vec<(String, Span)>,
}

/// A finding of the review that the design allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The rule's id.
    pub rule: String,
    /// Why it is fine here.
    pub reason: String,
    /// Where it is said.
    pub span: Span,
}
