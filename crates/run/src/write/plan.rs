//! The plan of a write: the action on the item itself, and those on its reservations.

use std::sync::Arc;

use singlet_design::{Condition, Entity, Reference, Unique};
use singlet_expr as expr;
use singlet_store::TransactAction;
use singlet_values::{EncodedItem, Item};

use super::bounds::SumBound;
use super::guard::Guard;
use super::list::{EntryBound, is_map};
use super::retry::Setback;
use crate::derive::value_at;
use crate::error::RunError;
use crate::expiry::is_expired;

/// A write that is ready for the store.
pub(super) struct WritePlan<'a> {
    /// The item's own action first, then its reservations and the checks of its references.
    pub(super) actions: Vec<Planned<'a>>,
    /// The entity of the item.
    pub(super) entity: &'a Arc<Entity>,
    /// The known state of the item: after a create, put or update; before a delete or check.
    pub(super) known: Item,
    /// The kind of answer.
    pub(super) answer: Answer<'a>,
}

/// The kind of answer of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer<'a> {
    /// The item as it is planned: all of it is known.
    Planned,
    /// The item as the store has it afterwards.
    Stored,
    /// The item as it was, unless its time was over then.
    Deleted {
        /// The time of the call.
        now_ms: u64,
    },
    /// That a condition held.
    Checked,
    /// The item as it was read.
    Read {
        /// The fields to return; `None` returns all.
        show: Option<&'a [String]>,
    },
}

/// An action and what it means when its condition fails.
pub(super) struct Planned<'a> {
    /// The request to the store.
    pub(super) action: TransactAction,
    /// The meaning of a failed condition.
    pub(super) meaning: Purpose<'a>,
}

/// Why an action has a condition.
pub(super) enum Purpose<'a> {
    /// The item itself.
    Item(Expectation<'a>),
    /// The item itself, which is only read.
    Read(Expectation<'a>),
    /// The item itself, which must be as its writer has seen it.
    Seen {
        /// Of what.
        entity: &'a Entity,
    },
    /// Takes the value of a unique field.
    Take {
        /// Of what.
        entity: &'a Entity,
        /// Which field.
        unique: &'a Unique,
    },
    /// Gives the value of a unique field back.
    Release {
        /// Of what.
        entity: &'a Entity,
    },
    /// Checks that what an item refers to is there.
    Reference {
        /// By which field.
        reference: &'a Reference,
        /// The value of the field.
        value: String,
    },
}

/// The expectations of a write about the existing item.
pub(super) struct Expectation<'a> {
    /// The expected state.
    pub(super) entity: &'a Entity,
    /// The pattern or step, for messages.
    pub(super) label: &'a str,
    /// Whether it must be there.
    pub(super) presence: Presence,
    /// Whether the other way is tried if it is there or not against expectation: an upsert has both.
    pub(super) either_way: bool,
    /// The values that were read and must not have changed.
    pub(super) guard: Guard,
    /// Objects that the write reaches into.
    pub(super) parents: Vec<String>,
    /// Bounds that sums must keep.
    pub(super) sums: Vec<SumBound>,
    /// Lists and maps that must have room.
    pub(super) rooms: Vec<EntryBound>,
    /// The pattern's own condition.
    pub(super) condition: Option<&'a Condition>,
    /// The condition after the comparisons that calculate with fields were decided, if it has any.
    pub(super) decided: Option<Condition>,
    /// The same as the store evaluates it, once it is bound to the values of the call.
    pub(super) bound: Option<expr::Condition>,
    /// The condition under which the caller reaches the item.
    pub(super) rule: Option<expr::Condition>,
    /// Now, to tell what has expired.
    pub(super) now_second: u64,
}

/// Whether an item must be there. An item past its time to live is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// It must not.
    Absent,
    /// It must.
    Present,
    /// Either way.
    Any,
}

impl Purpose<'_> {
    /// Decides what to do after the condition failed against this item.
    pub(super) fn failed(&self, item: Option<&EncodedItem>) -> Setback {
        match self {
            Purpose::Item(expectation) | Purpose::Read(expectation) => expectation.failed(item),
            Purpose::Reference { reference, value } => Setback::Failed(RunError::NoReference {
                field: reference.field.clone(),
                entity: reference.entity.name.clone(),
                value: value.clone(),
            }),
            Purpose::Take { entity, unique } => Setback::Failed(not_unique(entity, unique)),
            // Another item holds the value by now: the next attempt leaves it there. Or the item isn't as its writer has
            // seen it: the next attempt reads it, and tells how it has changed.
            Purpose::Release { .. } | Purpose::Seen { .. } => Setback::Again,
        }
    }
}

/// Another item has the value.
pub(super) fn not_unique(entity: &Entity, unique: &Unique) -> RunError {
    RunError::NotUnique { entity: entity.name.clone(), field: unique.fields.join(",") }
}

impl Expectation<'_> {
    fn failed(&self, item: Option<&EncodedItem>) -> Setback {
        let item = match item.map(EncodedItem::decode).transpose() {
            Ok(item) => item,
            Err(_) => return Setback::Failed(super::unreadable()),
        };
        let live = item.as_ref().filter(|item| !is_expired(&self.entity.table, item, self.now_second));
        let name = || self.entity.name.clone();
        match (self.presence, live) {
            (Presence::Absent, Some(_)) | (Presence::Present, None) if self.either_way => {
                return Setback::Again;
            }
            (Presence::Absent, Some(_)) => return Setback::Failed(RunError::Exists { entity: name() }),
            (Presence::Present, None) => return Setback::Failed(RunError::Missing { entity: name() }),
            _ => {}
        }
        if live.is_some_and(|item| self.is_foreign(item)) {
            return Setback::Failed(RunError::Missing { entity: name() });
        }
        if !self.guard.holds(item.as_ref()) {
            return Setback::Again;
        }
        let lacks_map = |item: &Item| {
            let mut maps = self.parents.iter().filter(|path| is_map(self.entity, path));
            maps.any(|map| value_at(item, map).is_none())
        };
        if live.is_some_and(lacks_map) {
            // The next attempt looks, and makes the map.
            return Setback::Again;
        }
        // A condition such as `copies > 0` often says the same as a bound, and it is what the caller knows.
        if let Some(error) = live.and_then(|item| self.refused_by(item)) {
            return Setback::Failed(error);
        }
        if let Some(error) = item.as_ref().and_then(|item| self.impossible(item)) {
            return Setback::Failed(error);
        }
        match (self.condition, live) {
            (Some(condition), None) if condition.tree.paths().is_empty() => {
                Setback::Failed(self.not_held(condition))
            }
            (Some(_), None) => Setback::Failed(RunError::Missing { entity: name() }),
            (Some(condition), Some(_)) => Setback::Failed(self.not_held(condition)),
            // Nothing of what failed can be seen any more: somebody wrote in between.
            // A delete that only its owner may do finds nothing to delete.
            (None, None) if self.rule.is_some() => Setback::Failed(RunError::Missing { entity: name() }),
            (None, _) => Setback::Again,
        }
    }

    /// Whether the caller may not reach an item.
    fn is_foreign(&self, item: &Item) -> bool {
        let encoded = EncodedItem::encode(item);
        self.rule.as_ref().is_some_and(|rule| !rule.matches(encoded.view()))
    }

    /// The failure of the pattern's condition, if it doesn't hold for an item.
    pub(super) fn refused_by(&self, item: &Item) -> Option<RunError> {
        let (condition, bound) = (self.condition?, self.bound.as_ref()?);
        (!bound.matches(EncodedItem::encode(item).view())).then(|| self.not_held(condition))
    }

    fn not_held(&self, condition: &Condition) -> RunError {
        RunError::Condition { pattern: self.label.to_owned(), condition: condition.source.clone() }
    }

    /// Why the item can't be changed in this way, if it can't.
    fn impossible(&self, item: &Item) -> Option<RunError> {
        let lacking = self.parents.iter().find(|path| value_at(item, path).is_none());
        match lacking {
            Some(parent) => Some(RunError::Missing { entity: format!("{}.{parent}", self.entity.name) }),
            None => {
                let sums = self.sums.iter().find_map(|sum| sum.broken_by(item));
                sums.or_else(|| self.rooms.iter().find_map(|room| room.broken_by(item)))
            }
        }
    }
}
