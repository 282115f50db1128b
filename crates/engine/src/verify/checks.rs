//! Checks of rows and files that single modules own: backups, history files, exports and imports.

use std::ops::Bound;

use singlet_values::EncodedItem;

use super::bookkeeping::CheckTransfers;
use super::finding::{Finding, Reporter};
use crate::backup::{FileReader, file_name};
use crate::bookkeeping::{Backup, BackupState};
use crate::error::Error;
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::{Direction, Disk, Opened, StoreError, View};

/// The data that a check can read.
pub(crate) struct Context<'a> {
    /// Everything committed.
    pub(crate) view: &'a View<()>,
    /// The store, opened but not started.
    pub(crate) opened: &'a Opened,
    /// The folder's files, decrypted. Writes to them stay in memory.
    pub(crate) files: &'a dyn Disk,
}

/// A check of rows or files that one module owns.
///
/// It reports errors to `report` (`report.found(Finding::…)`), and counts what it checked in `report.counts`. An
/// error that it returns becomes a finding and ends only this check.
pub(crate) trait Check: Sync {
    /// Runs the check.
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError>;
}

/// All checks.
pub(crate) const CHECKS: &[&dyn Check] = &[&ReadFiles, &CheckPast, &CheckBackups, &CheckTransfers];

/// Prefixes of files with their own formats. Other checks read their content.
const PREFIXES: [&str; 2] = ["past-", "backup-"];
/// The suffix of an unfinished file. The next opening removes it.
const UNFINISHED: &str = ".new";
const PIECE_BYTES: usize = 1 << 20;

/// Reads every such file completely. For encrypted files this authenticates every block.
struct ReadFiles;

impl Check for ReadFiles {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        let names = context.files.list().map_err(StoreError::io("list", "the folder"))?;
        let is_read = |name: &str| {
            PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !name.ends_with(UNFINISHED)
        };
        for name in names.iter().filter(|name| is_read(name)) {
            report.counts.files += 1;
            match read_file(context, name) {
                Ok(bytes) => report.counts.file_bytes += bytes,
                Err(error) => report.error(error),
            }
        }
        Ok(())
    }
}

fn read_file(context: &Context<'_>, name: &str) -> Result<u64, StoreError> {
    let file = context.files.open(name).map_err(StoreError::io("open", name))?;
    let length = file.len().map_err(StoreError::io("measure", name))?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut offset = 0;
    while offset < length {
        let bytes = usize::try_from(length - offset).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
        file.read_exact_at(offset, piece.get_mut(..bytes).unwrap_or_default())
            .map_err(StoreError::io("read", name))?;
        offset += bytes as u64;
    }
    Ok(length)
}

/// Reads every block of recorded changes in the history files.
struct CheckPast;

impl Check for CheckPast {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        let mut wrong = Vec::new();
        report.counts.past_changes += context.opened.check_past(|error| wrong.push(error));
        wrong.into_iter().for_each(|error| report.error(error));
        Ok(())
    }
}

/// Reads every backup completely.
struct CheckBackups;

impl Check for CheckBackups {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        let names = context.files.list().map_err(StoreError::io("list", "the folder"))?;
        // The marks of unfinished backups come before.
        let (start, end) = (Backup::row("0"), RowSpace::backups().end());
        for row in context.view.range(Bound::Excluded(&start), Bound::Excluded(&end), Direction::Forward) {
            let (row, value) = row?;
            let id = String::from_utf8_lossy(row.get(PREFIX_BYTES..).unwrap_or_default()).into_owned();
            let Some(backup) = Backup::decode(&EncodedItem::from_bytes(value)) else {
                report.found(Finding::Backup { id, reason: "its row is invalid".to_owned() });
                continue;
            };
            if backup.state == BackupState::Creating {
                continue;
            }
            report.counts.backups += 1;
            let name = file_name(&backup.id);
            if !names.contains(&name) {
                report.found(Finding::Backup { id, reason: format!("its file {name} is missing") });
            } else if let Err(error) = verify_backup(context, &name) {
                report.found(Finding::Backup { id, reason: error.to_string() });
            }
        }
        Ok(())
    }
}

fn verify_backup(context: &Context<'_>, name: &str) -> Result<(), Error> {
    let file = context.files.open(name).map_err(StoreError::io("open", name))?;
    FileReader::open(file, name)?.verify(|_| Ok(())).map(drop)
}
