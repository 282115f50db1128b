//! Why a transaction was cancelled.

use singlet_values::EncodedItem;

use super::Invalid;

/// Why one action kept a transaction from happening.
#[derive(Debug, Clone)]
pub enum CancellationReason {
    /// The action was fine.
    None,
    /// Its condition did not hold.
    ConditionFailed {
        /// The existing item, if the request asked for it, up to [`RETURNED_BYTES_MAX`](crate::RETURNED_BYTES_MAX) in
        /// one transaction.
        item: Option<EncodedItem>,
    },
    /// The action only creates items, and there is one already. Statements of PartiQL have such actions.
    DuplicateItem,
    /// Another request is writing the item right now.
    Conflict,
    /// The action can't be applied to the existing item.
    Invalid(Invalid),
    /// The item collection would pass 10 GB.
    CollectionTooLarge,
}

impl CancellationReason {
    /// The reason's code in a transaction's cancellation.
    pub fn code(&self) -> &'static str {
        match self {
            CancellationReason::None => "None",
            CancellationReason::ConditionFailed { .. } => "ConditionalCheckFailed",
            CancellationReason::DuplicateItem => "DuplicateItem",
            CancellationReason::Conflict => "TransactionConflict",
            CancellationReason::Invalid(_) => "ValidationError",
            CancellationReason::CollectionTooLarge => "ItemCollectionSizeLimitExceeded",
        }
    }

    /// The reason's text; an action that was fine has none.
    pub fn message(&self) -> Option<String> {
        match self {
            CancellationReason::None => None,
            CancellationReason::ConditionFailed { .. } => Some("The conditional request failed".to_owned()),
            CancellationReason::DuplicateItem => Some("Duplicate primary key exists in table".to_owned()),
            CancellationReason::Conflict => Some("Transaction is ongoing for the item".to_owned()),
            CancellationReason::Invalid(invalid) => Some(invalid.to_string()),
            CancellationReason::CollectionTooLarge => Some("Collection size exceeded.".to_owned()),
        }
    }
}
