//! How an answer about one table reports capacity.

use singlet_engine::Consumed;

use crate::choice::ReturnConsumedCapacity;
use crate::write::{CapacityReport, JsonWriter, write_capacity};

/// What the answer to a request on one table reports, and under which name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// Capacity.
    pub(crate) capacity: ReturnConsumedCapacity,
    /// The table as the request wrote it, where that was not its name.
    pub(crate) label: Option<String>,
}

impl Report {
    /// Writes the member `ConsumedCapacity`, if it was asked for.
    pub(crate) fn write(&self, json: &mut JsonWriter, consumed: &Consumed) {
        let report = CapacityReport { detail: self.capacity, transaction: false };
        write_capacity(json, report, consumed, self.label.as_deref());
    }
}
