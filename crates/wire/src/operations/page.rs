//! The common part of `Query` and `Scan`: `Select`, the start key, and the JSON of a page.

use singlet_engine::{PageOutcome, Select};
use singlet_values::Item;

use super::{Answer, TableReport};
use crate::error::Failure;
use crate::read::AttributeMap;
use crate::text::RequestError;
use crate::write::{JsonWriter, write_attributes, write_item};

/// Rejects a `Select` that contradicts the projection. `projection` is the parameter with the projection.
pub(super) fn check_select(
    select: Option<Select>,
    projection: Option<&'static str>,
) -> Result<(), RequestError> {
    let refuse = |parameter, select| Err(RequestError::SelectWithProjection { parameter, select });
    match (select, projection) {
        (Some(Select::SpecificAttributes), None) => Err(RequestError::SelectWithoutProjection),
        (Some(Select::AllAttributes), Some(parameter)) => refuse(parameter, "ALL_ATTRIBUTES"),
        (Some(Select::AllProjectedAttributes), Some(parameter)) => {
            refuse(parameter, "ALL_PROJECTED_ATTRIBUTES")
        }
        (Some(Select::Count), Some(parameter)) => refuse(parameter, "only the Count"),
        (Some(Select::SpecificAttributes), Some(_)) | (None, _) | (Some(_), None) => Ok(()),
    }
}

/// The parameter with the projection.
pub(super) fn projection_parameter(expression: bool, legacy: bool) -> Option<&'static str> {
    match (expression, legacy) {
        (true, _) => Some("ProjectionExpression"),
        (false, true) => Some("AttributesToGet"),
        (false, false) => None,
    }
}

/// Reads the start key. Some of its problems are reported as the start key's, some as the value's.
pub(super) fn start_key(member: Option<AttributeMap>) -> Result<Option<Item>, Failure> {
    let Some(key) = member else {
        return Ok(None);
    };
    match key.checked() {
        Ok(key) => Ok(Some(key)),
        Err(error) if error.stands_alone() => Err(error.into()),
        Err(error) => Err(RequestError::StartKey(error).into()),
    }
}

/// The answer with a page.
pub(super) fn answer_page(outcome: PageOutcome, report: &TableReport) -> Answer {
    let items = outcome.items.as_deref().unwrap_or_default();
    let stored_bytes: usize = items.iter().map(|item| item.as_bytes().len()).sum();
    let mut json = JsonWriter::with_capacity(256 + stored_bytes * 2);
    json.object(|json| {
        json.key("Count").count(outcome.count);
        if outcome.items.is_some() {
            json.key("Items").array(|json| items.iter().for_each(|item| write_item(json, item.view())));
        }
        json.key("ScannedCount").count(outcome.scanned_count);
        if let Some(key) = &outcome.last_key {
            write_attributes(json.key("LastEvaluatedKey"), key);
        }
        report.write(json, &outcome.consumed);
    });
    Answer::of_table(json.into_bytes(), outcome.consumed)
}
