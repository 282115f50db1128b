//! The model of a design: every name is bound, every template parsed, every parameter known.
//!
//! [`crate::load`] builds it, and returns a report instead if the design has mistakes.

mod aggregate;
mod caller;
mod capacity;
mod chooser;
mod copied;
mod derivation;
mod entity;
mod extreme;
mod fan;
mod layout;
mod outlet;
mod pattern;
mod requests;
mod route;
mod settings;
mod table;

use std::sync::Arc;

pub(crate) use crate::field::{Field, FieldType, Made, ParameterType};
pub use aggregate::{Aggregate, AggregateKind, AggregateSource, SUMS_ATTRIBUTE};
pub use caller::{CallerRelation, Callers, Who};
pub use capacity::{Capacity, CapacityRange, CapacityUnits};
pub use chooser::Chooser;
pub(crate) use chooser::NoChooser;
pub use copied::{FieldCopy, Referral};
pub use derivation::{Cascade, Child, ConditionalSet, Derivation, DerivationKind, Maker};
pub use entity::{
    Cardinality, Entity, IndexEntry, KeyTemplates, Relation, TimeToLive, Unique, UniquePart, When,
};
pub use extreme::{Extreme, ExtremeKind, ExtremeSource};
pub use fan::{FAN_BACKFILL_DEFAULT, FAN_BACKFILL_MAX, FAN_MAX_LIMIT, FAN_MERGED_MAX, Fan};
pub(crate) use fan::{of_match, plain_path};
pub use layout::{Allowance, Layout, Places, Subject};
pub use outlet::{Archive, Event, Trigger};
pub use pattern::{
    Argument, AskedKey, BatchGet, Binding, Buckets, Change, Check, Count, Delete, Each, EachList,
    ElementChange, Gather, Get, Insert, ListSource, ListWalk, Merge, Operation, Order, OrderWord, Parameter,
    Parts, Pattern, Query, Rate, ReadPart, Reference, Resolve, Scan, ShardRead, SortRange, Step, Transaction,
    Update, ValueSource,
};
pub use requests::WriteRequests;
pub(crate) use route::{DESIGN_NAMES_RESERVED, PATHS_RESERVED};
pub use route::{PathSegment, Route, Verb};
pub use settings::{Environment, Removal, Setting, TableSettings};
pub use table::{Index, KeyAttribute, KeyKind, Projection, Table};

/// A whole design.
#[derive(Debug, Clone)]
pub struct Design {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub about: Option<String>,
    /// The text of its file.
    pub source: String,
    /// Its environments, in the order of the file; empty if it defines none.
    pub environments: Vec<Environment>,
    /// Its tables, in the order of the file.
    pub tables: Vec<Arc<Table>>,
    /// Its entities, in the order of the file.
    pub entities: Vec<Arc<Entity>>,
    /// Its derivations that stand on their own, in the order of the file.
    pub derivations: Vec<Arc<Derivation>>,
    /// Its patterns, in the order of the file.
    pub patterns: Vec<Arc<Pattern>>,
    /// The callers of the API, if the design names them.
    pub callers: Option<Callers>,
    /// The places of the patterns that callers can run, in the order of the file.
    pub routes: Vec<Route>,
    /// For each entity, in their order: its references whose items must exist when it is written.
    pub references: Vec<Vec<Reference>>,
    /// The positions of everything in the file.
    pub layout: Layout,
}

impl Design {
    /// Returns the references of an entity whose items must exist when it is written.
    pub fn checked_references(&self, entity: &Entity) -> &[Reference] {
        let position = self.entities.iter().position(|known| known.name == entity.name);
        position.and_then(|position| self.references.get(position)).map_or(&[], Vec::as_slice)
    }

    /// Returns the entity of this name.
    pub fn entity(&self, name: &str) -> Option<&Arc<Entity>> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// Returns the pattern of this name.
    pub fn pattern(&self, name: &str) -> Option<&Arc<Pattern>> {
        self.patterns.iter().find(|pattern| pattern.name == name)
    }

    /// Returns the field that tells to which of several entities a field refers.
    pub fn chooser(&self, entity: &Entity, field: &Field) -> Option<Chooser> {
        let names = field.refers_to_one_of.iter();
        let targets: Vec<&Entity> =
            names.map(|name| self.entity(name).map(Arc::as_ref)).collect::<Option<_>>()?;
        Chooser::find(entity, field, &targets).ok().filter(|_| !targets.is_empty())
    }

    /// Returns the patterns that run this pattern as a step or part.
    pub fn users_of<'a>(&'a self, pattern: &'a Pattern) -> impl Iterator<Item = &'a Arc<Pattern>> {
        self.patterns.iter().filter(|user| user.runs().iter().any(|run| run.name == pattern.name))
    }

    /// Returns whether other items follow from items of an entity, or these from others.
    pub fn takes_part_in_derivations(&self, entity: &Entity) -> bool {
        let feeds =
            |aggregate: &Aggregate| aggregate.sources.iter().any(|source| source.entity == entity.name);
        let has_part = |derivation: &Derivation| match &derivation.kind {
            DerivationKind::Set(set) => set.entity.name == entity.name,
            DerivationKind::Make(maker) => maker.each.name == entity.name,
            DerivationKind::Fan(fan) => {
                [&fan.each, &fan.found, &fan.entity].iter().any(|part| part.name == entity.name)
            }
            DerivationKind::Delete(cascade) => cascade.parent.name == entity.name,
            DerivationKind::Archive(_) => false,
        };
        let is_copied = |copy: &FieldCopy| copy.source == entity.name;
        let decides = |extreme: &Extreme| extreme.sources.iter().any(|source| source.entity == entity.name);
        !entity.aggregates.is_empty()
            || !entity.copies.is_empty()
            || !entity.extremes.is_empty()
            || self.entities.iter().any(|target| target.extremes.iter().any(decides))
            || self.entities.iter().any(|target| target.aggregates.iter().any(feeds))
            || self.entities.iter().any(|target| target.copies.iter().any(is_copied))
            || self.derivations.iter().any(|derivation| has_part(derivation))
    }

    /// Returns whether the changes of an entity's items have effects: on derived data, or in archives.
    pub fn is_followed(&self, entity: &Entity) -> bool {
        let mut triggers = self.derivations.iter().flat_map(|derivation| derivation.triggers());
        self.takes_part_in_derivations(entity) || triggers.any(|trigger| trigger.entity.name == entity.name)
    }

    /// Returns the place of a pattern, if callers can run it.
    pub fn route(&self, pattern: &str) -> Option<&Route> {
        self.routes.iter().find(|route| route.pattern == pattern)
    }

    /// Returns the patterns that callers can run, in the order of the file.
    pub fn callable(&self) -> impl Iterator<Item = &Arc<Pattern>> {
        self.patterns.iter().filter(|pattern| !pattern.internal)
    }

    /// Returns the entities of a table.
    pub fn entities_of<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = &'a Arc<Entity>> {
        self.entities.iter().filter(|entity| entity.table.label == table.label)
    }
}
