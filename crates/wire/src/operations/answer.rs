//! The answer to a request that was served.

use singlet_engine::Consumed;

use crate::reply::Consumption;

/// The body of an answer and the capacity that it took.
#[derive(Debug)]
pub(crate) struct Answer {
    /// JSON.
    pub(crate) body: Vec<u8>,
    /// Capacity used.
    pub(crate) consumed: Consumption,
}

impl Answer {
    /// An answer without members that took no capacity.
    pub(super) fn empty() -> Self {
        Answer::free(b"{}".to_vec())
    }

    /// An answer that took no capacity.
    pub(super) fn free(body: Vec<u8>) -> Self {
        Answer { body, consumed: Consumption::None }
    }

    /// An answer that took capacity of one table.
    pub(super) fn of_table(body: Vec<u8>, consumed: Consumed) -> Self {
        Answer { body, consumed: Consumption::One(consumed) }
    }

    /// An answer that took capacity of several tables.
    pub(super) fn of_tables(body: Vec<u8>, consumed: Vec<Consumed>) -> Self {
        Answer { body, consumed: Consumption::Several(consumed) }
    }
}
