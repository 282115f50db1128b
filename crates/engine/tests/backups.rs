//! A backup is one moment of a table; a restore gives that moment back, or nothing.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    BackupDescription, BackupStatus, BillingMode, CreateBackup, CreateTable, Database, DeleteItem, Disk,
    Error, InUse, IndexDefinition, Key, ListBackups, ListTables, MemoryDisk, ProjectedAttributes, PutItem,
    RestoreBackup, RestoreOverrides, ScalarType, Scan, Schedule, TableStatus, TransactWrite, verify_on,
};
use support::{
    Random, START_MS, Stop, assert_agreement, item, options_with_clock, scan_all, small_database,
    small_options, sorted, update, wait_until_settled,
};

const TABLE: &str = "accounts";
const ACCOUNTS: i64 = 60;
const BALANCE: i64 = 100;
const READY_WITHIN: Duration = Duration::from_secs(30);
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(1);
const DAY_MS: u64 = 86_400_000;
/// Tells a copy of this program to work in the folder until it is killed.
const FOLDER_VARIABLE: &str = "SINGLET_TEST_BACK_UP_UNTIL_KILLED";

fn accounts_table() -> CreateTable {
    CreateTable::new(TABLE, "bank", ScalarType::N)
        .sort_key("account", ScalarType::N)
        .attribute("balance", ScalarType::N)
        .attribute("owner", ScalarType::S)
        .local_index(IndexDefinition::new("local", &["bank"], &["balance"]))
        .global_index(IndexDefinition::new("owners", &["owner"], &["balance"]))
        .global_index(
            IndexDefinition::new("balances", &["balance"], &[]).projection(ProjectedAttributes::KeysOnly),
        )
}

fn key(account: i64) -> Item {
    item! { "bank" => account % 3, "account" => account }
}

fn filled(database: &Database) {
    database.create_table(accounts_table()).unwrap();
    for account in 0..ACCOUNTS {
        let mut item = key(account);
        item.insert("balance", BALANCE);
        item.insert("text", "x".repeat(account as usize * 7));
        // Every third account has no owner, so it is in one index less.
        if account % 3 != 0 {
            item.insert("owner", format!("owner {}", account % 7));
        }
        database.put_item(PutItem::new(TABLE, item)).unwrap();
    }
}

fn wait_until_whole(database: &Database, arn: &str) -> BackupDescription {
    let start = Instant::now();
    loop {
        let backup = database.describe_backup(arn).unwrap();
        if backup.status == BackupStatus::Available {
            return backup;
        }
        assert!(start.elapsed() < READY_WITHIN, "the backup is not written: {backup:?}");
        thread::park_timeout(LOOK_AGAIN_AFTER);
    }
}

fn back_up(database: &Database, name: &str) -> BackupDescription {
    let begun = database.create_backup(CreateBackup::new(TABLE, name)).unwrap();
    wait_until_whole(database, &begun.arn)
}

fn restore(database: &Database, arn: &str, table: &str) {
    let begun = database.restore_backup(RestoreBackup::new(arn, table)).unwrap();
    assert_eq!(begun.status, TableStatus::Creating);
    wait_until_settled(database, table);
}

fn all(database: &Database) -> Vec<BackupDescription> {
    database.list_backups(&ListBackups::default()).unwrap().backups
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < READY_WITHIN, "{what}");
        thread::park_timeout(LOOK_AGAIN_AFTER);
    }
}

fn balance(item: &Item) -> i64 {
    match item.get("balance") {
        Some(AttributeValue::N(balance)) => balance.to_i64().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn sum(items: &[Item]) -> i64 {
    items.iter().map(balance).sum()
}

/// Moves an amount from one account to another, all or nothing.
fn transfer(database: &Database, random: &mut Random) -> Result<(), Error> {
    let from = random.below(ACCOUNTS as u64) as i64;
    let to = (from + 1 + random.below(ACCOUNTS as u64 - 1) as i64) % ACCOUNTS;
    let amount = random.below(9) as i64;
    let add = |account, amount: i64| {
        let update = update("ADD balance :amount", item! { ":amount" => amount });
        singlet_engine::UpdateItem::new(TABLE, key(account), update).into()
    };
    let both = TransactWrite::new(vec![add(from, -amount), add(to, amount)]);
    match database.transact_write(both) {
        // Another thread writes one of them at this moment.
        Ok(_) | Err(Error::TransactionCanceled { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

#[test]
fn a_backup_under_transfers_is_one_moment() {
    let database = small_database();
    filled(&database);
    let seed = Random::seed();
    let stop = Stop::default();
    let backups = thread::scope(|scope| {
        for thread in 0..3 {
            let (database, stop) = (&database, &stop);
            scope.spawn(move || {
                let mut random = Random::new(seed ^ thread);
                while !stop.is_set() {
                    transfer(database, &mut random).unwrap();
                }
            });
        }
        let _stops = stop.on_drop();
        (0..6).map(|number| back_up(&database, &format!("backup-{number}")).arn).collect::<Vec<_>>()
    });
    let mut contents = Vec::new();
    for (number, arn) in backups.iter().enumerate() {
        let table = format!("restored-{number}");
        restore(&database, arn, &table);
        let items = assert_agreement(&database, &table);
        assert_eq!(items.len() as i64, ACCOUNTS, "seed {seed}");
        assert_eq!(sum(&items), ACCOUNTS * BALANCE, "seed {seed}: backup {number} is torn");
        contents.push(sorted(items));
    }
    contents.dedup();
    assert!(contents.len() > 1, "nothing was written while the backups were taken");
}

#[test]
fn a_restored_table_is_the_table_as_it_was() {
    let database = small_database();
    filled(&database);
    let before = sorted(scan_all(&database, &Scan::new(TABLE)));
    let backup = back_up(&database, "before");
    assert_eq!(backup.source.item_count, before.len() as u64);
    assert_eq!(backup.source.size_bytes, before.iter().map(|item| item.size_bytes() as u64).sum::<u64>());
    for account in 0..ACCOUNTS {
        if account % 2 == 0 {
            database.delete_item(DeleteItem::new(TABLE, key(account))).unwrap();
        }
    }
    restore(&database, &backup.arn, "restored");
    assert_eq!(sorted(assert_agreement(&database, "restored")), before);
    let description = database.describe_table("restored").unwrap();
    let summary = description.restore.unwrap();
    assert_eq!(summary.source_backup_arn.as_deref(), Some(backup.arn.as_str()));
    assert_eq!((summary.source_table_arn, summary.time_ms), (backup.source.arn, backup.created_ms));
    assert!(!summary.in_progress);
    let source = database.describe_table(TABLE).unwrap();
    assert_eq!(description.key, source.key);
    assert_eq!(description.attributes, source.attributes);
    let names = |indexes: &[singlet_engine::IndexDescription]| -> Vec<_> {
        indexes.iter().map(|index| index.definition.clone()).collect()
    };
    assert_eq!(names(&description.global_indexes), names(&source.global_indexes));
    assert_eq!(names(&description.local_indexes), names(&source.local_indexes));
}

#[test]
fn a_backup_holds_what_was_acknowledged_before_it_and_nothing_later() {
    let database = small_database();
    filled(&database);
    for round in 0..20 {
        let mut item = key(ACCOUNTS + round);
        item.insert("balance", 1);
        database.put_item(PutItem::new(TABLE, item)).unwrap();
        let begun = database.create_backup(CreateBackup::new(TABLE, "moment")).unwrap();
        assert_eq!(begun.status, BackupStatus::Creating);
        let mut later = key(1_000 + round);
        later.insert("balance", 1);
        database.put_item(PutItem::new(TABLE, later)).unwrap();
        wait_until_whole(&database, &begun.arn);
        let table = format!("round-{round}");
        restore(&database, &begun.arn, &table);
        let count = database.describe_table(&table).unwrap().item_count as i64;
        assert_eq!(count, ACCOUNTS + 2 * round + 1);
    }
}

#[test]
fn a_deleted_table_comes_back_from_its_backup() {
    let database = small_database();
    filled(&database);
    let before = sorted(scan_all(&database, &Scan::new(TABLE)));
    let backup = back_up(&database, "last");
    database.delete_table(TABLE).unwrap();
    assert_eq!(all(&database), std::slice::from_ref(&backup));
    restore(&database, &backup.arn, TABLE);
    assert_eq!(sorted(assert_agreement(&database, TABLE)), before);
}

#[test]
fn a_restored_table_may_have_other_settings_and_fewer_indexes() {
    let database = small_database();
    filled(&database);
    let backup = back_up(&database, "whole");
    let capacity = singlet_engine::ProvisionedThroughput { read_units: 5, write_units: 6 };
    let overrides = RestoreOverrides {
        billing: Some(BillingMode::Provisioned),
        provisioned: Some(capacity),
        global_indexes: Some(Vec::new()),
        ..RestoreOverrides::default()
    };
    let request = RestoreBackup { overrides, ..RestoreBackup::new(&backup.arn, "other") };
    database.restore_whole_backup(request, &mut |_| ()).unwrap();
    let other = database.describe_table("other").unwrap();
    assert_eq!((other.billing, other.provisioned), (BillingMode::Provisioned, capacity));
    assert_eq!((other.global_indexes.len(), other.local_indexes.len()), (0, 1));
    assert_agreement(&database, "other");
}

#[test]
fn backups_are_listed_by_age_and_in_pages() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    filled(&database);
    database.create_table(CreateTable::new("other", "id", ScalarType::S)).unwrap();
    let mut arns = Vec::new();
    for number in 0..5 {
        let table = if number % 2 == 0 { TABLE } else { "other" };
        let backup = database.create_backup(CreateBackup::new(table, format!("n-{number}"))).unwrap();
        assert_eq!(backup.created_ms, START_MS + number * 1_000);
        wait_until_whole(&database, &backup.arn);
        arns.push(backup.arn);
        clock.advance_ms(1_000);
    }
    let list = |request: ListBackups| -> Vec<String> {
        database.list_backups(&request).unwrap().backups.into_iter().map(|backup| backup.arn).collect()
    };
    assert_eq!(list(ListBackups::default()), arns);
    let of_other = ListBackups { table: Some("other".to_owned()), ..ListBackups::default() };
    assert_eq!(list(of_other), [arns[1].clone(), arns[3].clone()]);
    let between = ListBackups {
        from_ms: Some(START_MS + 1_000),
        until_ms: Some(START_MS + 3_000),
        ..ListBackups::default()
    };
    assert_eq!(list(between), arns[1..3]);
    let mut pages = Vec::new();
    let mut start_after = None;
    loop {
        let request = ListBackups { limit: Some(2), start_after, ..ListBackups::default() };
        let page = database.list_backups(&request).unwrap();
        assert!(page.backups.len() <= 2);
        pages.extend(page.backups.into_iter().map(|backup| backup.arn));
        match page.last {
            Some(last) => start_after = Some(last),
            None => break,
        }
    }
    assert_eq!(pages, arns);
    let ids: Vec<&str> = arns.iter().map(|arn| arn.rsplit('/').next().unwrap()).collect();
    for (arn, id) in arns.iter().zip(ids) {
        assert!(arn.contains(":table/") && arn.contains("/backup/0170000000"), "{arn}");
        assert_eq!((id.len(), id.as_bytes()[14]), (23, b'-'), "{id}");
    }
}

#[test]
fn what_can_not_be_is_refused_by_name() {
    let database = small_database();
    filled(&database);
    let missing = database.create_backup(CreateBackup::new("nothing", "name"));
    assert!(matches!(missing, Err(Error::SourceTableNotFound(_))), "{missing:?}");
    let backup = back_up(&database, "there");
    let other = backup.arn.replace("/backup/01", "/backup/02");
    for arn in [other.as_str(), "arn:aws:dynamodb:us-east-1:000000000000:table/accounts", "", "/backup/"] {
        let told = [
            database.describe_backup(arn).map(drop),
            database.delete_backup(arn).map(drop),
            database.restore_backup(RestoreBackup::new(arn, "new")).map(drop),
        ];
        for told in told {
            assert!(matches!(told, Err(Error::BackupNotFound(_))), "{arn:?}: {told:?}");
        }
    }
    let taken = database.restore_backup(RestoreBackup::new(&backup.arn, TABLE));
    assert!(matches!(taken, Err(Error::TableAlreadyExists(_))), "{taken:?}");
    let named = database.restore_backup(RestoreBackup::new(&backup.arn, "x"));
    assert!(matches!(named, Err(Error::Invalid(_))), "{named:?}");
    let deleted = database.delete_backup(&backup.arn).unwrap();
    assert_eq!(deleted.status, BackupStatus::Deleted);
    let again = database.delete_backup(&backup.arn);
    assert!(matches!(again, Err(Error::BackupNotFound(_))), "{again:?}");
}

/// A disk in memory on which writing a backup's file waits until it is let go on.
struct HeldDisk {
    inner: Arc<dyn Disk>,
    gate: Arc<Gate>,
}

struct HeldFile {
    inner: Arc<dyn singlet_engine::DiskFile>,
    gate: Arc<Gate>,
}

/// Where reads and writes wait while it is locked for writing.
#[derive(Default)]
struct Gate {
    lock: std::sync::RwLock<()>,
    arrivals: std::sync::atomic::AtomicUsize,
}

impl Gate {
    fn pass(&self) {
        self.arrivals.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        drop(self.lock.read().unwrap());
    }

    fn arrivals(&self) -> usize {
        self.arrivals.load(std::sync::atomic::Ordering::SeqCst)
    }
}

impl Disk for HeldDisk {
    fn open(&self, name: &str) -> std::io::Result<Arc<dyn singlet_engine::DiskFile>> {
        let inner = self.inner.open(name)?;
        if !name.starts_with("backup-") {
            return Ok(inner);
        }
        Ok(Arc::new(HeldFile { inner, gate: self.gate.clone() }))
    }

    fn list(&self) -> std::io::Result<Vec<String>> {
        self.inner.list()
    }

    fn remove(&self, name: &str) -> std::io::Result<()> {
        self.inner.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> std::io::Result<()> {
        self.inner.rename(from, to)
    }

    fn sync_directory(&self) -> std::io::Result<()> {
        self.inner.sync_directory()
    }
}

impl singlet_engine::DiskFile for HeldFile {
    fn len(&self) -> std::io::Result<u64> {
        self.inner.len()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.gate.pass();
        self.inner.read_exact_at(offset, buffer)
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
        self.gate.pass();
        self.inner.write_all_at(offset, bytes)
    }

    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> std::io::Result<()> {
        self.inner.sync_data()
    }
}

#[test]
fn a_backup_in_the_making_protects_its_table_and_itself() {
    let gate: Arc<Gate> = Arc::default();
    let disk = HeldDisk { inner: Arc::new(MemoryDisk::new()), gate: gate.clone() };
    let database = Database::open_on(Arc::new(disk), small_options()).unwrap();
    filled(&database);
    let stop = gate.lock.write().unwrap();
    let backup = database.create_backup(CreateBackup::new(TABLE, "slow")).unwrap();
    let deleted = database.delete_table(TABLE);
    assert!(matches!(deleted, Err(Error::ResourceInUse(InUse::BeingBackedUp(_)))), "{deleted:?}");
    for refused in [
        database.delete_backup(&backup.arn).map(drop),
        database.restore_backup(RestoreBackup::new(&backup.arn, "new")).map(drop),
    ] {
        assert!(matches!(refused, Err(Error::BackupInUse(_))), "{refused:?}");
    }
    drop(stop);
    wait_until_whole(&database, &backup.arn);

    // A restore that goes on keeps the backup; its table is not there yet.
    let stop = gate.lock.write().unwrap();
    let arrivals = gate.arrivals();
    let restoring = database.submit_restore_backup(RestoreBackup::new(&backup.arn, "restored"));
    wait_until("the restore reads the backup", || gate.arrivals() > arrivals);
    assert!(matches!(database.delete_backup(&backup.arn), Err(Error::BackupInUse(_))));
    drop(stop);
    restoring.wait().unwrap();
    wait_until_settled(&database, "restored");
    database.delete_table(TABLE).unwrap();
    wait_until("the restore lets the backup go", || database.delete_backup(&backup.arn).is_ok());
}

#[test]
fn a_damaged_backup_is_told_and_leaves_no_table() {
    let disk = Arc::new(MemoryDisk::new());
    let database = Database::open_on(disk.clone(), small_options()).unwrap();
    filled(&database);
    let backup = back_up(&database, "fragile");
    let name = disk.list().unwrap().into_iter().find(|name| name.starts_with("backup-")).unwrap();
    let file = disk.open(&name).unwrap();
    let length = file.len().unwrap();
    for at in (0..length).step_by(usize::try_from(length / 40).unwrap()).chain([length - 1]) {
        let mut byte = [0];
        file.read_exact_at(at, &mut byte).unwrap();
        file.write_all_at(at, &[byte[0] ^ 0x10]).unwrap();
        for told in [
            database.restore_backup(RestoreBackup::new(&backup.arn, "restored")),
            database.restore_whole_backup(RestoreBackup::new(&backup.arn, "restored"), &mut |_| ()),
        ] {
            let error = told.unwrap_err();
            assert!(matches!(error, Error::Backup(_)) && error.to_string().contains(&name), "{at}: {error}");
        }
        assert_eq!(database.list_tables(&ListTables::default()).names, [TABLE], "byte {at}");
        file.write_all_at(at, &byte).unwrap();
    }
    disk.remove(&name).unwrap();
    let missing = database.restore_backup(RestoreBackup::new(&backup.arn, "restored")).unwrap_err();
    assert!(missing.to_string().contains("is missing"), "{missing}");
    assert_eq!(disk.list().unwrap().iter().filter(|name| name.starts_with("backup-")).count(), 0);
}

#[test]
fn a_file_outside_carries_a_table_to_another_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = small_database();
    filled(&database);
    let before = sorted(scan_all(&database, &Scan::new(TABLE)));
    let mut looks = Vec::new();
    let path = database
        .write_backup_file(TABLE, folder.path().join("new/folder"), &mut |progress| looks.push(progress))
        .unwrap();
    assert_eq!(looks.last().map(|last| (last.items, last.items_total)), Some((60, 60)));
    assert_eq!(all(&database), [], "it is not one of the database's own");
    let described = Database::describe_backup_file(&path, None, true, &mut |_| ()).unwrap();
    assert_eq!((described.source.name.as_str(), described.source.item_count), (TABLE, 60));

    let other = small_database();
    let overrides = RestoreOverrides::default;
    other.restore_backup_file(&path, "moved", overrides(), &mut |_| ()).unwrap();
    assert_eq!(sorted(assert_agreement(&other, "moved")), before);

    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let damaged = other.restore_backup_file(&path, "again", overrides(), &mut |_| ()).unwrap_err();
    assert!(damaged.to_string().contains("is damaged"), "{damaged}");
    assert!(Database::describe_backup_file(&path, None, true, &mut |_| ()).is_err());
    let missing = other.restore_backup_file(folder.path().join("no"), "again", overrides(), &mut |_| ());
    assert!(matches!(missing, Err(Error::Backup(_))), "{missing:?}");
    assert_eq!(other.list_tables(&ListTables::default()).names, ["moved"]);
    let names: Vec<_> = std::fs::read_dir(folder.path().join("new/folder")).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn a_file_outside_is_encrypted_if_the_data_is() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside");
    let key = |byte: u8| Key::from_bytes([byte; 32]);
    let with_key = |key: Option<Key>| {
        let small = small_options();
        let store = singlet_engine::StoreOptions { key, ..small.store.clone() };
        singlet_engine::Options { store, ..small }
    };
    let database = Database::in_memory_with(with_key(Some(key(1)))).unwrap();
    filled(&database);
    let path = database.write_backup_file(TABLE, &outside, &mut |_| ()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for marker in ["SNGLTBAK", "balance", "owner 1"] {
        assert!(
            !bytes.windows(marker.len()).any(|window| window == marker.as_bytes()),
            "{marker} can be read"
        );
    }
    let described = Database::describe_backup_file(&path, Some(&key(1)), true, &mut |_| ()).unwrap();
    assert_eq!(described.source.item_count, ACCOUNTS as u64);
    let other = Database::in_memory_with(with_key(Some(key(1)))).unwrap();
    other.restore_backup_file(&path, "moved", RestoreOverrides::default(), &mut |_| ()).unwrap();
    assert_eq!(assert_agreement(&other, "moved").len() as i64, ACCOUNTS);

    // Another key, or none, opens nothing.
    for database in [small_database(), Database::in_memory_with(with_key(Some(key(2)))).unwrap()] {
        let refused = database.restore_backup_file(&path, "moved", RestoreOverrides::default(), &mut |_| ());
        assert!(refused.is_err(), "{refused:?}");
        assert!(database.describe_table("moved").is_err());
    }
    assert!(Database::describe_backup_file(&path, None, true, &mut |_| ()).is_err());
    // Plain data can be copied into an encrypted folder. This is how data gets encrypted later.
    let plain = small_database();
    filled(&plain);
    let path = plain.write_backup_file(TABLE, &outside, &mut |_| ()).unwrap();
    other.restore_backup_file(&path, "from-plain", RestoreOverrides::default(), &mut |_| ()).unwrap();
}

#[test]
fn verification_looks_at_backups() {
    let disk = Arc::new(MemoryDisk::new());
    let database = Database::open_on(disk.clone(), small_options()).unwrap();
    filled(&database);
    back_up(&database, "checked");
    database.close().unwrap();
    drop(database);
    let findings = || verify_on(disk.clone(), None, &mut |_| {}).unwrap().findings;
    assert_eq!(findings(), []);
    let name = disk.list().unwrap().into_iter().find(|name| name.starts_with("backup-")).unwrap();
    let file = disk.open(&name).unwrap();
    let at = file.len().unwrap() / 2;
    let mut byte = [0];
    file.read_exact_at(at, &mut byte).unwrap();
    file.write_all_at(at, &[byte[0] ^ 1]).unwrap();
    assert!(findings().iter().any(|finding| finding.to_string().contains("is damaged")), "{:?}", findings());
    disk.remove(&name).unwrap();
    assert!(findings().iter().any(|finding| finding.to_string().contains("is missing")), "{:?}", findings());
}

fn schedule(text: &str) -> Schedule {
    text.parse().unwrap()
}

#[test]
fn weekly_backups_are_kept_for_three_months() {
    let (options, clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    filled(&database);
    let mine = back_up(&database, "by-hand");
    clock.advance_ms(60_000);
    database.set_backup_schedule(TABLE, Some(schedule("weekly, keep 3 months"))).unwrap();
    assert_eq!(database.backup_schedule(TABLE).unwrap(), Some(schedule("weekly, keep 3 months")));
    let scheduled = || all(&database).into_iter().filter(|backup| backup.expires_ms.is_some()).count();
    wait_until("the first one", || scheduled() == 1);
    let newest = || all(&database).last().map(|backup| backup.created_ms);
    for week in 1..=30 {
        // Between the two steps none may be taken: it would have the earlier time, and the next come later.
        clock.advance_ms(6 * DAY_MS);
        assert_eq!(newest(), Some(START_MS + 60_000 + (week - 1) * 7 * DAY_MS), "none before its time");
        clock.advance_ms(DAY_MS);
        // Twelve weeks are 84 days, and a backup is kept for 90: thirteen are there.
        wait_until(&format!("week {week}"), || {
            let is_new = newest() == Some(START_MS + 60_000 + week * 7 * DAY_MS);
            is_new && scheduled() as u64 == 13.min(week + 1)
        });
    }
    assert!(all(&database).contains(&mine), "what was asked for is never deleted");
    let newest = all(&database).pop().unwrap();
    wait_until_whole(&database, &newest.arn);
    let newest = all(&database).pop().unwrap();
    restore(&database, &newest.arn, "restored");

    // Without the schedule there are no new ones, and the last one stays while the table does.
    database.set_backup_schedule(TABLE, None).unwrap();
    clock.advance_ms(400 * DAY_MS);
    wait_until("the others' time is over", || scheduled() == 1);
    assert_eq!(all(&database), [mine.clone(), newest]);
    database.delete_table(TABLE).unwrap();
    clock.advance_ms(DAY_MS);
    wait_until("nothing is left to protect", || scheduled() == 0);
    assert_eq!(all(&database), [mine]);
}

#[test]
fn a_schedule_for_all_tables_reaches_new_ones_and_yields_to_their_own() {
    let (options, clock) = options_with_clock();
    let disk = Arc::new(MemoryDisk::new());
    let options =
        || singlet_engine::Options { backups: Some(schedule("daily, keep 2 days")), ..options.clone() };
    let database = Database::open_on(disk.clone(), options()).unwrap();
    filled(&database);
    database.create_table(CreateTable::new("other", "id", ScalarType::S)).unwrap();
    database.set_backup_schedule("other", Some(schedule("monthly, keep 1 year"))).unwrap();
    clock.advance_ms(60_000);
    wait_until("one of each", || all(&database).len() == 2);
    assert!(
        all(&database).iter().all(|backup| backup.created_ms == START_MS + 60_000),
        "a table of this minute is left alone"
    );
    let count = |table: &str| all(&database).iter().filter(|backup| backup.source.name == table).count();
    for day in 1..=5 {
        clock.advance_ms(DAY_MS);
        wait_until(&format!("day {day}"), || {
            let of_table = ListBackups { table: Some(TABLE.to_owned()), ..ListBackups::default() };
            let newest = database.list_backups(&of_table).unwrap().backups.pop().unwrap();
            newest.created_ms == START_MS + 60_000 + day * DAY_MS && count(TABLE) == 2
        });
    }
    assert_eq!(count("other"), 1);
    wait_until("all are whole", || {
        all(&database).iter().all(|backup| backup.status == BackupStatus::Available)
    });
    drop(database);
    // Days without the program are made up for with one backup.
    clock.advance_ms(10 * DAY_MS);
    let database = Database::open_on(disk, options()).unwrap();
    wait_until("the backup that was missed", || {
        all(&database).last().is_some_and(|newest| newest.created_ms == START_MS + 60_000 + 15 * DAY_MS)
    });
    // After so long a break nothing is deleted before the clock is proven.
    clock.advance_ms(10 * 60_000);
    wait_until("the old ones' time is over", || all(&database).len() == 2);
}

/// Not a test of its own: [`backups_are_right_after_kill_9`] runs it in another process.
#[test]
fn back_up_until_killed() {
    let Ok(folder) = std::env::var(FOLDER_VARIABLE) else { return };
    let database = Database::open_with(folder, small_options()).expect("the folder is in order");
    if database.describe_table(TABLE).is_err() {
        filled(&database);
    }
    let say = |line: String| {
        std::io::stdout().lock().write_all(line.as_bytes()).expect("somebody reads it");
    };
    let seed = Random::seed();
    thread::scope(|scope| {
        for thread in 0..2 {
            let database = &database;
            scope.spawn(move || {
                let mut random = Random::new(seed ^ thread);
                loop {
                    transfer(database, &mut random).expect("a transfer");
                }
            });
        }
        scope.spawn(|| {
            for round in 0.. {
                let backup = database.create_backup(CreateBackup::new(TABLE, "crash")).expect("a backup");
                say(format!("begun {}\n", backup.arn));
                wait_until_whole(&database, &backup.arn);
                if round % 2 == 0 {
                    let table = format!("copy-{}", Random::seed());
                    restore(&database, &backup.arn, &table);
                    say(format!("restored {table}\n"));
                    database.delete_table(&table).expect("it is whole");
                }
                if round % 3 == 0 {
                    say(format!("deletes {}\n", backup.arn));
                    wait_until("the restore is over", || database.delete_backup(&backup.arn).is_ok());
                    say(format!("deleted {}\n", backup.arn));
                }
            }
        });
    });
}

/// Lets a copy of this program work until it has said so many lines, kills it, and returns what it said.
fn work_and_kill(folder: &Path, lines_max: usize) -> Vec<(String, String)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "back_up_until_killed", "--nocapture"])
        .env(FOLDER_VARIABLE, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    let mut killed = false;
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
        let mut words = line
            .split_whitespace()
            .skip_while(|word| !["begun", "restored", "deletes", "deleted"].contains(word));
        if let (Some(what), Some(name)) = (words.next(), words.next()) {
            said.push((what.to_owned(), name.to_owned()));
        }
        if said.len() >= lines_max && !killed {
            child.kill().unwrap();
            killed = true;
        }
    }
    child.wait().unwrap();
    assert!(killed, "it ended by itself: {said:?}");
    said
}

#[test]
fn backups_are_right_after_kill_9() {
    let rounds = if std::env::var_os("SINGLET_LONG").is_some() { 25 } else { 4 };
    let folder = tempfile::tempdir().unwrap();
    let seed = Random::seed();
    let mut random = Random::new(seed);
    for round in 0..rounds {
        let context = format!("round {round} of seed {seed}");
        let said = work_and_kill(folder.path(), 1 + random.below(14) as usize);
        let names = |what: &str| -> Vec<&String> {
            said.iter().filter(|(said, _)| said == what).map(|(_, name)| name).collect()
        };
        let database = Database::open_with(folder.path(), small_options()).unwrap();
        let tables = database.list_tables(&ListTables::default()).names;
        for table in &tables {
            // A restored table is whole, whether or not the restore was acknowledged; a half one is gone.
            let items = assert_agreement(&database, table);
            assert_eq!(
                (items.len() as i64, sum(&items)),
                (ACCOUNTS, ACCOUNTS * BALANCE),
                "{context}: {table}"
            );
        }
        wait_until(&format!("{context}: all are whole"), || {
            all(&database).iter().all(|backup| backup.status == BackupStatus::Available)
        });
        let there = all(&database);
        for arn in names("begun").into_iter().filter(|arn| !names("deletes").contains(arn)) {
            assert!(there.iter().any(|backup| backup.arn == *arn), "{context}: {arn} is gone");
        }
        for arn in names("deleted") {
            assert!(!there.iter().any(|backup| backup.arn == *arn), "{context}: {arn} is there again");
        }
        for (number, backup) in there.iter().enumerate() {
            let table = format!("check-{number}");
            restore(&database, &backup.arn, &table);
            let items = assert_agreement(&database, &table);
            assert_eq!(
                (items.len() as i64, sum(&items)),
                (ACCOUNTS, ACCOUNTS * BALANCE),
                "{context}: {}",
                backup.arn
            );
            database.delete_table(&table).unwrap();
        }
        for table in tables.iter().filter(|table| *table != TABLE) {
            database.delete_table(table).unwrap();
        }
        for backup in &there {
            wait_until("the restore is over", || database.delete_backup(&backup.arn).is_ok());
        }
        database.close().unwrap();
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = files.filter(|name| name.to_string_lossy().starts_with("backup-")).collect();
        assert!(left.is_empty(), "{context}: {left:?}");
    }
}
