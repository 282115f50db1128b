//! The bounds of a field hold for the sum, too: what is added may not lead past them.
//!
//! A number is held by a condition of the write, so that counters need no reading. The number of elements of a set
//! can't be told without looking, so the set is read and guarded.

use singlet_design::{Entity, FieldType, Json, to_attribute};
use singlet_expr::{Comparator, Condition, Path};
use singlet_values::{AttributeValue, Item, Number};

use super::edit::{Edit, Verb};
use crate::derive::value_at;
use crate::error::RunError;

/// A number that grows or shrinks towards a bound.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SumBound {
    path: String,
    by: Number,
    /// The number where there is none.
    start: Number,
    kind: FieldType,
}

impl SumBound {
    /// The bounds that these edits could pass.
    pub(super) fn of(entity: &Entity, edits: &[Edit]) -> Vec<SumBound> {
        let bound = |edit: &Edit| match (&edit.verb, entity.field_at(&edit.path)?) {
            (Verb::Add { more: AttributeValue::N(by), start }, kind) => {
                let start = match start {
                    Some(AttributeValue::N(start)) => *start,
                    _ => Number::from(0_u64),
                };
                let bound = SumBound { path: edit.path.clone(), by: *by, start, kind: kind.clone() };
                bound.reach().map(|_| bound)
            }
            _ => None,
        };
        edits.iter().filter_map(bound).collect()
    }

    /// The last value, and whether it is the least or the most, that can take the change.
    fn reach(&self) -> Option<(Comparator, Number)> {
        let (FieldType::Int { min, max } | FieldType::Number { min, max }) = &self.kind else { return None };
        let (comparator, bound) = if self.by.is_negative() {
            (Comparator::GreaterOrEqual, min)
        } else {
            (Comparator::LessOrEqual, max)
        };
        Some((comparator, bound.as_ref()?.checked_sub(&self.by).ok()?))
    }

    /// The condition that the sum stays within its bound.
    pub(super) fn condition(&self) -> Option<Condition> {
        let (comparator, last) = self.reach()?;
        let path = Path::dotted(&self.path);
        let within = Condition::compare(path.clone(), comparator, AttributeValue::N(last));
        let starts = self.check(&self.start).is_ok();
        Some(if starts { Condition::missing(path).or(within) } else { within })
    }

    /// Why the change can't be made in this item, if it can't.
    pub(super) fn broken_by(&self, item: &Item) -> Option<RunError> {
        let have = match value_at(item, &self.path) {
            Some(AttributeValue::N(have)) => *have,
            _ => self.start,
        };
        self.check(&have).err()
    }

    fn check(&self, have: &Number) -> Result<(), RunError> {
        let refused = |reason: String| RunError::Parameter { parameter: self.path.clone(), reason };
        let sum = have
            .checked_add(&self.by)
            .map_err(|error| refused(format!("can't be changed by so much: {error}")))?;
        to_attribute(&self.kind, &Json::Number(sum)).map(|_| ()).map_err(|error| refused(error.reason))
    }
}

/// Sets that grow and have a bound: their paths.
pub(super) fn growing_sets(entity: &Entity, edits: &[Edit]) -> Vec<String> {
    let bounded = |edit: &&Edit| {
        let kind = entity.field_at(&edit.path);
        matches!((&edit.verb, kind), (Verb::Add { .. }, Some(FieldType::Set { max: Some(_), .. })))
    };
    edits.iter().filter(bounded).map(|edit| edit.path.clone()).collect()
}

/// Refuses sets that have grown past their bound.
pub(super) fn check_sets(entity: &Entity, paths: &[String], after: &Item) -> Result<(), RunError> {
    for path in paths {
        let Some(FieldType::Set { max: Some(max), .. }) = entity.field_at(path) else { continue };
        let count = match value_at(after, path) {
            Some(AttributeValue::Ss(set)) => set.len(),
            Some(AttributeValue::Ns(set)) => set.len(),
            Some(AttributeValue::Bs(set)) => set.len(),
            _ => 0,
        };
        if u32::try_from(count).is_ok_and(|count| count <= *max) {
            continue;
        }
        let reason = format!("would have {count} entries; at most {max} fit");
        return Err(RunError::Parameter { parameter: path.clone(), reason });
    }
    Ok(())
}
