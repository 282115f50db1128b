//! Exports and imports.

use super::Database;
use crate::background::Stop;
use crate::error::Result;
use crate::pending::{Pending, answer};
use crate::request::{
    ExportDescription, ExportProgress, ExportTable, ImportDescription, ImportProgress, ImportTable,
    ListTransfers, ListTransfersOutcome,
};
use crate::transfer::Asked;

impl Database {
    /// Exports a table. It returns when the moment is fixed; the files are written in the background.
    pub fn export_table(&self, request: ExportTable) -> Result<ExportDescription> {
        self.submit_export_table(request).wait()
    }

    /// Submits an export without waiting.
    pub fn submit_export_table(&self, request: ExportTable) -> Pending<ExportDescription> {
        let transfers = self.inner.transfers.clone();
        self.run_task("singlet-export", move |stop, sender| match transfers.begin_export(request) {
            Ok(Asked::New(export)) => {
                let arn = export.description().arn.clone();
                answer(sender, Ok(export.description().clone()));
                if let Err(error) = transfers.write_export(export, stop, &mut |_| ()) {
                    tracing::warn!(export = arn, %error, "the result of an export could not be stored");
                }
            }
            Ok(Asked::Again(export)) => answer(sender, Ok(export)),
            Err(error) => answer(sender, Err(error)),
        })
    }

    /// Exports a table and waits for the end. The description has the result. `look` is called with the progress.
    pub fn export_whole_table(
        &self,
        request: ExportTable,
        look: &mut dyn FnMut(ExportProgress),
    ) -> Result<ExportDescription> {
        match self.inner.transfers.begin_export(request)? {
            Asked::New(export) => self.inner.transfers.write_export(export, &Stop::default(), look),
            Asked::Again(export) => Ok(export),
        }
    }

    /// Describes an export.
    pub fn describe_export(&self, arn: &str) -> Result<ExportDescription> {
        self.inner.transfers.describe_export(arn)
    }

    /// Lists exports of the last 90 days, in the reverse order of their ARNs.
    pub fn list_exports(&self, request: &ListTransfers) -> Result<ListTransfersOutcome<ExportDescription>> {
        self.inner.transfers.list_exports(request)
    }

    /// Creates a table from the objects in a bucket. It returns when the table exists with status CREATING. The items
    /// are imported in the background, and then the table is ACTIVE.
    pub fn import_table(&self, request: ImportTable) -> Result<ImportDescription> {
        self.submit_import_table(request).wait()
    }

    /// Submits an import without waiting.
    pub fn submit_import_table(&self, request: ImportTable) -> Pending<ImportDescription> {
        let transfers = self.inner.transfers.clone();
        self.run_task("singlet-import", move |stop, sender| match transfers.begin_import(request) {
            Ok(Asked::New(import)) => {
                let arn = import.description().arn.clone();
                answer(sender, Ok(import.description().clone()));
                if let Err(error) = transfers.load_import(import, stop, &mut |_| ()) {
                    tracing::warn!(import = arn, %error, "the result of an import could not be stored");
                }
            }
            Ok(Asked::Again(import)) => answer(sender, Ok(import)),
            Err(error) => answer(sender, Err(error)),
        })
    }

    /// Creates a table from the objects in a bucket and waits for the end. The description has the result. `look` is
    /// called with the progress.
    pub fn import_whole_table(
        &self,
        request: ImportTable,
        look: &mut dyn FnMut(ImportProgress),
    ) -> Result<ImportDescription> {
        match self.inner.transfers.begin_import(request)? {
            Asked::New(import) => self.inner.transfers.load_import(import, &Stop::default(), look),
            Asked::Again(import) => Ok(import),
        }
    }

    /// Describes an import.
    pub fn describe_import(&self, arn: &str) -> Result<ImportDescription> {
        self.inner.transfers.describe_import(arn)
    }

    /// Lists imports of the last 90 days, in the reverse order of their ARNs.
    pub fn list_imports(&self, request: &ListTransfers) -> Result<ListTransfersOutcome<ImportDescription>> {
        self.inner.transfers.list_imports(request)
    }
}
