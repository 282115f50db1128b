//! An encrypted database: nothing of it can be read in its files, and nothing in them can be changed unnoticed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::path::Path;
use std::sync::Arc;

use singlet_engine::store::{FrozenDisk, rotate_key};
use singlet_engine::values::Item;
use singlet_engine::{
    CreateBackup, CreateTable, Database, Disk, EncryptionRequest, Error, FileDisk, IndexDefinition, Invalid,
    Key, KeyError, ListTables, MemoryDisk, Options, PutItem, RestoreBackup, RestoreOverrides, ScalarType,
    Scan, StoreOptions, TransactWrite, UpdateRecovery,
};
use support::{assert_agreement, item, scan_all, small_options};

/// Stands in table names, keys, index keys, attributes and tokens.
const MARKER: &str = "QUOKKA-8715";
const TABLE: &str = "table.QUOKKA-8715";

fn key() -> Key {
    Key::from_bytes([42; 32])
}

fn encrypted(key: &Key) -> Options {
    let options = small_options();
    Options { store: StoreOptions { key: Some(key.clone()), ..options.store }, ..options }
}

fn definition() -> CreateTable {
    CreateTable::new(TABLE, "pk", ScalarType::S)
        .sort_key("sk", ScalarType::N)
        .attribute("group", ScalarType::S)
        .local_index(IndexDefinition::new("local", &["pk"], &["group"]))
        .global_index(IndexDefinition::new("global", &["group"], &["sk"]))
}

fn marked(number: i64) -> Item {
    item! {
        "pk" => format!("{MARKER} {}", number % 7), "sk" => number, "group" => format!("{MARKER} group {}", number % 3),
        MARKER => MARKER.repeat(12),
    }
}

/// Enough to fold, rotate and use log files again, with a restart in the middle.
fn fill(open: impl Fn() -> Database) -> Database {
    let database = open();
    database.create_table(definition()).unwrap();
    // Folded changes are kept in files of the past.
    database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    for number in 0..300 {
        database.put_item(PutItem::new(TABLE, marked(number))).unwrap();
    }
    database.close().unwrap();
    drop(database);
    let database = open();
    for number in 200..400 {
        let put = PutItem::new(TABLE, marked(number)).into();
        let token = format!("{MARKER} {number}");
        database.transact_write(TransactWrite::new(vec![put]).token(token)).unwrap();
    }
    database.create_whole_backup(CreateBackup::new(TABLE, MARKER), &mut |_| {}).unwrap();
    database
}

/// The files of a folder that have the marker in them.
fn files_with_marker(folder: &Path) -> Vec<String> {
    let mut with_marker = Vec::new();
    for name in names(folder) {
        let content = std::fs::read(folder.join(&name)).unwrap();
        if content.windows(MARKER.len()).any(|bytes| bytes == MARKER.as_bytes()) {
            with_marker.push(name);
        }
    }
    with_marker
}

fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn no_file_of_an_encrypted_folder_has_a_known_text_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let database = fill(|| Database::open_with(folder.path(), encrypted(&key())).unwrap());
    assert_eq!(files_with_marker(folder.path()), Vec::<String>::new(), "while it is open");
    for prefix in ["keys", "tree", "log-", "spare-", "past-", "backup-"] {
        assert!(names(folder.path()).iter().any(|name| name.starts_with(prefix)), "there is no {prefix}");
    }
    database.close().unwrap();
    drop(database);
    assert_eq!(files_with_marker(folder.path()), Vec::<String>::new(), "when it is closed");

    let folder = tempfile::tempdir().unwrap();
    fill(|| Database::open_with(folder.path(), small_options()).unwrap()).close().unwrap();
    let found = files_with_marker(folder.path());
    for prefix in ["tree", "log-", "past-", "backup-"] {
        assert!(found.iter().any(|name| name.starts_with(prefix)), "the test can't fail for {prefix}");
    }
}

#[test]
fn a_copy_that_leaves_the_folder_is_encrypted_with_the_same_key() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let database = fill(|| Database::open_with(folder.path(), encrypted(&key())).unwrap());
    let path = database.write_backup_file(TABLE, elsewhere.path(), &mut |_| {}).unwrap();
    // The name of the file says what it is.
    assert_eq!(names(elsewhere.path()).len(), 1);
    assert_eq!(files_with_marker(elsewhere.path()), Vec::<String>::new());
    database.restore_backup_file(&path, "again", RestoreOverrides::default(), &mut |_| {}).unwrap();
    assert_eq!(assert_agreement(&database, "again").len(), 400);

    let describe = |key: Option<&Key>| Database::describe_backup_file(&path, key, true, &mut |_| {});
    assert!(describe(Some(&key())).is_ok());
    assert!(matches!(describe(None), Err(Error::Key(KeyError::Missing { .. }))));
    assert!(matches!(describe(Some(&Key::from_bytes([1; 32]))), Err(Error::Key(KeyError::Wrong { .. }))));
    let content = std::fs::read(&path).unwrap();
    for at in (0..content.len()).step_by(3_001).filter(|at| content[*at] != 0) {
        let mut flipped = content.clone();
        flipped[at] ^= 1;
        std::fs::write(&path, flipped).unwrap();
        // The last block is there twice.
        let in_copy = (2 * 4096..6 * 4096).contains(&at);
        assert!(describe(Some(&key())).is_err() || in_copy, "byte {at}");
    }
}

#[test]
fn wrong_missing_and_needless_keys_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let open = |options| Database::open_with(folder.path(), options).map(drop);
    let other = Key::from_bytes([1; 32]);
    open(encrypted(&key())).unwrap();
    assert!(matches!(open(small_options()), Err(Error::Key(KeyError::Missing { id })) if id == key().id()));
    let wrong = open(encrypted(&other));
    assert!(matches!(wrong, Err(Error::Key(KeyError::Wrong { expected, given }))
        if expected == key().id() && given == other.id()));
    open(encrypted(&key())).unwrap();

    let plain = tempfile::tempdir().unwrap();
    drop(Database::open_with(plain.path(), small_options()).unwrap());
    let needless = Database::open_with(plain.path(), encrypted(&key())).map(drop);
    assert!(matches!(needless, Err(Error::Key(KeyError::NotEncrypted))), "{needless:?}");
    drop(Database::open_with(plain.path(), small_options()).unwrap());
}

#[test]
fn the_outer_key_changes_and_the_data_stays() {
    let folder = tempfile::tempdir().unwrap();
    fill(|| Database::open_with(folder.path(), encrypted(&key())).unwrap()).close().unwrap();
    let new = Key::generate().unwrap();
    rotate_key(&FileDisk::open(folder.path()).unwrap(), &key(), &new).unwrap();
    assert!(matches!(Database::open_with(folder.path(), encrypted(&key())), Err(Error::Key(_))));
    let database = Database::open_with(folder.path(), encrypted(&new)).unwrap();
    assert_eq!(assert_agreement(&database, TABLE).len(), 400);
}

#[test]
fn a_table_that_asked_to_be_encrypted_says_so_and_so_does_what_is_restored_from_it() {
    let disk = Arc::new(MemoryDisk::new());
    let database = Database::open_on(disk, encrypted(&key())).unwrap();
    let asks = EncryptionRequest::On { key: None };
    let table = database.create_table(CreateTable { encryption: Some(asks), ..definition() }).unwrap();
    assert_eq!(table.key_arn, database.key_arn());
    assert!(table.key_arn.unwrap().ends_with(&format!(":key/{}", key().id())));
    let backup = database.create_whole_backup(CreateBackup::new(TABLE, "one"), &mut |_| {}).unwrap();
    let restore = |table: &str, encryption| {
        let overrides = RestoreOverrides { encryption, ..RestoreOverrides::default() };
        let request = RestoreBackup { arn: backup.arn.clone(), table: table.to_owned(), overrides };
        database.restore_whole_backup(request, &mut |_| {}).unwrap()
    };
    assert_eq!(restore("again", None).key_arn, database.key_arn());
    assert_eq!(restore("without", Some(EncryptionRequest::Off)).key_arn, None);

    let plain = Database::in_memory().unwrap();
    let asks = EncryptionRequest::On { key: None };
    let refused = plain.create_table(CreateTable { encryption: Some(asks), ..definition() });
    assert!(matches!(refused, Err(Error::Invalid(Invalid::NotEncrypted))), "{refused:?}");
}

/// Everything that can be read, or why it can't.
fn read_everything(disk: Arc<dyn Disk>) -> Result<Vec<Item>, Error> {
    let database = Database::open_on(disk, encrypted(&key()))?;
    let mut items = Vec::new();
    for name in database.list_tables(&ListTables::default()).names {
        let description = database.describe_table(&name)?;
        items.push(
            item! { "count" => description.item_count as i64, "bytes" => description.size_bytes as i64 },
        );
        let indexes = [None, Some("local"), Some("global")];
        for index in indexes {
            items.extend(scan(&database, &name, index)?);
        }
    }
    Ok(items)
}

fn scan(database: &Database, table: &str, index: Option<&str>) -> Result<Vec<Item>, Error> {
    let mut scan = Scan::new(table);
    scan.index = index.map(str::to_owned);
    let mut items = Vec::new();
    loop {
        let page = database.scan(&scan)?;
        items.extend(page.items.iter().flatten().map(|item| item.decode().unwrap()));
        match page.last_key {
            Some(last) => scan.start_key = Some(last),
            None => return Ok(items),
        }
    }
}

#[test]
fn every_flipped_byte_is_reported_or_changes_nothing() {
    let disk = Arc::new(MemoryDisk::new());
    let database = fill(|| Database::open_on(disk.clone(), encrypted(&key())).unwrap());
    database.close().unwrap();
    drop(database);
    let expected = read_everything(Arc::new(FrozenDisk::new(disk.clone()).unwrap())).unwrap();
    assert!(expected.len() > 1_000);
    let (mut reported, mut tried) = (0, 0);
    for name in disk.list().unwrap() {
        let file = disk.open(&name).unwrap();
        let length = file.len().unwrap();
        let mut content = vec![0; length as usize];
        file.read_exact_at(0, &mut content).unwrap();
        // All of what is small; of the rest a few bytes of each block that has something in it.
        let step = if length < 1_000 { 1 } else { 1_531 };
        for at in (0..content.len())
            .step_by(step)
            .filter(|at| content[*at..].iter().take(16).any(|byte| *byte != 0))
        {
            let frozen: Arc<dyn Disk> = Arc::new(FrozenDisk::new(disk.clone()).unwrap());
            let flipped = [content[at] ^ 1 << (at % 8)];
            frozen.open(&name).unwrap().write_all_at(at as u64, &flipped).unwrap();
            tried += 1;
            match read_everything(frozen) {
                Ok(found) => assert!(found == expected, "{name}, byte {at}: another answer"),
                Err(Error::Key(KeyError::Damaged { .. })) if name == "keys" => reported += 1,
                Err(error) => {
                    assert!(error.to_string().contains("damaged at offset"), "{name}, byte {at}: {error}");
                    reported += 1;
                }
            }
        }
    }
    assert!(tried > 300 && reported > tried / 4, "{reported} of {tried} reported");
}

#[test]
fn a_scan_of_the_whole_still_agrees_after_many_restarts() {
    let disk = Arc::new(MemoryDisk::new());
    let open = || Database::open_on(disk.clone(), encrypted(&key())).unwrap();
    let database = fill(open);
    drop(database);
    for round in 0..5 {
        let database = open();
        database.put_item(PutItem::new(TABLE, marked(1_000 + round))).unwrap();
        assert_agreement(&database, TABLE);
        assert_eq!(scan_all(&database, &Scan::new(TABLE)).len(), 401 + round as usize);
    }
}
