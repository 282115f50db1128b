//! Checks that what an item refers to is there, in the transaction that writes the item.

use singlet_design::{Reference, Values};
use singlet_store::{Store, TransactAction};
use singlet_values::{AttributeValue, Item, ValueRef};

use super::plan::{Planned, Purpose};
use super::planner::Planner;
use super::transaction::key_of_action;
use super::unique::text_of;
use crate::derive::value_at;
use crate::error::RunError;
use crate::expiry;
use crate::keys::table_key;

/// The fields of an item, under the names that the referred entity's key has for them.
struct ReferenceValues<'a> {
    reference: &'a Reference,
    item: &'a Item,
}

impl Values for ReferenceValues<'_> {
    fn value(&self, path: &str) -> Option<ValueRef<'_>> {
        let (_, own) = self.reference.key.iter().find(|(member, _)| member == path)?;
        value_at(self.item, own).and_then(AttributeValue::as_scalar)
    }
}

impl<S: Store> Planner<'_, S> {
    /// Adds a check of each reference that an item has to the actions that write it.
    pub(super) fn check_references<'a>(
        &self,
        references: impl IntoIterator<Item = &'a Reference>,
        item: &Item,
        actions: &mut Vec<Planned<'a>>,
    ) -> Result<(), RunError> {
        for reference in references {
            let Some(value) = value_at(item, &reference.field) else { continue };
            let leads_there = |(field, word): &(String, String)| matches!(value_at(item, field), Some(AttributeValue::S(value)) if value == word);
            if !reference.when.as_ref().is_none_or(leads_there) {
                continue;
            }
            let entity = &reference.entity;
            let key = table_key(entity, &ReferenceValues { reference, item })
                .map_err(|error| named(reference, error))?;
            let condition = expiry::present(&entity.table, self.now_ms / 1000);
            let table = self.site.table_name(&entity.table).to_owned();
            let check = Planned {
                action: TransactAction::Check { table, key, condition },
                meaning: Purpose::Reference { reference, value: text_of(value).unwrap_or_default() },
            };
            let same = |other: &&mut Planned<'a>| {
                other.action.table() == check.action.table() && key_of_action(other) == key_of_action(&check)
            };
            match actions.iter_mut().find(same) {
                Some(other) => _ = join(other, check)?,
                None => actions.push(check),
            }
        }
        Ok(())
    }
}

/// An error about the key of the other entity, with the name that the field has here.
fn named(reference: &Reference, error: RunError) -> RunError {
    match error {
        RunError::Parameter { parameter, reason } => {
            let own = reference.key.iter().find(|(member, _)| *member == parameter);
            let parameter = own.map_or(parameter.clone(), |(_, own)| own.clone());
            RunError::Parameter { parameter, reason }
        }
        error => error,
    }
}

/// Makes one action of two about one item, if one of them only checks a reference: whatever writes the item, or checks
/// it, leaves it there. `false` if neither is such a check.
pub(super) fn join<'a>(earlier: &mut Planned<'a>, later: Planned<'a>) -> Result<bool, RunError> {
    let (reference, value, other) = match (&earlier.meaning, &later.meaning) {
        (_, Purpose::Reference { reference, value }) => (reference, value, &earlier.action),
        (Purpose::Reference { reference, value }, _) => (reference, value, &later.action),
        _ => return Ok(false),
    };
    if matches!(other, TransactAction::Delete(_)) {
        let reason =
            format!("refers to the {} `{value}`, which the same transaction deletes", reference.entity.name);
        return Err(RunError::Parameter { parameter: reference.field.clone(), reason });
    }
    if !matches!(later.meaning, Purpose::Reference { .. }) {
        *earlier = later;
    }
    Ok(true)
}
