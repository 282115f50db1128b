//! `singlet restore`.

use std::io::{Write, stdout};

use singlet_engine::{RestoreBackup, RestoreOverrides};

use crate::arguments::RestoreArguments;
use crate::commands::backups::moment;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::target::open_for_backups;

/// Makes a new table from a backup.
pub(crate) fn restore(arguments: &RestoreArguments) -> Result<(), Failure> {
    let RestoreArguments { backup, from, table, place } = arguments;
    // A file may come to a machine that has no data yet.
    let database = open_for_backups(&place.data, from.is_some())?;
    let mut line = Progress::new();
    let mut look = |progress: singlet_engine::BackupProgress| {
        line.show(progress.items, progress.items_total, "items");
    };
    let restored = match (from, backup) {
        (Some(file), _) => database.restore_backup_file(file, table, RestoreOverrides::default(), &mut look),
        (None, Some(arn)) => database.restore_whole_backup(RestoreBackup::new(arn, table), &mut look),
        (None, None) => {
            return Err(Failure::Arguments("say which backup: --backup ARN or --from FILE".to_owned()));
        }
    };
    drop(line);
    let restored = restored.map_err(|error| Failure::Refused(format!("nothing was restored: {error}")))?;
    database.close().map_err(|error| Failure::Refused(error.to_string()))?;
    let as_of = restored.restore.as_ref().map(|summary| moment(summary.time_ms)).unwrap_or_default();
    let source = restored.restore.as_ref().and_then(|summary| summary.source_table_arn.rsplit('/').next());
    writeln!(
        stdout().lock(),
        "{}: {} items of {}, as of {as_of}",
        restored.name,
        restored.item_count,
        source.unwrap_or("a table")
    )?;
    Ok(())
}
