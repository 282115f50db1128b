//! The effect of a write, computed from the existing item.

use singlet_expr::{Condition, ExprError, ExpressionKind};
use singlet_store::{DeleteItem, PutItem, ReturnItem, StoreError, UpdateItem};
use singlet_values::{EncodedItem, ItemRef};

/// The result that a write would have.
pub(super) struct Foreseen {
    pub(super) before: Option<EncodedItem>,
    pub(super) after: Option<EncodedItem>,
}

impl Foreseen {
    /// The item that the write would return.
    pub(super) fn returned(&self, asked: ReturnItem) -> Option<EncodedItem> {
        match asked {
            ReturnItem::None => None,
            ReturnItem::Old => self.before.clone(),
            ReturnItem::New => self.after.clone(),
        }
    }
}

pub(super) fn put(request: &PutItem, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    hold(request.condition.as_ref(), &before)?;
    Ok(Foreseen { after: Some(EncodedItem::encode(&request.item)), before })
}

pub(super) fn update(request: &UpdateItem, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    request.update.check().map_err(refused)?;
    hold(request.condition.as_ref(), &before)?;
    let after = changed(request, before.as_ref())?;
    Ok(Foreseen { before, after })
}

fn changed(request: &UpdateItem, before: Option<&EncodedItem>) -> Result<Option<EncodedItem>, StoreError> {
    let changes = &request.update;
    let key = EncodedItem::encode(&request.key);
    let updated = match before {
        Some(before) => changes.apply(before.view()),
        None if changes.creates_item() => changes.apply_to_new(key.view()),
        None => return Ok(None),
    };
    let updated = updated.map_err(refused)?;
    Ok(Some(EncodedItem::encode(&updated.item)))
}

pub(super) fn delete(request: &DeleteItem, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    hold(request.condition.as_ref(), &before)?;
    Ok(Foreseen { before, after: None })
}

pub(super) fn check(condition: &Condition, before: Option<EncodedItem>) -> Result<Foreseen, StoreError> {
    hold(Some(condition), &before)?;
    Ok(Foreseen { after: before.clone(), before })
}

fn hold(condition: Option<&Condition>, item: &Option<EncodedItem>) -> Result<(), StoreError> {
    let Some(condition) = condition else { return Ok(()) };
    condition.check(ExpressionKind::Condition).map_err(refused)?;
    if condition.matches(item.as_ref().map_or(ItemRef::EMPTY, EncodedItem::view)) {
        return Ok(());
    }
    Err(StoreError::ConditionFailed { item: item.clone() })
}

fn refused(error: ExprError) -> StoreError {
    StoreError::Refused(error.to_string())
}
