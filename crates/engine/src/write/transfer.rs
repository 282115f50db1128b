//! Exports and imports in the commit order. The moment of an export is the position of the job that begins it.

use std::ops::Bound;

use bytes::Bytes;

use super::JobBatch;
use super::load::{Loading, begin_load};
use crate::bookkeeping::{Import, Transfer, TransferKind, TransferRecord, transfer_id};
use crate::catalogue::Catalogue;
use crate::error::{Error, Invalid, Result};
use crate::moment::iso_time;
use crate::request::{
    ClientToken, ExportDescription, ExportKind, ExportTable, ImportCounts, ImportTable, TransferStatus,
};
use crate::store::{Direction, View};
use crate::table::{LoadSource, Table};
use crate::turns::Now;

/// How long the token of an ended transfer is valid.
const TOKEN_LIFE_MS: u64 = 8 * 60 * 60 * 1000;
/// How long an ended transfer is listed.
const RECORD_LIFE_MS: u64 = 90 * 24 * 60 * 60 * 1000;
/// The number of old transfers that each new one removes. It is more than one, so that they never accumulate.
const CLEARED_PER_TRANSFER: usize = 4;

/// The shortest and the longest period of an incremental export.
const PERIOD_MS: (u64, u64) = (15 * 60 * 1000, 24 * 60 * 60 * 1000);

/// A new export, or the one that the same request began earlier.
#[expect(clippy::large_enum_variant, reason = "there is one for each request, and it is moved once")]
pub(crate) enum BegunExport {
    New { record: TransferRecord<ExportDescription>, table: Table, view: View<Catalogue> },
    Again(ExportDescription),
}

/// A new import with its table, or the one that the same request began earlier.
#[expect(clippy::large_enum_variant, reason = "there is one for each request, and it is moved once")]
pub(crate) enum BegunImport {
    New { record: TransferRecord<Import>, loading: Loading },
    Again(Import),
}

/// Begins an export.
pub(super) fn begin_export(batch: &mut JobBatch<'_>, request: ExportTable) -> Result<BegunExport> {
    if let Some(again) = repeated::<ExportDescription>(batch, request.token.as_ref(), Error::ExportConflict)?
    {
        return Ok(BegunExport::Again(again));
    }
    let found = batch.catalogue().resource(&request.table);
    let table = Table::clone(found.map_err(|_| Error::SourceTableNotFound(request.table.clone()))?);
    if table.is_loading() {
        return Err(Error::SourceTableNotFound(request.table));
    }
    let started_ms = batch.time_ms();
    let kind = export_kind(&table, &request, &batch.catalogue().now(started_ms))?;
    // The writes of this job come after the moment.
    let view = batch.snapshot();
    clear_old::<ExportDescription>(batch)?;
    let id = new_id(batch, TransferKind::Export, &table.id)?;
    let (token, fingerprint) = split(request.token);
    let transfer = ExportDescription {
        arn: TransferKind::Export.arn(&table.arn, &id),
        id,
        status: TransferStatus::InProgress,
        started_ms,
        ended_ms: None,
        table_arn: table.arn.clone(),
        table_id: table.id.clone(),
        key_attributes: table.key.attributes().map(|attribute| attribute.name.clone()).collect(),
        kind,
        destination: request.destination,
        encryption: request.encryption,
        token,
        written: None,
        failure: None,
    };
    let record = TransferRecord { transfer, fingerprint };
    put_new(batch, &record);
    Ok(BegunExport::New { record, table, view })
}

/// Begins an import and creates its table.
pub(super) fn begin_import(batch: &mut JobBatch<'_>, request: ImportTable, arn: &str) -> Result<BegunImport> {
    if let Some(again) = repeated::<Import>(batch, request.token.as_ref(), Error::ImportTokenMismatch)? {
        return Ok(BegunImport::Again(again));
    }
    clear_old::<Import>(batch)?;
    let loading = begin_load(batch, request.definition, LoadSource::Import, arn)?;
    let id = new_id(batch, TransferKind::Import, &loading.table.id)?;
    let (token, fingerprint) = split(request.token);
    let transfer = Import {
        arn: TransferKind::Import.arn(&loading.table.arn, &id),
        id,
        status: TransferStatus::InProgress,
        started_ms: batch.time_ms(),
        ended_ms: None,
        table: Table::clone(&loading.table),
        source: request.source,
        format: request.format,
        compression: request.compression,
        token,
        counts: ImportCounts::default(),
        failure: None,
    };
    let record = TransferRecord { transfer, fingerprint };
    put_new(batch, &record);
    Ok(BegunImport::New { record, loading })
}

/// Stores the state of a transfer.
pub(super) fn put_transfer(batch: &mut JobBatch<'_>, row: Bytes, value: Bytes) -> Result<()> {
    batch.put(row, value);
    Ok(())
}

fn split(token: Option<ClientToken>) -> (Option<String>, u128) {
    token.map_or((None, 0), |token| (Some(token.text), token.fingerprint))
}

fn put_new<T: Transfer>(batch: &mut JobBatch<'_>, record: &TransferRecord<T>) {
    batch.put(record.row(), record.encode());
    if let Some(token) = record.transfer.token() {
        let id = Bytes::copy_from_slice(record.transfer.id().as_bytes());
        batch.put(T::KIND.token_row(token), id);
    }
}

/// Returns the transfer that the same request began earlier. The token with another request is an error.
fn repeated<T: Transfer>(
    batch: &JobBatch<'_>,
    token: Option<&ClientToken>,
    other: Error,
) -> Result<Option<T>> {
    let Some(token) = token else { return Ok(None) };
    let Some(id) = batch.get(&T::KIND.token_row(&token.text))? else { return Ok(None) };
    let row = batch.get(&T::KIND.row(&String::from_utf8_lossy(&id)))?;
    let Some(record) = row.and_then(TransferRecord::<T>::decode) else { return Ok(None) };
    // An end in the future was recorded by a clock that was ahead. It must not be remembered until then.
    let is_remembered = |ended_ms: u64| {
        let until_ms = ended_ms.saturating_add(TOKEN_LIFE_MS);
        (batch.time_ms()..=batch.time_ms().saturating_add(TOKEN_LIFE_MS)).contains(&until_ms)
    };
    let is_over = record.transfer.ended_ms().is_some_and(|ended_ms| !is_remembered(ended_ms));
    if is_over || record.transfer.token() != Some(&token.text) {
        return Ok(None);
    }
    if record.fingerprint == token.fingerprint { Ok(Some(record.transfer)) } else { Err(other) }
}

fn new_id(batch: &JobBatch<'_>, kind: TransferKind, table_id: &str) -> Result<String> {
    let mut turn = 0;
    loop {
        let id = transfer_id(table_id, batch.sequence(), batch.time_ms(), turn);
        if batch.get(&kind.row(&id))?.is_none() {
            return Ok(id);
        }
        turn += 1;
    }
}

/// Removes some transfers that ended long ago. Ids begin with the time, so the oldest come first.
fn clear_old<T: Transfer>(batch: &mut JobBatch<'_>) -> Result<()> {
    let (start, end) = (T::KIND.row(""), T::KIND.end());
    let mut gone = Vec::new();
    let rows = batch.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    for row in rows.take(CLEARED_PER_TRANSFER) {
        let (key, value) = row?;
        let Some(record) = TransferRecord::<T>::decode(value) else { continue };
        let is_old = record
            .transfer
            .ended_ms()
            .is_some_and(|ended_ms| ended_ms.saturating_add(RECORD_LIFE_MS) <= batch.time_ms());
        if is_old {
            gone.push(key);
            gone.extend(record.transfer.token().map(|token| T::KIND.token_row(token)));
        }
    }
    gone.into_iter().for_each(|key| batch.delete(key));
    Ok(())
}

/// Returns the kind of an export with all moments set, if they are available.
fn export_kind(table: &Table, request: &ExportTable, now: &Now) -> Result<ExportKind> {
    let now_ms = now.ms;
    let window = match table.settings.recovery {
        Some(recovery) => recovery.window(now, now_ms),
        // The present state needs no history.
        None if !request.recovery_required && request.kind == (ExportKind::Full { time_ms: None }) => {
            return Ok(ExportKind::Full { time_ms: Some(now_ms) });
        }
        None => return Err(Error::RecoveryOff(table.name.clone())),
    };
    let held = |time_ms: u64| if window.contains(time_ms) { Ok(()) } else { Err(Error::ExportTime(window)) };
    match request.kind {
        ExportKind::Full { time_ms } => {
            let time_ms = time_ms.unwrap_or(now_ms);
            held(time_ms)?;
            Ok(ExportKind::Full { time_ms: Some(time_ms) })
        }
        ExportKind::Incremental { from_ms, to_ms, view } => {
            let to_ms = to_ms.unwrap_or(now_ms);
            check_period(from_ms, to_ms)?;
            held(from_ms)?;
            held(to_ms)?;
            Ok(ExportKind::Incremental { from_ms, to_ms: Some(to_ms), view })
        }
    }
}

fn check_period(from_ms: u64, to_ms: u64) -> Result<(), Invalid> {
    let problem = match to_ms.checked_sub(from_ms) {
        None | Some(0) => "is not before it",
        Some(period) if period < PERIOD_MS.0 => "is less than 15 minutes before it",
        Some(period) if period > PERIOD_MS.1 => "is more than 24 hours before it",
        Some(_) => return Ok(()),
    };
    Err(Invalid::Parameter(format!(
        "ExportToTime is {}, and ExportFromTime, {}, {problem}",
        iso_time(to_ms),
        iso_time(from_ms)
    )))
}
