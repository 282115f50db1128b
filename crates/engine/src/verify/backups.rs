//! Verification of backups: each has its file, and the file is what was written, to its end.

use std::ops::Bound;

use singlet_values::EncodedItem;

use super::{Check, Context, Finding, Reporter};
use crate::backup::{FileReader, file_name};
use crate::bookkeeping::{Backup, BackupState};
use crate::error::Error;
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::{Direction, StoreError};

/// Reads every backup to its end.
pub(super) struct CheckBackups;

impl Check for CheckBackups {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        let names = context.files.list().map_err(StoreError::io("list", "the folder"))?;
        // Behind the marks of backups that are being made.
        let (start, end) = (Backup::row("0"), RowSpace::backups().end());
        for row in context.view.range(Bound::Excluded(&start), Bound::Excluded(&end), Direction::Forward) {
            let (row, value) = row?;
            let id = String::from_utf8_lossy(row.get(PREFIX_BYTES..).unwrap_or_default()).into_owned();
            let Some(backup) = Backup::decode(&EncodedItem::from_bytes(value)) else {
                report.found(Finding::Backup { id, reason: "its record makes no sense".to_owned() });
                continue;
            };
            if backup.state == BackupState::Creating {
                continue;
            }
            report.counts.backups += 1;
            let name = file_name(&backup.id);
            if !names.contains(&name) {
                report.found(Finding::Backup { id, reason: format!("its file {name} is missing") });
            } else if let Err(error) = read_whole(context, &name) {
                report.found(Finding::Backup { id, reason: error.to_string() });
            }
        }
        Ok(())
    }
}

fn read_whole(context: &Context<'_>, name: &str) -> Result<(), Error> {
    let file = context.files.open(name).map_err(StoreError::io("open", name))?;
    FileReader::open(file, name)?.verify(|_| Ok(())).map(drop)
}
