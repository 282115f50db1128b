//! Applying an update to an item.
//!
//! All values are computed from the old item before any is written. Indexes refer to the old list:
//!
//! - Values are set before any are removed.
//! - Values beyond the end of a list are appended in the order of their indexes.
//! - Elements are removed from the back.

use singlet_values::{AttributeValue, Item, ItemRef, ValueRef};

use super::place::Place;
use super::{Action, Change, Dialect, Existence, Update};
use crate::error::UpdateError;
use crate::path::Path;

/// Levels of nesting that an item may have; a top-level attribute is the first.
const LEVELS_MAX: usize = 32;

/// The effect of an action on one item.
enum Edit {
    Put(AttributeValue),
    Remove,
    Nothing,
}

impl Update {
    pub(super) fn applied(&self, old: ItemRef<'_>, existence: Existence) -> Result<Item, UpdateError> {
        let mut puts: Vec<(&Path, AttributeValue)> = Vec::with_capacity(self.actions.len());
        let mut removes: Vec<&Path> = Vec::new();
        for action in &self.actions {
            match action.edit(old, self.dialect, existence)? {
                Edit::Put(value) => puts.push((&action.path, value)),
                Edit::Remove => removes.push(&action.path),
                Edit::Nothing => {}
            }
        }
        puts.sort_by_key(|(path, _)| *path);
        removes.sort_unstable();

        let mut item = old.to_item()?;
        for (path, value) in puts {
            if path.levels() + value.depth() > LEVELS_MAX {
                return Err(UpdateError::TooDeep);
            }
            Place::find(&mut item, path).ok_or(UpdateError::InvalidPath)?.put(value);
        }
        for path in removes.into_iter().rev() {
            Place::find(&mut item, path).ok_or(UpdateError::InvalidPath)?.remove();
        }
        Ok(item)
    }
}

impl Action {
    fn edit(&self, old: ItemRef<'_>, dialect: Dialect, existence: Existence) -> Result<Edit, UpdateError> {
        let current = self.path.find(old);
        match (&self.change, current) {
            (Change::Set(value), _) => value.evaluate(old).map(Edit::Put),
            (Change::Add(operand), None) => Ok(Edit::Put(operand.clone())),
            (Change::Add(operand), Some(current)) => {
                added(current, operand)?.map(Edit::Put).ok_or_else(|| dialect.kind_mismatch())
            }
            (Change::Delete(operand), Some(current)) => {
                deleted(current, operand)?.ok_or_else(|| dialect.kind_mismatch())
            }
            (Change::Remove, Some(_)) => Ok(Edit::Remove),
            (Change::Remove, None) if existence == Existence::New => Ok(Edit::Nothing),
            (Change::Remove | Change::Delete(_), None) if self.path.has_place(old) => Ok(Edit::Nothing),
            (Change::Remove | Change::Delete(_), None) => Err(UpdateError::InvalidPath),
        }
    }
}

/// The current value and the operand together; `None` if their kinds differ.
///
/// Only legacy updates have lists here, because expressions reject them as operands.
fn added(current: ValueRef<'_>, operand: &AttributeValue) -> Result<Option<AttributeValue>, UpdateError> {
    Ok(Some(match (current.to_value()?, operand) {
        (AttributeValue::N(current), AttributeValue::N(operand)) => {
            AttributeValue::N(current.checked_add(operand)?)
        }
        (AttributeValue::Ss(mut set), AttributeValue::Ss(operand)) => {
            set.extend(operand.iter().cloned());
            AttributeValue::Ss(set)
        }
        (AttributeValue::Ns(mut set), AttributeValue::Ns(operand)) => {
            set.extend(operand);
            AttributeValue::Ns(set)
        }
        (AttributeValue::Bs(mut set), AttributeValue::Bs(operand)) => {
            set.extend(operand.iter().cloned());
            AttributeValue::Bs(set)
        }
        (AttributeValue::L(mut list), AttributeValue::L(operand)) => {
            list.extend(operand.iter().cloned());
            AttributeValue::L(list)
        }
        _ => return Ok(None),
    }))
}

/// The current set without the elements of the operand; `None` if they aren't sets of one kind.
///
/// A set can't be empty: removing its last element removes the attribute.
fn deleted(current: ValueRef<'_>, operand: &AttributeValue) -> Result<Option<Edit>, UpdateError> {
    let (is_empty, rest) = match (current.to_value()?, operand) {
        (AttributeValue::Ss(mut set), AttributeValue::Ss(operand)) => {
            set.retain(|element| !operand.contains(element));
            (set.is_empty(), AttributeValue::Ss(set))
        }
        (AttributeValue::Ns(mut set), AttributeValue::Ns(operand)) => {
            set.retain(|element| !operand.contains(element));
            (set.is_empty(), AttributeValue::Ns(set))
        }
        (AttributeValue::Bs(mut set), AttributeValue::Bs(operand)) => {
            set.retain(|element| !operand.contains(element));
            (set.is_empty(), AttributeValue::Bs(set))
        }
        _ => return Ok(None),
    };
    Ok(Some(if is_empty { Edit::Remove } else { Edit::Put(rest) }))
}
