//! What a write would do, worked out from the item that is there.

use singlet_expr::{Condition, Update as Changes};
use singlet_store::{Delete, Expression, Put, ReturnItem, StoreError, Update};
use singlet_values::{EncodedItem, ItemRef};

/// What a write would leave behind.
pub(super) struct Foreseen {
    pub(super) before: Option<EncodedItem>,
    pub(super) after: Option<EncodedItem>,
}

impl Foreseen {
    /// What the write would return.
    pub(super) fn returned(&self, asked: ReturnItem) -> Option<EncodedItem> {
        match asked {
            ReturnItem::None => None,
            ReturnItem::Old => self.before.clone(),
            ReturnItem::New => self.after.clone(),
        }
    }
}

pub(super) fn put(request: &Put, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    hold(request.condition.as_ref(), &before)?;
    Ok(Foreseen { after: Some(EncodedItem::encode(&request.item)), before })
}

pub(super) fn update(request: &Update, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    let (changes, condition) = request.to_trees()?;
    hold_tree(condition.as_ref(), &before)?;
    let after = changed(&changes, request, before.as_ref())?;
    Ok(Foreseen { before, after })
}

fn changed(
    changes: &Changes,
    request: &Update,
    before: Option<&EncodedItem>,
) -> Result<Option<EncodedItem>, StoreError> {
    let key = EncodedItem::encode(&request.key);
    let updated = match before {
        Some(before) => changes.apply(before.view()),
        None if changes.creates_item() => changes.apply_to_new(key.view()),
        None => return Ok(None),
    };
    let updated = updated.map_err(|error| StoreError::Refused(error.to_string()))?;
    Ok(Some(EncodedItem::encode(&updated.item)))
}

pub(super) fn delete(request: &Delete, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    hold(request.condition.as_ref(), &before)?;
    Ok(Foreseen { before, after: None })
}

pub(super) fn check(condition: &Expression, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    hold(Some(condition), &before)?;
    Ok(Foreseen { after: before.clone(), before })
}

fn hold(condition: Option<&Expression>, item: &Option<EncodedItem>) -> Result<(), StoreError> {
    hold_tree(condition.map(Expression::to_condition).transpose()?.as_ref(), item)
}

fn hold_tree(condition: Option<&Condition>, item: &Option<EncodedItem>) -> Result<(), StoreError> {
    let view = item.as_ref().map_or(ItemRef::EMPTY, EncodedItem::view);
    match condition {
        Some(condition) if !condition.matches(view) => {
            Err(StoreError::ConditionFailed { item: item.clone() })
        }
        _ => Ok(()),
    }
}
