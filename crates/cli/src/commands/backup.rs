//! `singlet backup`.

use std::io::{Write, stdout};
use std::path::Path;

use singlet_engine::{CreateBackup, Database, Key, ListTables};

use crate::arguments::BackupArguments;
use crate::commands::backups::moment;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::size::readable;
use crate::target::{Purpose, open_place};

/// The name of a backup unless another one is given.
const NAME: &str = "by-hand";

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
    for table in &tables {
        match &arguments.to {
            Some(folder) => write_file(&database, table, folder, arguments.place.key.key()?.as_ref())?,
            None => take(&database, table, arguments.name.as_deref().unwrap_or(NAME))?,
        }
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

fn take(database: &Database, table: &str, name: &str) -> Result<(), Failure> {
    let mut line = Progress::new();
    let backup = database.create_whole_backup(CreateBackup::new(table, name), &mut |progress| {
        line.show(progress.items, progress.items_total, "items");
    });
    drop(line);
    let backup = backup.map_err(|error| Failure::Refused(error.to_string()))?;
    let items = backup.source.item_count;
    writeln!(
        stdout().lock(),
        "{table}: {items} items, {}, as of {}\n  {}",
        readable(backup.source.size_bytes),
        moment(backup.created_ms),
        backup.arn
    )?;
    Ok(())
}

fn write_file(database: &Database, table: &str, folder: &Path, key: Option<&Key>) -> Result<(), Failure> {
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
    let items = backup.source.item_count;
    writeln!(
        stdout().lock(),
        "{table}: {items} items, {}, as of {}, written and verified\n  {}",
        readable(backup.source.size_bytes),
        moment(backup.created_ms),
        path.display()
    )?;
    Ok(())
}
