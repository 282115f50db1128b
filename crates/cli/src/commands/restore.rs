//! `singlet restore`.

use std::io::{Write, stdout};

use singlet_design::Json;
use singlet_engine::values::Number;
use singlet_engine::{Database, Error, RestoreBackup, RestoreOverrides, RestoreToTime, TableDescription};

use crate::arguments::RestoreArguments;
use crate::commands::backups::moment;
use crate::counted::counted;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::target::{Purpose, open_place};

/// Makes a new table from a backup, or as another one was at a moment.
pub(crate) fn restore(arguments: &RestoreArguments) -> Result<(), Failure> {
    let RestoreArguments { backup, from, of, at, table, json, place } = arguments;
    if let Some(file) = from {
        // A file that can't be read must not leave an empty folder behind, least of all one that isn't encrypted.
        Database::describe_backup_file(file, place.key.key()?.as_ref(), false, &mut |_| {})
            .map_err(|error| Failure::Refused(format!("nothing was restored: {error}")))?;
    }
    // A file may come to a machine that has no data yet.
    let database = open_place(place, Purpose::Backups, from.is_some(), None)?;
    let mut line = Progress::new();
    if let Some(source) = of {
        let request = RestoreToTime { time_ms: *at, ..RestoreToTime::new(source, table) };
        let restored = database.restore_whole_to_time(request, &mut |progress| {
            line.count(progress.written, "items and changes");
        });
        drop(line);
        return finish(&database, restored, *json);
    }
    let mut look = |progress: singlet_engine::BackupProgress| {
        line.show(progress.items, progress.items_total, "items");
    };
    let restored = match (from, backup) {
        (Some(file), _) => database.restore_backup_file(file, table, RestoreOverrides::default(), &mut look),
        (None, Some(arn)) => database.restore_whole_backup(RestoreBackup::new(arn, table), &mut look),
        (None, None) => {
            return Err(Failure::Arguments(
                "say what to restore: --backup ARN, --from FILE or --of TABLE".to_owned(),
            ));
        }
    };
    drop(line);
    finish(&database, restored, *json)
}

/// Reports the outcome of a restore.
fn finish(
    database: &Database,
    restored: Result<TableDescription, Error>,
    as_json: bool,
) -> Result<(), Failure> {
    let restored = restored.map_err(|error| Failure::Refused(format!("nothing was restored: {error}")))?;
    database.close().map_err(|error| Failure::Refused(error.to_string()))?;
    let as_of = restored.restore.as_ref().map(|summary| moment(summary.time_ms)).unwrap_or_default();
    let source = restored.restore.as_ref().and_then(|summary| summary.source_table_arn.rsplit('/').next());
    let mut out = stdout().lock();
    if as_json {
        let answer = Json::from([
            ("table", Json::from(restored.name.as_str())),
            ("source", source.map_or(Json::Null, Json::from)),
            ("at", Json::Text(as_of)),
            ("items", Json::Number(Number::from(restored.item_count))),
        ]);
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    let source = source.unwrap_or("a table");
    let items = counted(restored.item_count, "item");
    writeln!(out, "{}: {items} of {source}, as of {as_of}", restored.name)?;
    Ok(())
}
