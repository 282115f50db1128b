//! `DescribeContinuousBackups`.

use singlet_engine::{Database, RecoveryWindow};

use super::Answer;
use super::delete_table::read;
use crate::error::Failure;
use crate::table_name::Home;
use crate::write::JsonWriter;

/// Serves the operation, whose request is the same as that of `DeleteTable`.
pub(crate) fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let name = read(body, Home::of(database))?;
    answer(database, &name)
}

/// Describes the recovery window of a table.
pub(super) fn answer(database: &Database, table: &str) -> Result<Answer, Failure> {
    let window = database.recovery_window(table)?;
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| {
        json.key("ContinuousBackupsDescription").object(|json| {
            json.key("ContinuousBackupsStatus").text("ENABLED");
            json.key("PointInTimeRecoveryDescription").object(|json| write_window(json, window));
        });
    });
    Ok(Answer::free(json.into_bytes()))
}

fn write_window(json: &mut JsonWriter, window: Option<RecoveryWindow>) {
    let Some(window) = window else { return json.key("PointInTimeRecoveryStatus").text("DISABLED") };
    json.key("PointInTimeRecoveryStatus").text("ENABLED");
    json.key("RecoveryPeriodInDays").integer(window.period_days);
    json.key("EarliestRestorableDateTime").time(window.earliest_ms);
    json.key("LatestRestorableDateTime").time(window.latest_ms);
}
