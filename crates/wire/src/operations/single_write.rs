//! The common part of the answers to `PutItem`, `UpdateItem` and `DeleteItem`.

use singlet_engine::{ReturnValues, WriteOutcome};

use super::{Answer, TableReport};
use crate::text::RequestError;
use crate::write::{JsonWriter, write_collection, write_item};

/// Puts and deletes return the old item or nothing.
pub(super) fn old_or_none(asked: Option<ReturnValues>) -> Result<ReturnValues, RequestError> {
    match asked.unwrap_or_default() {
        values @ (ReturnValues::None | ReturnValues::AllOld) => Ok(values),
        ReturnValues::AllNew | ReturnValues::UpdatedNew | ReturnValues::UpdatedOld => {
            Err(RequestError::ReturnValues)
        }
    }
}

/// The answer to a write of one item.
pub(super) fn answer_write(outcome: WriteOutcome, report: &TableReport) -> Answer {
    let bytes = outcome.attributes.as_ref().map_or(64, |item| 256 + item.as_bytes().len() * 2);
    let mut json = JsonWriter::with_capacity(bytes);
    json.object(|json| {
        if let Some(attributes) = &outcome.attributes {
            write_item(json.key("Attributes"), attributes.view());
        }
        report.write(json, &outcome.consumed);
        if let Some(collection) = &outcome.collection {
            write_collection(json.key("ItemCollectionMetrics"), collection);
        }
    });
    Answer::of_table(json.into_bytes(), outcome.consumed)
}
