//! The power goes at every sync of making, deleting and restoring backups: what was acknowledged holds afterwards, and
//! nothing is left over.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use singlet_values::{AttributeValue, Item};

use super::file_name;
use crate::request::{
    BackupDescription, BackupStatus, CreateBackup, CreateTable, IndexDefinition, ListBackups, PutItem,
    RestoreBackup, ScalarType, Scan, TableStatus,
};
use crate::store::tests::fixture::Random;
use crate::store::tests::power_disk::PowerDisk;
use crate::store::{ManualClock, StoreOptions};
use crate::{Database, Error, Options, Result};

const TABLE: &str = "table";
const RESTORED: &str = "restored";
const READY_WITHIN: Duration = Duration::from_secs(30);

fn open(disk: &PowerDisk) -> Result<Database> {
    let store = StoreOptions {
        overlay_bytes_max: 8 << 10,
        cache_bytes: 1 << 20,
        segment_bytes: 16 << 10,
        ..StoreOptions::default()
    };
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    Database::open_on(disk.as_disk(), Options { store, clock, ..Options::default() })
}

/// The acknowledged backups and items.
#[derive(Default)]
struct Acknowledged {
    /// Items put so far; item n has the number n.
    items: i64,
    /// Backups that are whole, with the number of items that they hold.
    whole: Vec<(String, i64)>,
    /// Backups of which only the beginning was acknowledged.
    begun: Vec<String>,
    deleted: Vec<String>,
    restored: Option<i64>,
}

fn put_more(database: &Database, seen: &mut Acknowledged) -> Result<()> {
    for _ in 0..12 {
        let mut item = Item::from([("id", seen.items)]);
        item.insert("group", AttributeValue::from("g"));
        item.insert("body", "x".repeat(300));
        database.put_item(PutItem::new(TABLE, item))?;
        seen.items += 1;
    }
    Ok(())
}

fn back_up(database: &Database, seen: &mut Acknowledged) -> Result<String> {
    let backup = database.create_whole_backup(CreateBackup::new(TABLE, "backup"), &mut |_| ())?;
    seen.whole.push((backup.arn.clone(), seen.items));
    Ok(backup.arn)
}

/// Works until the disk fails or everything is done.
fn work(database: &Database, seen: &mut Acknowledged) -> Result<()> {
    let table = CreateTable::new(TABLE, "id", ScalarType::N)
        .attribute("group", ScalarType::S)
        .global_index(IndexDefinition::new("groups", &["group"], &["id"]));
    database.create_table(table)?;
    put_more(database, seen)?;
    let first = back_up(database, seen)?;
    put_more(database, seen)?;
    let second = back_up(database, seen)?;
    seen.whole.retain(|(arn, _)| *arn != first);
    database.delete_backup(&first)?;
    seen.deleted.push(first);
    let held = seen.items;
    put_more(database, seen)?;
    database.restore_whole_backup(RestoreBackup::new(second, RESTORED), &mut |_| ())?;
    seen.restored = Some(held);
    seen.begun.push(database.create_backup(CreateBackup::new(TABLE, "begun"))?.arn);
    Ok(())
}

/// The numbers of a table's items, which are also those of its index.
fn numbers(database: &Database, table: &str) -> Vec<i64> {
    let mut found = Vec::new();
    for scan in [Scan::new(table), Scan::new(table).index("groups")] {
        let items = database.scan(&scan).unwrap().items.unwrap();
        let mut numbers: Vec<i64> = items
            .iter()
            .map(|item| match item.decode().unwrap().get("id") {
                Some(AttributeValue::N(id)) => id.to_i64().unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        numbers.sort_unstable();
        found.push(numbers);
    }
    assert_eq!(found[0], found[1], "the index of {table}");
    found.swap_remove(0)
}

fn backups(database: &Database) -> Vec<BackupDescription> {
    database.list_backups(&ListBackups::default()).unwrap().backups
}

fn wait_until_whole(database: &Database, context: &str) {
    let start = Instant::now();
    while backups(database).iter().any(|backup| backup.status != BackupStatus::Available) {
        assert!(start.elapsed() < READY_WITHIN, "{context}: a backup does not become whole");
        std::thread::yield_now();
    }
}

fn check(disk: &PowerDisk, seen: &Acknowledged, context: &str) {
    let database = open(disk).unwrap_or_else(|error| panic!("{context}: {error}"));
    wait_until_whole(&database, context);
    let there: BTreeSet<String> = backups(&database).into_iter().map(|backup| backup.arn).collect();
    for (arn, items) in &seen.whole {
        let table = format!("{RESTORED}-{items}");
        database
            .restore_whole_backup(RestoreBackup::new(arn, &table), &mut |_| ())
            .unwrap_or_else(|error| panic!("{context}: {arn}: {error}"));
        assert_eq!(numbers(&database, &table), (0..*items).collect::<Vec<_>>(), "{context}: {arn}");
    }
    for arn in &seen.begun {
        assert!(there.contains(arn), "{context}: {arn} is gone");
    }
    for arn in &seen.deleted {
        assert!(!there.contains(arn), "{context}: {arn} is there again");
    }
    match (database.describe_table(RESTORED), seen.restored) {
        (Ok(table), _) => {
            // A backup that ended without being acknowledged is complete too.
            assert_eq!(table.status, TableStatus::Active, "{context}");
            assert_eq!(numbers(&database, RESTORED), (0..24).collect::<Vec<_>>(), "{context}");
        }
        (Err(_), None) => {}
        (Err(error), Some(_)) => panic!("{context}: {error}"),
    }
    let files: BTreeSet<String> = disk.names("backup-").into_iter().collect();
    let expected = there.iter().map(|arn| file_name(arn.rsplit('/').next().unwrap())).collect();
    assert_eq!(files, expected, "{context}: files and rows");
}

#[test]
fn power_cut_at_any_sync_of_a_backups_life() {
    for cut in 0.. {
        let disk = PowerDisk::new();
        disk.cut_power_after_syncs(cut);
        let mut seen = Acknowledged::default();
        let finished = open(&disk).and_then(|database| {
            work(&database, &mut seen)?;
            database.close()
        });
        let context = format!("cut {cut}");
        match &finished {
            Ok(()) => {}
            Err(_) => assert!(disk.is_off(), "{context}: {finished:?}"),
        }
        check(&disk.after_kill(), &seen, &format!("{context}, killed"));
        check(&disk.after_power_loss(&mut Random::new(cut as u64)), &seen, &context);
        if finished.is_ok() && !disk.is_off() {
            assert!(cut > 40, "the scenario has become too short to say anything: {cut}");
            break;
        }
    }
}

#[test]
fn a_backup_that_can_not_be_written_is_gone_and_the_database_goes_on() {
    use crate::store::tests::power_disk::{Fault, Operation};
    let disk = PowerDisk::new();
    let database = open(&disk).unwrap();
    let mut seen = Acknowledged::default();
    database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
    put_more(&database, &mut seen).unwrap();
    for operation in [Operation::Write, Operation::Sync, Operation::Grow, Operation::Rename] {
        let kind = std::io::ErrorKind::StorageFull;
        disk.fail(Some(Fault { operation, file_prefix: "backup-", after: 0, kind }));
        let failed = database.create_whole_backup(CreateBackup::new(TABLE, "backup"), &mut |_| ());
        assert!(matches!(failed, Err(Error::Backup(_))), "{operation:?}: {failed:?}");
        assert_eq!(backups(&database), Vec::new(), "{operation:?}");
        disk.fail(None);
        // Where nothing can be renamed, nothing can be removed either: that is left to the next opening.
        if operation != Operation::Rename {
            assert_eq!(disk.names("backup-"), Vec::<String>::new(), "{operation:?}");
        }
    }
    put_more(&database, &mut seen).unwrap();
    let arn = back_up(&database, &mut seen).unwrap();
    database.restore_whole_backup(RestoreBackup::new(arn, RESTORED), &mut |_| ()).unwrap();
    assert_eq!(database.describe_table(RESTORED).unwrap().item_count, 24);
}

#[test]
fn opening_removes_files_that_no_backup_has() {
    let disk = PowerDisk::new();
    let database = open(&disk).unwrap();
    let mut seen = Acknowledged::default();
    database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
    put_more(&database, &mut seen).unwrap();
    back_up(&database, &mut seen).unwrap();
    let kept = disk.names("backup-");
    drop(database);
    for name in ["backup-01700000000000-deadbeef", "backup-01700000000000-deadbeef.new", "backup-other"] {
        disk.as_disk().open(name).unwrap();
    }
    let database = open(&disk).unwrap();
    assert_eq!(disk.names("backup-"), kept);
    assert_eq!(backups(&database).len(), 1);
}
