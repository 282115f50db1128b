//! `singlet backup`.

use std::io::{Write, stdout};
use std::path::Path;

use singlet_design::Json;
use singlet_engine::{BackupDescription, CreateBackup, Database, Key, ListTables};

use crate::arguments::BackupArguments;
use crate::commands::backups::{described, moment};
use crate::counted::counted;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::size::readable;
use crate::target::{Purpose, open_place};

/// The name of a backup unless another one is given.
const NAME: &str = "by-hand";

/// A backup that was taken, and its ARN or the path of its file.
struct Taken {
    place: String,
    backup: BackupDescription,
    is_verified: bool,
}

impl Taken {
    fn show(&self) -> Result<(), Failure> {
        let Self { place, backup, is_verified } = self;
        let (table, items) = (&backup.source.name, counted(backup.source.item_count, "item"));
        let (size, created) = (readable(backup.source.size_bytes), moment(backup.created_ms));
        let verified = if *is_verified { ", written and verified" } else { "" };
        writeln!(stdout().lock(), "{table}: {items}, {size}, as of {created}{verified}\n  {place}")?;
        Ok(())
    }

    fn json(&self) -> Json {
        let mut members = vec![("place".to_owned(), Json::from(self.place.as_str()))];
        members.extend(described(&self.backup, self.is_verified));
        Json::Object(members)
    }
}

/// Takes backups.
pub(crate) fn backup(arguments: &BackupArguments) -> Result<(), Failure> {
    let database = open_place(&arguments.place, Purpose::Backups, false, None)?;
    let tables = match &arguments.table {
        Some(table) => vec![table.clone()],
        None => all_tables(&database),
    };
    if tables.is_empty() {
        return Err(Failure::Refused(format!("there are no tables in {}", arguments.place.data.display())));
    }
    let mut taken = Vec::new();
    for table in &tables {
        let one = match &arguments.to {
            Some(folder) => write_file(&database, table, folder, arguments.place.key.key()?.as_ref())?,
            None => take(&database, table, arguments.name.as_deref().unwrap_or(NAME))?,
        };
        if !arguments.json {
            one.show()?;
        }
        taken.push(one);
    }
    if arguments.json {
        writeln!(stdout().lock(), "{}", Json::List(taken.iter().map(Taken::json).collect()))?;
    }
    database.close().map_err(|error| Failure::Refused(error.to_string()))
}

fn all_tables(database: &Database) -> Vec<String> {
    let mut tables = Vec::new();
    let mut page = ListTables::default();
    loop {
        let outcome = database.list_tables(&page);
        tables.extend(outcome.names);
        match outcome.last {
            Some(last) => page.start_after = Some(last),
            None => return tables,
        }
    }
}

fn take(database: &Database, table: &str, name: &str) -> Result<Taken, Failure> {
    let mut line = Progress::new();
    let backup = database.create_whole_backup(CreateBackup::new(table, name), &mut |progress| {
        line.show(progress.items, progress.items_total, "items");
    });
    drop(line);
    let backup = backup.map_err(|error| Failure::Refused(error.to_string()))?;
    Ok(Taken { place: backup.arn.clone(), backup, is_verified: false })
}

fn write_file(database: &Database, table: &str, folder: &Path, key: Option<&Key>) -> Result<Taken, Failure> {
    let mut line = Progress::new();
    let path = database.write_backup_file(table, folder, &mut |progress| {
        line.show(progress.items, progress.items_total, "items");
    });
    let path = path.map_err(|error| Failure::Refused(error.to_string()))?;
    // A disk that is taken out and put away deserves a second look.
    let backup = Database::describe_backup_file(&path, key, true, &mut |progress| {
        line.show(progress.items, progress.items_total, "items verified");
    });
    drop(line);
    let backup = backup.map_err(|error| Failure::Refused(error.to_string()))?;
    Ok(Taken { place: path.display().to_string(), backup, is_verified: true })
}
