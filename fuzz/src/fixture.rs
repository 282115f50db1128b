//! A small database that targets begin with: made once, and shared as a disk that is never changed.

use std::sync::{Arc, LazyLock};

use singlet_engine::store::FrozenDisk;
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    CreateBackup, CreateTable, Database, Disk, IndexDefinition, Key, ManualClock, MemoryDisk, Options,
    ProjectedAttributes, PutItem, ScalarType, StoreOptions, StreamView, TransactWrite, UpdateRecovery,
};

/// The time at which everything happens.
pub(crate) const NOW_MS: u64 = 1_700_000_000_000;

/// A table with a partition key only; `until` is when its items expire.
pub(crate) const HASH: &str = "hash";
/// A table with a sort key, a local and a global index, and a stream.
pub(crate) const RANGE: &str = "range";

/// Options under which a few items fill a log file, with a clock that stands still.
pub(crate) fn options(key: Option<Key>) -> Options {
    let store = StoreOptions {
        overlay_bytes_max: 128 << 10,
        cache_bytes: 1 << 20,
        segment_bytes: 16 << 10,
        batch_jobs_max: 8,
        queue_jobs_max: 16,
        key,
        ..StoreOptions::default()
    };
    Options { store, clock: Arc::new(ManualClock::new(NOW_MS)), ..Options::default() }
}

/// The key of encrypted folders.
pub(crate) fn key() -> Key {
    Key::from_bytes([7; 32])
}

/// The items of [`RANGE`]: sort keys that tie in the indexes, and some that are in none.
pub(crate) fn range_items() -> Vec<Item> {
    let mut items = Vec::new();
    for number in 0..24_i64 {
        let mut item = Item::from([
            ("a", AttributeValue::from(format!("p{}", number % 3))),
            ("b", AttributeValue::from(number - 8)),
            ("e", AttributeValue::from("x".repeat(number as usize))),
        ]);
        if number % 4 != 3 {
            item.insert("c", format!("c{}", number % 2));
        }
        if number % 5 != 4 {
            item.insert("d", vec![0, number as u8 % 3]);
        }
        items.push(item);
    }
    items
}

/// The items of [`HASH`].
pub(crate) fn hash_items() -> Vec<Item> {
    let item = |number: i64| {
        Item::from([
            ("a", AttributeValue::from(format!("h{number}"))),
            ("until", AttributeValue::from(4_000_000_000 + number)),
            ("v", AttributeValue::from("y".repeat(40))),
        ])
    };
    (0..8).map(item).collect()
}

/// Tables and items, in a database that is empty.
pub(crate) fn fill(database: &Database) {
    let hash = CreateTable::new(HASH, "a", ScalarType::S);
    database.create_table(CreateTable { time_to_live: Some("until".to_owned()), ..hash }).unwrap();
    let range = CreateTable::new(RANGE, "a", ScalarType::S)
        .sort_key("b", ScalarType::N)
        .attribute("c", ScalarType::S)
        .attribute("d", ScalarType::B)
        .local_index(IndexDefinition::new("local", &["a"], &["c"]))
        .global_index(
            IndexDefinition::new("global", &["c"], &["d"])
                .projection(ProjectedAttributes::Include(vec!["e".to_owned()])),
        );
    database.create_table(CreateTable { stream: Some(StreamView::NewAndOldImages), ..range }).unwrap();
    for item in hash_items() {
        database.put_item(PutItem::new(HASH, item)).unwrap();
    }
    for (number, item) in range_items().into_iter().enumerate() {
        let put = PutItem::new(RANGE, item);
        if number % 8 == 0 {
            let token = format!("token {number}");
            database.transact_write(TransactWrite::new(vec![put.into()]).token(token)).unwrap();
        } else {
            database.put_item(put).unwrap();
        }
    }
}

/// How a folder was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    /// Closed.
    Closed,
    /// As after `kill -9`: the last commits are in the log only.
    Killed,
    /// Closed, and encrypted.
    Sealed,
}

static CLOSED: LazyLock<Arc<MemoryDisk>> = LazyLock::new(|| made(Folder::Closed));
static KILLED: LazyLock<Arc<MemoryDisk>> = LazyLock::new(|| made(Folder::Killed));
static SEALED: LazyLock<Arc<MemoryDisk>> = LazyLock::new(|| made(Folder::Sealed));

impl Folder {
    /// The key that opens it.
    pub(crate) fn key(self) -> Option<Key> {
        (self == Folder::Sealed).then(key)
    }

    /// The folder, as files that can be changed without anybody else seeing it.
    pub(crate) fn disk(self) -> Arc<dyn Disk> {
        let disk: Arc<dyn Disk> = match self {
            Folder::Closed => CLOSED.clone(),
            Folder::Killed => KILLED.clone(),
            Folder::Sealed => SEALED.clone(),
        };
        Arc::new(FrozenDisk::new(disk).unwrap())
    }
}

/// A folder with tables, a stream, changes that are kept for recovery, a backup, and a log. The overlay never fills, so everything is
/// folded when the database closes and at no other time: the files are the same every time, but for nonces.
fn made(folder: Folder) -> Arc<MemoryDisk> {
    let disk = Arc::new(MemoryDisk::new());
    let open = || Database::open_on(disk.clone(), options(folder.key())).unwrap();
    let database = open();
    fill(&database);
    database.update_recovery(UpdateRecovery::on(HASH)).unwrap();
    database.create_whole_backup(CreateBackup::new(RANGE, "backup"), &mut |_| ()).unwrap();
    // Enough for a few log files; those that are folded are given up, and their changes kept.
    let mut database = database;
    for round in 0..6 {
        for mut item in hash_items() {
            item.insert("v", format!("{round}").repeat(400));
            database.put_item(PutItem::new(HASH, item)).unwrap();
        }
        if round % 2 == 1 {
            database.close().unwrap();
            drop(database);
            database = open();
        }
    }
    for item in hash_items() {
        database.put_item(PutItem::new(HASH, item)).unwrap();
    }
    if folder == Folder::Killed {
        return copied(&disk);
    }
    database.close().unwrap();
    disk
}

fn copied(disk: &MemoryDisk) -> Arc<MemoryDisk> {
    let copy = MemoryDisk::new();
    for name in disk.list().unwrap() {
        let (from, to) = (disk.open(&name).unwrap(), copy.open(&name).unwrap());
        let mut bytes = vec![0; from.len().unwrap() as usize];
        from.read_exact_at(0, &mut bytes).unwrap();
        to.set_len(bytes.len() as u64).unwrap();
        to.write_all_at(0, &bytes).unwrap();
    }
    Arc::new(copy)
}

/// A database on a copy of a folder; the disk it is on comes with it.
pub(crate) fn opened(folder: Folder) -> (Database, Arc<dyn Disk>) {
    let disk = folder.disk();
    (Database::open_on(disk.clone(), options(folder.key())).unwrap(), disk)
}
