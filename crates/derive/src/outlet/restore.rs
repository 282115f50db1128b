//! Putting archived items back.

use singlet_design::{Entity, SUMS_ATTRIBUTE};
use singlet_expr::{Condition, Path};
use singlet_run::derive::complete;
use singlet_store::{PutItem, ReturnItem, Store, StoreError};
use singlet_values::{AttributeValue, Item};

/// The result of putting an archived item back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutBack {
    /// It is in its table again.
    Done,
    /// There is an item under its key, which stays as it is.
    IsThere,
    /// The design can't have it.
    Refused(String),
}

/// Puts an archived item back as an item of its entity, unless there is one under its key. Its keys are made anew, by
/// the design of today. An item that would expire at once has no expiry afterwards.
pub async fn put_back(
    store: &impl Store,
    entity: &Entity,
    environment: &str,
    mut item: Item,
    now_ms: u64,
) -> Result<PutBack, StoreError> {
    if !entity.unique.is_empty() {
        let reason = "its unique values are reserved by patterns: create it with a pattern";
        return Ok(PutBack::Refused(reason.to_owned()));
    }
    item.remove(SUMS_ATTRIBUTE);
    if let Err(error) = complete(entity, &mut item) {
        return Ok(PutBack::Refused(error.to_string()));
    }
    if let Err(reason) = without_expiry(entity, &mut item, now_ms) {
        return Ok(PutBack::Refused(reason));
    }
    let put = PutItem {
        table: entity.table.name_in(environment),
        item,
        condition: Some(Condition::missing(Path::attribute(&entity.table.partition.name))),
        returned: ReturnItem::None,
    };
    match store.put(put).await {
        Ok(_) => Ok(PutBack::Done),
        Err(StoreError::ConditionFailed { .. }) => Ok(PutBack::IsThere),
        Err(StoreError::Refused(reason)) => Ok(PutBack::Refused(reason)),
        Err(error) => Err(error),
    }
}

/// Takes away an expiry that is over.
fn without_expiry(entity: &Entity, item: &mut Item, now_ms: u64) -> Result<(), String> {
    let Some(attribute) = &entity.table.ttl else { return Ok(()) };
    let is_over = match item.get(attribute) {
        Some(AttributeValue::N(second)) => second
            .to_i64()
            .is_none_or(|second| second.saturating_mul(1000) <= i64::try_from(now_ms).unwrap_or(i64::MAX)),
        _ => false,
    };
    if !is_over {
        return Ok(());
    }
    match entity.field(attribute) {
        Some(field) if !field.optional => {
            Err(format!("it would expire at once, and `{attribute}` can't be missing: make it optional"))
        }
        _ => {
            item.remove(attribute);
            Ok(())
        }
    }
}
