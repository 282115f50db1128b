//! `singlet backups`.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use singlet_design::Json;
use singlet_engine::values::Number;
use singlet_engine::{BackupDescription, BackupStatus, Database, ListBackups};

use crate::arguments::{BackupsArguments, OutputFormat};
use crate::columns::columns;
use crate::counted::counted;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::size::readable;
use crate::target::{Purpose, open_place};

/// The extension of backup files.
const EXTENSION: &str = "backup";

/// A backup and where it is; with its damage, if it was looked for and found.
struct Found {
    place: String,
    backup: Result<BackupDescription, String>,
}

/// Lists, verifies or deletes backups.
pub(crate) fn backups(arguments: &BackupsArguments) -> Result<(), Failure> {
    let found = match &arguments.folder {
        Some(folder) => in_folder(folder, arguments)?,
        None => {
            let database = open_place(&arguments.place, Purpose::Backups, false, None)?;
            if let Some(arn) = &arguments.delete {
                return delete(&database, arn);
            }
            let found = in_database(&database, arguments)?;
            database.close().map_err(|error| Failure::Refused(error.to_string()))?;
            found
        }
    };
    show(&found, arguments)?;
    let damaged = found.iter().filter(|found| found.backup.is_err()).count();
    if damaged > 0 {
        return Err(Failure::Refused(format!(
            "{damaged} of {} can't be restored",
            counted(found.len() as u64, "backup")
        )));
    }
    Ok(())
}

fn delete(database: &Database, arn: &str) -> Result<(), Failure> {
    let deleted = database.delete_backup(arn).map_err(|error| Failure::Refused(error.to_string()))?;
    database.close().map_err(|error| Failure::Refused(error.to_string()))?;
    let (table, created) = (&deleted.source.name, moment(deleted.created_ms));
    writeln!(stdout().lock(), "the backup of {table}, as of {created}, is deleted")?;
    Ok(())
}

/// The backups that a database has.
fn in_database(database: &Database, arguments: &BackupsArguments) -> Result<Vec<Found>, Failure> {
    let mut found = Vec::new();
    let mut page = ListBackups { table: arguments.table.clone(), ..ListBackups::default() };
    loop {
        let outcome = database.list_backups(&page).map_err(|error| Failure::Refused(error.to_string()))?;
        for backup in outcome.backups {
            let place = backup.arn.clone();
            let backup = if arguments.verify && backup.status == BackupStatus::Available {
                watched(|look| database.verify_backup(&place, look))
            } else {
                Ok(backup)
            };
            found.push(Found { place, backup });
        }
        match outcome.last {
            Some(last) => page.start_after = Some(last),
            None => return Ok(found),
        }
    }
}

/// The backups in files of a folder.
fn in_folder(folder: &Path, arguments: &BackupsArguments) -> Result<Vec<Found>, Failure> {
    let unreadable = |reason| Failure::unreadable(folder, reason);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    paths.sort();
    let key = arguments.place.key.key()?;
    let mut found = Vec::new();
    for path in paths {
        let backup =
            watched(|look| Database::describe_backup_file(&path, key.as_ref(), arguments.verify, look));
        let of_another = |backup: &BackupDescription| {
            arguments.table.as_ref().is_some_and(|table| *table != backup.source.name)
        };
        if !backup.as_ref().is_ok_and(of_another) {
            found.push(Found { place: path.display().to_string(), backup });
        }
    }
    Ok(found)
}

/// Does something that takes a while, and shows how far it is.
fn watched<T>(
    work: impl FnOnce(&mut dyn FnMut(singlet_engine::BackupProgress)) -> singlet_engine::Result<T>,
) -> Result<T, String> {
    let mut line = Progress::new();
    let outcome = work(&mut |progress| line.show(progress.items, progress.items_total, "items verified"));
    outcome.map_err(|error| error.to_string())
}

fn show(found: &[Found], arguments: &BackupsArguments) -> Result<(), Failure> {
    let mut out = stdout().lock();
    if arguments.json || arguments.format == OutputFormat::Json {
        let list = found.iter().map(|found| json(found, arguments.verify)).collect();
        writeln!(out, "{}", Json::List(list))?;
        return Ok(());
    }
    if found.is_empty() {
        let place = arguments.folder.as_ref().unwrap_or(&arguments.place.data);
        writeln!(out, "no backups in {}", place.display())?;
        return Ok(());
    }
    let sound: Vec<_> =
        found.iter().filter_map(|found| Some((&found.place, found.backup.as_ref().ok()?))).collect();
    let rows = Json::List(sound.iter().map(|(_, backup)| row(backup, arguments.verify)).collect());
    for ((place, _), row) in sound.iter().zip(columns(&rows, None).lines().skip(1)) {
        // The place is long and wanted whole, to be copied: it has a line of its own.
        writeln!(out, "{row}\n  {place}")?;
    }
    for found in found {
        if let Err(reason) = &found.backup {
            writeln!(out, "DAMAGED  {}\n  {reason}", found.place)?;
        }
    }
    Ok(())
}

/// The row of a backup.
fn row(backup: &BackupDescription, verified: bool) -> Json {
    let cells = [
        ("table", backup.source.name.clone()),
        ("created", moment(backup.created_ms)),
        ("items", counted(backup.source.item_count, "item")),
        ("size", readable(backup.source.size_bytes)),
        ("name", backup.name.clone()),
        ("state", state(backup, verified)),
    ];
    Json::Object(cells.map(|(name, text)| (name.to_owned(), Json::Text(text))).to_vec())
}

fn state(backup: &BackupDescription, verified: bool) -> String {
    let mut words = match backup.status {
        BackupStatus::Available if verified => "verified".to_owned(),
        BackupStatus::Available => String::new(),
        BackupStatus::Creating => "being written".to_owned(),
        BackupStatus::Deleted => "deleted".to_owned(),
    };
    if let Some(expires_ms) = backup.expires_ms {
        let separator = if words.is_empty() { "" } else { ", " };
        words += &format!("{separator}kept until {}", moment(expires_ms));
    }
    words
}

fn json(found: &Found, verified: bool) -> Json {
    let mut members = vec![("place".to_owned(), Json::from(found.place.as_str()))];
    match &found.backup {
        Ok(backup) => members.extend(described(backup, verified)),
        Err(reason) => members.push(("damage".to_owned(), Json::from(reason.as_str()))),
    }
    Json::Object(members)
}

/// Returns the members of the JSON object for a backup, without its place.
pub(super) fn described(backup: &BackupDescription, verified: bool) -> Vec<(String, Json)> {
    let text = |text: &str| Json::Text(text.to_owned());
    let number = |value: u64| Json::Number(Number::from(value));
    let mut members = vec![
        ("arn".to_owned(), text(&backup.arn)),
        ("name".to_owned(), text(&backup.name)),
        ("table".to_owned(), text(&backup.source.name)),
        ("created".to_owned(), text(&moment(backup.created_ms))),
        ("items".to_owned(), number(backup.source.item_count)),
        ("bytes".to_owned(), number(backup.source.size_bytes)),
        ("whole".to_owned(), Json::Bool(backup.status == BackupStatus::Available)),
        ("verified".to_owned(), Json::Bool(verified)),
    ];
    if let Some(expires_ms) = backup.expires_ms {
        members.push(("kept_until".to_owned(), text(&moment(expires_ms))));
    }
    members
}

/// A time for people, in UTC and to the second.
pub(super) fn moment(time_ms: u64) -> String {
    let time = i64::try_from(time_ms / 1000).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| format!("{time_ms} ms"), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_readable() {
        assert_eq!(moment(1_700_000_000_999), "2023-11-14T22:13:20Z");
    }
}
