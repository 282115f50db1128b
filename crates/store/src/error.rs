//! Why a store refused or failed.

use singlet_values::EncodedItem;

/// Why a call failed; the variant says what to do next.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The condition did not hold.
    #[error("the condition did not hold")]
    ConditionFailed {
        /// The item that is there.
        item: Option<EncodedItem>,
    },
    /// Nothing of the transaction happened.
    #[error("the transaction was cancelled")]
    Cancelled {
        /// One for each action, in order.
        reasons: Vec<Cancellation>,
    },
    /// Somebody else is writing the same item, or there is too much load: try again after a pause.
    #[error("{0}")]
    TryAgain(String),
    /// A table or index isn't there.
    #[error("{0}")]
    NotFound(String),
    /// The request is wrong for this table: the design and the table differ, or an item is too large.
    #[error("{0}")]
    Refused(String),
    /// Another process has the folder, the server can't be reached, credentials are missing…
    #[error("{0}")]
    Unavailable(String),
}

/// Why one action kept a transaction from happening.
#[derive(Debug, Clone)]
pub enum Cancellation {
    /// The action was fine.
    None,
    /// Its condition did not hold.
    ConditionFailed {
        /// The item that is there.
        item: Option<EncodedItem>,
    },
    /// Somebody else is writing the item: try again.
    Conflict,
    /// It can't be done.
    Refused(String),
}
