//! Verification of a whole database: files, log, tree, items, indexes and counts are checked against each other.
//!
//! It knows the rows and files of all modules. It must not change anything: it works on a frozen disk, on which even
//! the repair of an interrupted write stays in memory.
//!
//! A module with its own rows or files has a `Check` in `CHECKS` (`verify/checks.rs`).

mod bookkeeping;
mod checks;
mod finding;
mod rows;

use std::path::Path;
use std::sync::Arc;

pub use finding::{Finding, Place, RowProblem, Verification, VerifiedCounts};

use crate::error::{Error, Result};
use crate::store::{
    Disk, FileDisk, FrozenDisk, Key, Opened, Store, StoreError, StoreOptions, StorePart, SystemClock,
    check_store, is_database_file,
};
use crate::table::Table;
use checks::CHECKS;
use checks::Context;
use finding::Reporter;

/// The progress of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifyProgress {
    /// Bytes of the log.
    Log {
        /// Checked.
        bytes: u64,
        /// In total.
        total: u64,
    },
    /// The tree's pages. Their total is unknown.
    Tree,
    /// Items and index entries.
    Rows {
        /// Checked.
        rows: u64,
        /// In total.
        total: u64,
    },
    /// Other files.
    Files,
}

/// Verifies the database in a folder, which no other process may have open. Changes nothing.
///
/// ```
/// use singlet_engine::{CreateTable, Database, ScalarType, verify};
///
/// let folder = tempfile::tempdir()?;
/// let database = Database::open(folder.path())?;
/// database.create_table(CreateTable::new("recipes", "id", ScalarType::S))?;
/// database.close()?;
/// drop(database);
///
/// let verified = verify(folder.path(), None, &mut |_| {})?;
/// assert!(verified.findings.is_empty());
/// assert_eq!(verified.counts.tables, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(
    folder: impl AsRef<Path>,
    key: Option<&Key>,
    watch: &mut dyn FnMut(VerifyProgress),
) -> Result<Verification> {
    let folder = folder.as_ref();
    if !folder.is_dir() {
        return Err(Error::Storage(format!("there is no folder {}", folder.display())));
    }
    verify_on(Arc::new(FileDisk::open_to_read(folder)?), key, watch)
}

/// Verifies the database on a given disk.
pub fn verify_on(
    disk: Arc<dyn Disk>,
    key: Option<&Key>,
    watch: &mut dyn FnMut(VerifyProgress),
) -> Result<Verification> {
    let freeze = || -> Result<Arc<dyn Disk>> {
        Ok(Arc::new(FrozenDisk::new(disk.clone()).map_err(StoreError::io("list", "the folder"))?))
    };
    let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
    if !names.iter().any(|name| is_database_file(name)) {
        return Err(Error::Storage("there is no data in the folder".to_owned()));
    }
    let mut reporter = Reporter::default();
    let checked = check_store(&freeze()?, key, |part| {
        watch(match part {
            StorePart::Log(bytes, total) => VerifyProgress::Log { bytes, total },
            StorePart::Tree => VerifyProgress::Tree,
        });
    })?;
    reporter.take_store(checked);
    // The check may have repaired its view of the files. The rest starts with the unchanged files.
    let options = StoreOptions { key: key.cloned(), accept_loss: true, ..StoreOptions::default() };
    match Store::look(freeze()?, options, Arc::new(SystemClock)) {
        Ok(opened) => {
            opened.lost().iter().for_each(|loss| reporter.error(loss.clone().into()));
            check_contents(&opened, watch, &mut reporter);
        }
        Err(error) => reporter.error(error),
    }
    Ok(reporter.finish())
}

/// Checks the content of the store. A disk error ends the check that meets it and becomes a finding.
fn check_contents(opened: &Opened, watch: &mut dyn FnMut(VerifyProgress), reporter: &mut Reporter) {
    let view = opened.view();
    let tables = match rows::read_tables(view, reporter) {
        Ok(tables) => tables,
        Err(error) => return reporter.error(error),
    };
    if let Err(error) = rows::check_rows(view, &tables, watch, reporter) {
        reporter.error(error);
    }
    if let Err(error) = bookkeeping::check_tokens(view, reporter) {
        reporter.error(error);
    }
    watch(VerifyProgress::Files);
    let context = Context { view, opened, files: opened.files().as_ref() };
    for check in CHECKS {
        if let Err(error) = check.check(&context, reporter) {
            reporter.error(error);
        }
    }
}

/// A table's name for a finding.
fn name_of(table: &Table) -> String {
    table.name.clone()
}
