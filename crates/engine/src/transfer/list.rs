//! Finding and listing exports and imports, and failing those that were interrupted.

use std::ops::Bound;

use bytes::Bytes;

use super::{Transfers, interrupted};
use crate::bookkeeping::{Import, Transfer, TransferKind, TransferRecord};
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::request::{
    ExportDescription, ImportDescription, ListTransfers, ListTransfersOutcome, TransferStatus,
};
use crate::store::{Direction, View};

const LIST_MAX: usize = 25;

/// Finds a transfer by its ARN.
fn find<T: Transfer>(view: &View<Catalogue>, arn: &str, missing: Error) -> Result<T> {
    let Some(row) = view.get(&T::KIND.row(T::KIND.id_in(arn)))? else { return Err(missing) };
    let record = decode::<T>(arn, row)?;
    if record.transfer.arn() == arn { Ok(record.transfer) } else { Err(missing) }
}

fn decode<T: Transfer>(name: &str, row: Bytes) -> Result<TransferRecord<T>> {
    TransferRecord::decode(row)
        .ok_or_else(|| Error::Storage(format!("the row of transfer {name} can't be read")))
}

/// Returns all transfers of a kind, the oldest first.
fn all<T: Transfer>(view: &View<Catalogue>) -> Result<Vec<TransferRecord<T>>> {
    let (start, end) = (T::KIND.row(""), T::KIND.end());
    let rows = view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    rows.map(|row| {
        let (key, value) = row?;
        decode(&String::from_utf8_lossy(&key), value)
    })
    .collect()
}

/// Returns a page in the reverse order of the ARNs.
fn page<T: Transfer>(view: &View<Catalogue>, request: &ListTransfers) -> Result<ListTransfersOutcome<T>> {
    let limit = request.limit.unwrap_or(LIST_MAX).clamp(1, LIST_MAX);
    let mut found: Vec<T> = all::<T>(view)?.into_iter().map(|record| record.transfer).collect();
    found.retain(|transfer| request.table_arn.as_deref().is_none_or(|arn| arn == transfer.table_arn()));
    found.sort_by(|one, other| other.arn().cmp(one.arn()));
    if let Some(last) = &request.start_after {
        match found.iter().position(|transfer| transfer.arn() == last || transfer.id() == last) {
            Some(place) => _ = found.drain(..=place),
            None => found.retain(|transfer| transfer.arn() < last.as_str()),
        }
    }
    let last = (found.len() > limit).then(|| found.get(limit - 1).map(|last| last.arn().to_owned()));
    found.truncate(limit);
    Ok(ListTransfersOutcome { transfers: found, last: last.flatten() })
}

impl Transfers {
    /// Describes an export.
    pub(crate) fn describe_export(&self, arn: &str) -> Result<ExportDescription> {
        find(&*self.shared.background.view()?, arn, Error::ExportNotFound(arn.to_owned()))
    }

    /// Lists exports.
    pub(crate) fn list_exports(
        &self,
        request: &ListTransfers,
    ) -> Result<ListTransfersOutcome<ExportDescription>> {
        page(&*self.shared.background.view()?, request)
    }

    /// Describes an import.
    pub(crate) fn describe_import(&self, arn: &str) -> Result<ImportDescription> {
        let view = self.shared.background.view()?;
        let import = find::<Import>(&view, arn, Error::ImportNotFound(arn.to_owned()))?;
        Ok(self.with_progress(import).describe(view.catalogue()))
    }

    /// Lists imports.
    pub(crate) fn list_imports(
        &self,
        request: &ListTransfers,
    ) -> Result<ListTransfersOutcome<ImportDescription>> {
        let view = self.shared.background.view()?;
        let ListTransfersOutcome { transfers, last } = page::<Import>(&view, request)?;
        let transfers =
            transfers.into_iter().map(|import| self.with_progress(import).describe(view.catalogue()));
        Ok(ListTransfersOutcome { transfers: transfers.collect(), last })
    }

    /// Adds the counts so far to a running import.
    pub(super) fn with_progress(&self, mut import: Import) -> Import {
        if import.status == TransferStatus::InProgress
            && let Some(counts) = self.running().get(&import.id)
        {
            import.counts = *counts;
        }
        import
    }

    /// Marks transfers as failed that were running when the database was closed.
    pub(crate) fn end_interrupted(&self) -> Result<()> {
        self.end_interrupted_of::<ExportDescription>()?;
        self.end_interrupted_of::<Import>()
    }

    fn end_interrupted_of<T: Transfer>(&self) -> Result<()> {
        let view = self.shared.background.view()?;
        for mut record in all::<T>(&view)? {
            if record.transfer.status() == TransferStatus::InProgress {
                let what = match T::KIND {
                    TransferKind::Export => "export",
                    TransferKind::Import => "import",
                };
                tracing::warn!(arn = record.transfer.arn(), "the {what} was interrupted and has failed");
                let ended_ms = self.now_ms().max(record.transfer.started_ms());
                record.transfer.fail(interrupted(), ended_ms);
                self.put(&record)?;
            }
        }
        Ok(())
    }
}
