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

/// Items between two looks at whether to stop, and how far it is.
const LOOK_ITEMS: u64 = 256;

/// An export that is to be written.
pub(crate) struct Exporting {
    record: TransferRecord<ExportDescription>,
    table: Table,
    view: View<Catalogue>,
    /// The moment is that of the view: the log is not needed.
    is_present: bool,
    /// Keeps the log.
    _pin: Option<Pin>,
}

impl Exporting {
    /// The export as it begins.
    pub(crate) fn description(&self) -> &ExportDescription {
        &self.record.transfer
    }
}

/// An export that was asked for: a new one, or the one that the same request began before.
pub(crate) enum Asked<New, Old> {
    New(New),
    Again(Old),
}

impl Transfers {
    /// Takes the moment of an export.
    pub(crate) fn begin_export(&self, request: ExportTable) -> Result<Asked<Exporting, ExportDescription>> {
        self.buckets(&request.destination)?;
        let is_present = request.kind == ExportKind::Full { time_ms: None };
        // What is in the window when the moment is checked must stay until it is read.
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

    /// Writes an export. The description says whether it came to its end; an error, that this could not be stored.
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
                // What the walk hands over is written at once; what goes wrong there is kept beside it.
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
                    // One that came and went in that time is as if it had never been.
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
        // The view is given up before the files are made durable, so that the tree can use its pages again.
        drop(view);
        let written = writer.finish(self.now_ms().max(transfer.started_ms))?;
        pace.finish();
        Ok(written)
    }
}

/// Keeps what went wrong with a bucket, and ends the walk.
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

/// Counts items, tells how far it is, and asks whether to stop.
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
            // The buckets may lie on the same disk as the data: they must not fill it.
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
