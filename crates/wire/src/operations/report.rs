//! The capacity that an answer reports.

use singlet_engine::Consumed;

use crate::choice::ReturnConsumedCapacity;
use crate::table_name::TableName;
use crate::write::{CapacityReport, JsonWriter, write_capacity};

/// The report in the answer to a request on one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TableReport {
    /// How much detail the caller asked for.
    pub(crate) capacity: ReturnConsumedCapacity,
    /// The table as the request wrote it, if that wasn't its name.
    pub(crate) label: Option<String>,
}

impl TableReport {
    /// Writes the member `ConsumedCapacity`, if the caller asked for it.
    pub(crate) fn write(&self, json: &mut JsonWriter, consumed: &Consumed) {
        let report = CapacityReport { detail: self.capacity, transaction: false };
        write_capacity(json, report, consumed, self.label.as_deref());
    }
}

/// The report in the answer to a batch or a transaction.
#[derive(Debug)]
pub(crate) struct TablesReport {
    /// How much detail the caller asked for.
    pub(crate) capacity: ReturnConsumedCapacity,
    /// The tables of the request.
    pub(crate) tables: Vec<TableName>,
}

impl TablesReport {
    /// The table with this name, as the request wrote it.
    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        self.tables.iter().find(|table| table.name == *name).map(TableName::as_written)
    }
}
