//! Exporting a table.

use std::ops::Bound;

use singlet_values::ItemRef;

use super::{NOTED_BYTES_MAX, Transfers, Trouble, caught};
use crate::background::{Background, Stop};
use crate::bookkeeping::{Transfer, TransferRecord};
use crate::buckets::{ExportWriter, ItemChange};
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::recovery::Pin;
use crate::request::{
    ExportDescription, ExportKind, ExportProgress, ExportTable, ExportWritten, TransferFailure,
    TransferStatus,
};
use crate::store::{Direction, View};
use crate::table::Table;
use crate::write::{BegunExport, Job};

/// The number of items between two checks for a stop, and between two reports of progress.
const LOOK_ITEMS: u64 = 256;

/// An export that has begun.
pub(crate) struct Exporting {
    record: TransferRecord<ExportDescription>,
    table: Table,
    view: View<Catalogue>,
    /// Whether the snapshot is the moment, so that the log isn't needed.
    is_present: bool,
    /// Keeps the changes of the table in the log.
    _pin: Option<Pin>,
}

impl Exporting {
    /// The description at the beginning.
    pub(crate) fn description(&self) -> &ExportDescription {
        &self.record.transfer
    }
}

/// A new export, or the one that an earlier request with the same token began.
pub(crate) enum Asked<New, Old> {
    New(New),
    Again(Old),
}

impl Transfers {
    /// Fixes the moment of an export.
    pub(crate) fn begin_export(&self, request: ExportTable) -> Result<Asked<Exporting, ExportDescription>> {
        self.buckets(&request.destination)?;
        let is_present = request.kind == ExportKind::Full { time_ms: None };
        // History within the window must stay until it is read.
        let view = self.shared.background.view()?;
        let table = view.catalogue().resource(&request.table).ok();
        let pin = table.map(|table| self.shared.recovery.pin(table.number, 0));
        drop(view);
        let (answer, pending) = Pending::channel();
        self.shared.background.submit(Job::BeginExport { request: Box::new(request), answer })?;
        Ok(match pending.wait()? {
            BegunExport::New { record, table, view } => {
                Asked::New(Exporting { record, table, view, is_present, _pin: pin })
            }
            BegunExport::Again(description) => Asked::Again(description),
        })
    }

    /// Writes an export. The description has the result. An error means that the result couldn't be stored.
    pub(crate) fn write_export(
        &self,
        export: Exporting,
        stop: &Stop,
        look: &mut dyn FnMut(ExportProgress),
    ) -> Result<ExportDescription> {
        let mut record = export.record.clone();
        let written = caught(|| self.write_files(export, stop, look));
        let ended_ms = self.now_ms().max(record.transfer.started_ms);
        match written {
            Ok(written) => {
                record.transfer.written = Some(written);
                record.transfer.status = TransferStatus::Completed;
                record.transfer.ended_ms = Some(ended_ms);
            }
            Err(trouble) => {
                let failure = trouble.into_failure();
                tracing::error!(
                    export = record.transfer.arn,
                    code = failure.code,
                    "the export failed: {failure}"
                );
                record.transfer.fail(failure, ended_ms);
            }
        }
        self.put(&record)?;
        Ok(record.transfer)
    }

    fn write_files(
        &self,
        export: Exporting,
        stop: &Stop,
        look: &mut dyn FnMut(ExportProgress),
    ) -> Result<ExportWritten, Trouble> {
        let Exporting { record: TransferRecord { transfer, .. }, table, view, is_present, _pin } = export;
        let mut writer = self.buckets(&transfer.destination)?.begin_export(&transfer)?;
        let items_total = match transfer.kind {
            ExportKind::Full { .. } => Some(view.tally(table.items().tally()).count),
            ExportKind::Incremental { .. } => None,
        };
        let mut pace = Pace { items: 0, items_total, stop, room: &self.shared.background, look };
        match transfer.kind {
            ExportKind::Full { .. } if is_present => write_present(&view, &table, &mut *writer, &mut pace)?,
            ExportKind::Full { time_ms } => {
                let time_ms = time_ms.unwrap_or_default();
                let past = self.shared.recovery.past(&view, &table, NOTED_BYTES_MAX, stop);
                // Items are written as they come. An error of the bucket is kept aside.
                let mut trouble = None;
                let walked = past.items_at(time_ms, &mut |item| {
                    pace.step()?;
                    keep(&mut trouble, writer.item(ItemRef::new(item)))
                });
                trouble.map_or(Ok(()), Err)?;
                walked?;
            }
            ExportKind::Incremental { from_ms, to_ms, .. } => {
                let to_ms = to_ms.unwrap_or_default();
                let past = self.shared.recovery.past(&view, &table, NOTED_BYTES_MAX, stop);
                let mut trouble = None;
                let walked = past.changes_between(from_ms, to_ms, &mut |changed| {
                    // An item that was created and deleted within the period isn't exported.
                    if changed.old.is_none() && changed.new.is_none() {
                        return Ok(());
                    }
                    pace.step()?;
                    let change = ItemChange {
                        written_ms: changed.written_ms,
                        old: changed.old.as_deref().map(ItemRef::new),
                        new: changed.new.as_deref().map(ItemRef::new),
                    };
                    keep(&mut trouble, writer.change(&change))
                });
                trouble.map_or(Ok(()), Err)?;
                walked?;
            }
        }
        // The snapshot is dropped before the files are synced, so that the tree can reuse its pages.
        drop(view);
        let written = writer.finish(self.now_ms().max(transfer.started_ms))?;
        pace.finish();
        Ok(written)
    }
}

/// Keeps the error of a bucket, and ends the walk.
fn keep(trouble: &mut Option<TransferFailure>, outcome: Result<(), TransferFailure>) -> Result<()> {
    outcome.map_err(|failure| {
        *trouble = Some(failure);
        Error::Closed
    })
}

fn write_present(
    view: &View<Catalogue>,
    table: &Table,
    writer: &mut dyn ExportWriter,
    pace: &mut Pace<'_>,
) -> Result<(), Trouble> {
    let (start, end) = (table.items().prefix(), table.items().end());
    let mut rows = view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    while let Some(written) =
        rows.read_next(|_, item| writer.item(ItemRef::new(item))).map_err(Error::from)?
    {
        written?;
        pace.step()?;
    }
    Ok(())
}

/// Counts items, reports progress, and checks for a stop.
struct Pace<'a> {
    items: u64,
    items_total: Option<u64>,
    stop: &'a Stop,
    room: &'a Background,
    look: &'a mut dyn FnMut(ExportProgress),
}

impl Pace<'_> {
    fn step(&mut self) -> Result<()> {
        self.items += 1;
        if self.items.is_multiple_of(LOOK_ITEMS) {
            self.stop.check()?;
            // The buckets may be on the same disk as the data and must not fill it.
            self.room.check_room_for(0)?;
            (self.look)(ExportProgress { items: self.items, items_total: self.items_total });
        }
        Ok(())
    }

    fn finish(self) {
        let items_total = self.items_total.map(|_| self.items);
        (self.look)(ExportProgress { items: self.items, items_total });
    }
}
