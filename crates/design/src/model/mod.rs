//! A design after it was read and resolved: every name is bound, every template parsed, every parameter known.
//!
//! Nothing here can be wrong in itself: [`crate::load`] makes it, and reports instead of making a broken one.

mod entity;
mod layout;
mod pattern;
mod table;

use std::sync::Arc;

pub(crate) use crate::field::{Field, FieldType, Made, ParameterType};
pub use entity::{Cardinality, Entity, IndexEntry, KeyTemplates, Relation, TimeToLive, Unique, When};
pub use layout::{Allowance, Layout, Places, Subject};
pub use pattern::{
    Argument, AskedKey, BatchGet, Binding, Change, Check, Delete, ElementChange, Get, Insert, Merge,
    Operation, Order, OrderWord, Parameter, Parts, Pattern, Query, Rate, ReadPart, Reference, Resolve, Scan,
    ShardRead, SortRange, Step, Transaction, Update, ValueSource,
};
pub use table::{Environment, Index, KeyAttribute, KeyKind, Projection, Removal, Table};

/// A whole design.
#[derive(Debug, Clone)]
pub struct Design {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
    /// The text that it was read from.
    pub source: String,
    /// The environments that it may be applied to, in the order of the file; empty if it names none.
    pub environments: Vec<Environment>,
    /// Its tables, in the order of the file.
    pub tables: Vec<Arc<Table>>,
    /// Its entities, in the order of the file.
    pub entities: Vec<Arc<Entity>>,
    /// Its patterns, in the order of the file.
    pub patterns: Vec<Arc<Pattern>>,
    /// Where all of it is written.
    pub layout: Layout,
}

impl Design {
    /// The entity of this name.
    pub fn entity(&self, name: &str) -> Option<&Arc<Entity>> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The pattern of this name.
    pub fn pattern(&self, name: &str) -> Option<&Arc<Pattern>> {
        self.patterns.iter().find(|pattern| pattern.name == name)
    }

    /// The patterns that run another one as a step or part.
    pub fn users_of<'a>(&'a self, pattern: &'a Pattern) -> impl Iterator<Item = &'a Arc<Pattern>> {
        self.patterns.iter().filter(|user| user.runs().iter().any(|run| run.name == pattern.name))
    }

    /// The patterns that a caller may run, in the order of the file.
    pub fn callable(&self) -> impl Iterator<Item = &Arc<Pattern>> {
        self.patterns.iter().filter(|pattern| !pattern.internal)
    }

    /// The entities that live in a table.
    pub fn entities_of<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = &'a Arc<Entity>> {
        self.entities.iter().filter(|entity| entity.table.label == table.label)
    }
}
