//! Importing a table.

use super::export::Asked;
use super::{Transfers, Trouble, caught};
use crate::background::Stop;
use crate::bookkeeping::{Import, Transfer, TransferRecord};
use crate::buckets::{ImportReader, ImportStep};
use crate::error::{Error, Result};
use crate::load::{LoadRow, Loader};
use crate::pending::Pending;
use crate::request::{ImportDescription, ImportProgress, ImportTable, TransferFailure, TransferStatus};
use crate::table::Table;
use crate::write::{BegunImport, Job};

/// The number of steps between two checks for a stop, and between two reports of progress.
const LOOK_STEPS: u64 = 256;
/// The most invalid items that are logged one by one.
const LOGGED_MAX: u64 = 20;

/// An import whose table exists and is empty, with status CREATING.
pub(crate) struct Importing {
    record: TransferRecord<Import>,
    description: ImportDescription,
    loader: Loader,
}

impl Importing {
    /// The description at the beginning.
    pub(crate) fn description(&self) -> &ImportDescription {
        &self.description
    }
}

impl Transfers {
    /// Creates the table of an import.
    pub(crate) fn begin_import(&self, request: ImportTable) -> Result<Asked<Importing, ImportDescription>> {
        self.buckets(&request.source)?;
        Table::check(&request.definition)?;
        let (answer, pending) = Pending::channel();
        self.shared.background.submit(Job::BeginImport { request: Box::new(request), answer })?;
        let begun = pending.wait()?;
        let view = self.shared.background.view()?;
        Ok(match begun {
            BegunImport::New { record, loading } => {
                let description = record.transfer.describe(view.catalogue());
                let loader = Loader::of(&self.shared.background, loading);
                Asked::New(Importing { record, description, loader })
            }
            BegunImport::Again(import) => Asked::Again(self.with_progress(import).describe(view.catalogue())),
        })
    }

    /// Fills the table of an import and opens it. The description has the result. If the import failed, the table is
    /// removed. An error means that the result couldn't be stored.
    pub(crate) fn load_import(
        &self,
        import: Importing,
        stop: &Stop,
        look: &mut dyn FnMut(ImportProgress),
    ) -> Result<ImportDescription> {
        let Importing { mut record, description, mut loader } = import;
        let mut reading =
            ImportReading { transfers: self, import: &mut record.transfer, stop, look, first_wrong: None };
        let read = caught(|| reading.run(&description, &mut loader));
        let loaded = read.and_then(|()| {
            // The same commit opened the table and ended the import.
            let opened = loader.finish_with(|| {
                record.transfer.status = TransferStatus::Completed;
                record.transfer.ended_ms = Some(self.now_ms().max(record.transfer.started_ms));
                Some((record.row(), record.encode()))
            });
            opened.map(drop).map_err(Trouble::from)
        });
        let stored = loaded.or_else(|trouble| {
            let failure = trouble.into_failure();
            tracing::error!(
                import = record.transfer.arn,
                code = failure.code,
                "the import failed, and its table is removed: {failure}"
            );
            let ended_ms = self.now_ms().max(record.transfer.started_ms);
            record.transfer.fail(failure, ended_ms);
            self.put(&record)
        });
        self.running().remove(&record.transfer.id);
        stored?;
        Ok(record.transfer.describe(self.shared.background.view()?.catalogue()))
    }
}

/// An import that is being read.
struct ImportReading<'a> {
    transfers: &'a Transfers,
    import: &'a mut Import,
    stop: &'a Stop,
    look: &'a mut dyn FnMut(ImportProgress),
    /// The first skipped item, with its position and the reason.
    first_wrong: Option<String>,
}

impl ImportReading<'_> {
    /// Reads everything into the table, which isn't open yet.
    fn run(&mut self, description: &ImportDescription, loader: &mut Loader) -> Result<(), Trouble> {
        let buckets = self.transfers.buckets(&self.import.source)?;
        let mut reader = buckets.open_import(description)?;
        let mut steps = 0u64;
        while let Some(step) = reader.step()? {
            self.take(step, &*reader, loader)?;
            if steps.is_multiple_of(LOOK_STEPS) {
                self.stop.check()?;
                self.tell(&*reader);
            }
            steps += 1;
        }
        self.tell(&*reader);
        let counts = self.import.counts;
        if counts.errors > LOGGED_MAX {
            tracing::warn!(
                import = self.import.arn,
                errors = counts.errors,
                "more invalid items were skipped than are logged"
            );
        }
        if counts.errors > 0 && counts.imported_items == 0 {
            let first = self.first_wrong.take().unwrap_or_default();
            return Err(TransferFailure::new(
                "ItemValidationError",
                format!("None of the items could be imported. The first of them: {first}"),
            )
            .into());
        }
        Ok(())
    }

    fn take(&mut self, step: ImportStep, reader: &dyn ImportReader, loader: &mut Loader) -> Result<()> {
        let item = match step {
            ImportStep::Item(item) => item,
            ImportStep::Bad(reason) => {
                self.bad(reader, &reason);
                return Ok(());
            }
            ImportStep::Nothing => return Ok(()),
        };
        match loader.push(LoadRow::Foreign(item)) {
            Ok(()) => {
                self.import.counts.processed_items += 1;
                self.import.counts.imported_items += 1;
                Ok(())
            }
            // The item doesn't fit the table. Others may.
            Err(Error::Invalid(reason)) => {
                self.bad(reader, &reason.to_string());
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn bad(&mut self, reader: &dyn ImportReader, reason: &str) {
        self.import.counts.processed_items += 1;
        self.import.counts.errors += 1;
        if self.import.counts.errors <= LOGGED_MAX {
            tracing::warn!(import = self.import.arn, at = reader.place(), reason, "skipped an item");
            let wrong = format!("{}: {reason}", reader.place());
            self.first_wrong.get_or_insert_with(|| wrong.clone());
            let (stored_bytes, stored_bytes_total) = reader.stored_bytes();
            let counts = self.import.counts;
            (self.look)(ImportProgress { counts, stored_bytes, stored_bytes_total, wrong: Some(wrong) });
        }
    }

    fn tell(&mut self, reader: &dyn ImportReader) {
        self.import.counts.processed_bytes = reader.read_bytes();
        let counts = self.import.counts;
        self.transfers.running().insert(self.import.id.clone(), counts);
        let (stored_bytes, stored_bytes_total) = reader.stored_bytes();
        (self.look)(ImportProgress { counts, stored_bytes, stored_bytes_total, wrong: None });
    }
}
