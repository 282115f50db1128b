//! Verification finds nothing where nothing is wrong, and every one of a list of planted damages.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use singlet_engine::store::{Batch, Completion, Direction, Handler, Space, Store};
use singlet_engine::{
    CreateBackup, CreateTable, Database, Disk, Error, Finding, IndexDefinition, Key, KeyError, MemoryDisk,
    Options, ProjectedAttributes, PutItem, RowProblem, ScalarType, StoreOptions, SystemClock, TransactWrite,
    UpdateRecovery, UpdateTable, Verification, verify, verify_on,
};
use support::{item, small_options};

const TABLE: &str = "checked";

fn definition() -> CreateTable {
    CreateTable::new(TABLE, "pk", ScalarType::S)
        .sort_key("sk", ScalarType::N)
        .attribute("group", ScalarType::S)
        .local_index(IndexDefinition::new("local", &["pk"], &["group"]))
        .global_index(
            IndexDefinition::new("global", &["group"], &["sk"]).projection(ProjectedAttributes::KeysOnly),
        )
}

const DELETED: &str = "deleted";

/// A database with everything that is verified; closed.
fn filled(options: Options) -> Arc<MemoryDisk> {
    // Small segments: some are folded and given up, and their changes kept.
    let store = StoreOptions { segment_bytes: 16 << 10, ..options.store };
    let options = Options { store, ..options };
    let disk = Arc::new(MemoryDisk::new());
    let database = Database::open_on(disk.clone(), options).unwrap();
    database.create_table(definition()).unwrap();
    database.create_table(CreateTable::new("other", "id", ScalarType::N)).unwrap();
    for number in 0..60_i64 {
        let mut item =
            item! { "pk" => format!("p{}", number % 4), "sk" => number, "body" => "x".repeat(300) };
        if number % 3 > 0 {
            item.insert("group", format!("g{}", number % 5));
        }
        let put = PutItem::new(TABLE, item);
        if number % 10 == 0 {
            database
                .transact_write(TransactWrite::new(vec![put.into()]).token(format!("token {number}")))
                .unwrap();
        } else {
            database.put_item(put).unwrap();
        }
    }
    database.put_item(PutItem::new("other", item! { "id" => 1 })).unwrap();
    // Expiring items, changes that are kept, a backup, and a table that was deleted and can be recovered.
    let expiring = CreateTable::new(DELETED, "id", ScalarType::N);
    database.create_table(CreateTable { time_to_live: Some("until".to_owned()), ..expiring }).unwrap();
    database.update_recovery(UpdateRecovery::on(DELETED)).unwrap();
    // Enough for a few files of the log.
    for number in 0..240_i64 {
        let id = number % 40;
        let item = item! { "id" => id, "until" => 4_000_000_000 + id, "number" => number, "body" => "x".repeat(600) };
        database.put_item(PutItem::new(DELETED, item)).unwrap();
    }
    database.create_whole_backup(CreateBackup::new(TABLE, "backup"), &mut |_| {}).unwrap();
    database.close().unwrap();
    disk
}

fn check(disk: &Arc<MemoryDisk>) -> Verification {
    verify_on(disk.clone(), None, &mut |_| {}).unwrap()
}

fn encrypted(key: &Key) -> Options {
    let options = small_options();
    Options { store: StoreOptions { key: Some(key.clone()), ..options.store }, ..options }
}

#[test]
fn a_sound_database_has_no_findings_and_everything_is_counted() {
    let found = check(&filled(small_options()));
    assert_eq!(found.findings, []);
    let counts = found.counts;
    assert_eq!((counts.tables, counts.items, counts.index_entries), (3, 101, 80));
    assert_eq!((counts.item_collections, counts.tokens, counts.expiries, counts.backups), (4, 6, 40, 1));
    assert!(counts.past_changes > 20, "{counts:?}");
    assert!(counts.segments > 0 && counts.commits > 0 && counts.tree_bytes > 0, "{counts:?}");
}

#[test]
fn an_encrypted_database_is_verified_with_its_key_only() {
    let key = Key::from_bytes([3; 32]);
    let disk = filled(encrypted(&key));
    let found = verify_on(disk.clone(), Some(&key), &mut |_| {}).unwrap();
    assert_eq!((found.findings, found.counts.items), (vec![], 101));
    let missing = verify_on(disk.clone(), None, &mut |_| {});
    assert!(matches!(missing, Err(Error::Key(KeyError::Missing { .. }))));
    let wrong = verify_on(disk, Some(&Key::from_bytes([4; 32])), &mut |_| {});
    assert!(matches!(wrong, Err(Error::Key(KeyError::Wrong { .. }))));
}

#[test]
fn long_work_that_is_not_done_yet_is_in_order() {
    let disk = Arc::new(MemoryDisk::new());
    let database = Database::open_on(disk.clone(), small_options()).unwrap();
    database.create_table(definition()).unwrap();
    for number in 0..1_500 {
        let item = item! { "pk" => "p", "sk" => number, "group" => "g", "kind" => "k" };
        database.submit_put_item(PutItem::new(TABLE, item));
    }
    let index = IndexDefinition::new("new", &["kind"], &[]);
    let create = UpdateTable::new(TABLE).attribute("kind", ScalarType::S).create_index(index);
    database.update_table(create).unwrap();
    database.close().unwrap();
    drop(database);
    assert_eq!(check(&disk).findings, [], "an index that is being filled");
    let database = Database::open_on(disk.clone(), small_options()).unwrap();
    database.delete_table(TABLE).unwrap();
    database.close().unwrap();
    drop(database);
    assert_eq!(check(&disk).findings, [], "a table that is being removed");
}

#[test]
fn verifying_changes_nothing_and_needs_the_folder_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open_with(folder.path(), small_options()).unwrap();
    database.create_table(definition()).unwrap();
    let busy = verify(folder.path(), None, &mut |_| {});
    assert!(matches!(busy, Err(Error::FolderInUse { .. })));
    database.close().unwrap();
    drop(database);
    let contents = || {
        let mut files: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    };
    // Not even a missing lock is made.
    std::fs::remove_file(folder.path().join("lock")).unwrap();
    let before = contents();
    assert_eq!(verify(folder.path(), None, &mut |_| {}).unwrap().findings, []);
    assert!(contents() == before);
    assert!(verify(folder.path().join("nothing"), None, &mut |_| {}).is_err());
    assert!(verify(tempfile::tempdir().unwrap().path(), None, &mut |_| {}).is_err());
}

type Job = Box<dyn FnOnce(&mut Batch<'_, ()>) + Send>;

struct RunJob;

impl Handler<()> for RunJob {
    type Job = Job;

    fn apply(&mut self, job: Job, batch: &mut Batch<'_, ()>) -> Completion {
        job(batch);
        Box::new(|outcome| outcome.unwrap())
    }
}

/// Changes rows behind the database's back.
fn plant(disk: &Arc<MemoryDisk>, change: impl FnOnce(&mut Batch<'_, ()>) + Send + 'static) {
    let opened = Store::open(disk.clone(), StoreOptions::default(), Arc::new(SystemClock)).unwrap();
    let store = opened.start(Arc::new(()), RunJob).unwrap();
    store.submit(Box::new(change)).unwrap();
    store.close().unwrap();
}

/// The prefix of a table's space.
fn prefix(table: u32, space: u16) -> Vec<u8> {
    [table.to_be_bytes().as_slice(), &space.to_be_bytes()].concat()
}

/// The rows of a space.
fn rows(batch: &Batch<'_, ()>, table: u32, space: u16) -> Vec<(Bytes, Bytes)> {
    let (start, mut end) = (prefix(table, space), prefix(table, space));
    end.push(0xFF);
    end.extend([0xFF; 8]);
    let rows = batch.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    rows.collect::<Result<_, _>>().unwrap()
}

const ITEMS: u16 = 0;
const LOCAL: u16 = 1;
const GLOBAL: u16 = 2;
const COLLECTIONS: u16 = u16::MAX;
const EXPIRIES: u16 = u16::MAX - 1;

/// Returns the findings after a change to an intact database.
fn found_after(change: impl FnOnce(&mut Batch<'_, ()>) + Send + 'static) -> Vec<Finding> {
    let disk = filled(small_options());
    plant(&disk, change);
    check(&disk).findings
}

fn problems(findings: &[Finding]) -> Vec<&RowProblem> {
    findings
        .iter()
        .filter_map(|finding| match finding {
            Finding::Row { problem, .. } => Some(problem),
            _ => None,
        })
        .collect()
}

#[test]
fn a_lost_index_entry_is_found() {
    for (space, name) in [(LOCAL, "local"), (GLOBAL, "global")] {
        let found = found_after(move |batch| {
            let (row, _) = rows(batch, 1, space).remove(5);
            batch.delete(row);
        });
        let missing = RowProblem::MissingEntry { index: name.to_owned() };
        assert_eq!(problems(&found), [&missing], "{found:?}");
        assert!(found.iter().any(
            |finding| matches!(finding, Finding::Count { place, .. } if place.index.as_deref() == Some(name))
        ));
        let text = found[0].to_string();
        assert!(text.contains("table checked, key pk = \"p") && text.contains(name), "{text}");
    }
}

#[test]
fn an_index_entry_too_many_is_found() {
    let found = found_after(|batch| {
        let (row, value) = rows(batch, 1, GLOBAL).remove(5);
        let mut other = row.to_vec();
        other[12] ^= 1;
        batch.put(other.into(), value);
    });
    assert_eq!(problems(&found), [&RowProblem::StaleEntry], "{found:?}");
}

#[test]
fn a_changed_index_entry_is_found() {
    let found = found_after(|batch| {
        let (row, _) = rows(batch, 1, LOCAL).remove(5);
        // The entry of another item, under this one's key.
        let (_, other) = rows(batch, 1, LOCAL).remove(6);
        batch.put(row, other);
    });
    assert!(
        problems(&found).contains(&&RowProblem::DifferentEntry { index: "local".to_owned() }),
        "{found:?}"
    );
}

#[test]
fn a_lost_item_is_found_by_its_entries() {
    let found = found_after(|batch| {
        let has_entries = |value: &[u8]| value.windows(5).any(|bytes| bytes == b"group");
        let (row, _) = rows(batch, 1, ITEMS).into_iter().find(|(_, value)| has_entries(value)).unwrap();
        batch.delete(row);
    });
    let lost = problems(&found).iter().filter(|problem| ***problem == RowProblem::NoSuchItem).count();
    assert_eq!(lost, 2, "{found:?}");
    assert!(found.iter().any(|finding| matches!(finding, Finding::Count { .. })), "{found:?}");
    assert!(found.iter().any(|finding| matches!(finding, Finding::Collection { .. })), "{found:?}");
}

#[test]
fn an_item_under_another_key_is_found() {
    let found = found_after(|batch| {
        let (row, value) = rows(batch, 2, ITEMS).remove(0);
        batch.delete(row.clone());
        let mut other = row.to_vec();
        *other.last_mut().unwrap() ^= 1;
        batch.put(other.into(), value);
    });
    assert!(matches!(problems(&found)[..], [RowProblem::Misplaced { .. }]), "{found:?}");
}

#[test]
fn bytes_that_are_no_item_are_found() {
    for value in
        [Bytes::from_static(b""), Bytes::from_static(b"no item"), Bytes::from_static(&[5, 1, 2, b'i', b'd'])]
    {
        let found = found_after(move |batch| {
            let (row, _) = rows(batch, 2, ITEMS).remove(0);
            batch.put(row, value);
        });
        assert!(matches!(problems(&found)[..], [RowProblem::NoItem(_)]), "{found:?}");
    }
}

#[test]
fn wrong_counts_and_sizes_are_found() {
    for (space, count, bytes) in [(1 << 16, 1, 0), (1 << 16, 0, -1), (1 << 16 | 2, -3, 0), (2 << 16, 0, 7)] {
        let found = found_after(move |batch| batch.tally(Space(space), count, bytes));
        assert!(matches!(found[..], [Finding::Count { .. }]), "{found:?}");
    }
    let found = found_after(|batch| batch.tally(Space(99 << 16), 1, 1));
    assert!(matches!(found[..], [Finding::Count { .. }]), "a table that isn't there: {found:?}");
}

#[test]
fn wrong_sizes_of_item_collections_are_found() {
    let found = found_after(|batch| {
        let (row, _) = rows(batch, 1, COLLECTIONS).remove(2);
        batch.put(row, Bytes::copy_from_slice(&7_i64.to_be_bytes()));
    });
    assert!(matches!(found[..], [Finding::Collection { stored: 7, .. }]), "{found:?}");
    let found = found_after(|batch| {
        let (row, _) = rows(batch, 1, COLLECTIONS).remove(2);
        batch.delete(row);
    });
    assert!(matches!(found[..], [Finding::Collection { stored: 0, .. }]), "{found:?}");
    let found = found_after(|batch| {
        let row = [prefix(1, COLLECTIONS), vec![1, 2, 3, 4, b'x', 0, 0]].concat();
        batch.put(row.into(), Bytes::copy_from_slice(&9_i64.to_be_bytes()));
    });
    assert!(matches!(found[..], [Finding::Collection { stored: 9, found: 0, .. }]), "{found:?}");
}

#[test]
fn rows_that_belong_to_nothing_are_found() {
    for (table, space) in [(77, 0), (1, 40)] {
        let found = found_after(move |batch| {
            let row = [prefix(table, space), b"row".to_vec()].concat();
            batch.put(row.into(), Bytes::new());
        });
        assert_eq!(found, [Finding::Orphans { table, space, rows: 1 }]);
    }
}

#[test]
fn wrong_times_of_expiry_are_found() {
    let found = found_after(|batch| {
        let (row, _) = rows(batch, 3, EXPIRIES).remove(7);
        batch.delete(row);
    });
    assert!(
        matches!(problems(&found)[..], [RowProblem::MissingExpiry { second: 4_000_000_007 }]),
        "{found:?}"
    );
    let found = found_after(|batch| {
        let (row, value) = rows(batch, 3, EXPIRIES).remove(7);
        let mut other = row.to_vec();
        other[13] ^= 64;
        batch.put(other.into(), value);
    });
    assert!(matches!(problems(&found)[..], [RowProblem::StaleExpiry]), "{found:?}");
}

#[test]
fn a_deleted_table_that_can_be_recovered_is_checked() {
    let disk = filled(small_options());
    let database = Database::open_on(disk.clone(), small_options()).unwrap();
    database.delete_table(DELETED).unwrap();
    database.close().unwrap();
    drop(database);
    let sound = check(&disk);
    assert_eq!((sound.findings, sound.counts.items), (vec![], 101));
    plant(&disk, |batch| {
        let (row, _) = rows(batch, 3, ITEMS).remove(3);
        batch.put(row, Bytes::from_static(b"no item"));
    });
    let found = check(&disk).findings;
    assert!(matches!(problems(&found)[..], [RowProblem::NoItem(_)]), "{found:?}");
}

#[test]
fn damaged_and_missing_backups_and_kept_changes_are_found() {
    let disk = filled(small_options());
    let named =
        |prefix: &str| disk.list().unwrap().into_iter().find(|name| name.starts_with(prefix)).unwrap();
    let (backup, past) = (named("backup-"), named("past-"));
    flip(&disk, &backup, 2_000);
    let found = check(&disk).findings;
    assert!(matches!(&found[..], [Finding::Backup { .. }]), "{found:?}");
    flip(&disk, &backup, 2_000);
    flip(&disk, &past, 200);
    let found = check(&disk).findings;
    assert!(matches!(&found[..], [Finding::File { file, .. }] if *file == past), "{found:?}");
    flip(&disk, &past, 200);
    disk.remove(&backup).unwrap();
    let found = check(&disk).findings;
    assert!(
        matches!(&found[..], [Finding::Backup { reason, .. }] if reason.contains("missing")),
        "{found:?}"
    );
}

#[test]
fn tokens_without_ends_and_ends_without_tokens_are_found() {
    for space in [2, 3] {
        let found = found_after(move |batch| {
            let (row, _) = rows(batch, 0, space).remove(0);
            batch.delete(row);
        });
        assert!(
            matches!(&found[..], [Finding::Token { token, .. }] if token.starts_with("token ")),
            "{found:?}"
        );
    }
    let found = found_after(|batch| {
        let (row, _) = rows(batch, 0, 2).remove(0);
        batch.put(row, Bytes::from_static(b"short"));
    });
    assert!(matches!(found[..], [Finding::Token { .. }]), "{found:?}");
}

#[test]
fn wrong_descriptors_are_found() {
    let found = found_after(|batch| {
        let (row, _) = rows(batch, 0, 1).remove(0);
        batch.put(row, Bytes::from_static(b"no descriptor"));
    });
    assert!(matches!(&found[0], Finding::Descriptor { name, .. } if name == TABLE), "{found:?}");
    assert!(found.iter().any(|finding| matches!(finding, Finding::Orphans { table: 1, .. })), "{found:?}");
    let found = found_after(|batch| {
        let (row, _) = rows(batch, 0, 4).remove(0);
        batch.put(row, Bytes::copy_from_slice(&2_u32.to_be_bytes()));
    });
    assert!(
        matches!(&found[..], [Finding::Descriptor { name, .. }, ..] if name == DELETED || name == "other"),
        "{found:?}"
    );
    let found = found_after(|batch| {
        let mut descriptors = rows(batch, 0, 1);
        let ((first, _), (_, second)) = (descriptors.remove(0), descriptors.remove(0));
        batch.put(first, second);
    });
    assert!(matches!(&found[0], Finding::Descriptor { name, .. } if name == TABLE), "{found:?}");
}

/// Flips one bit of a file.
fn flip(disk: &Arc<MemoryDisk>, name: &str, at: u64) {
    let file = disk.open(name).unwrap();
    let mut byte = [0];
    file.read_exact_at(at, &mut byte).unwrap();
    file.write_all_at(at, &[byte[0] ^ 1]).unwrap();
}

#[test]
fn damage_to_the_log_is_found_also_where_the_tree_has_everything_already() {
    for key in [None, Some(Key::from_bytes([3; 32]))] {
        let disk = filled(key.as_ref().map_or_else(small_options, encrypted));
        let mut segments: Vec<_> =
            disk.list().unwrap().into_iter().filter(|name| name.starts_with("log-")).collect();
        segments.sort();
        let name = segments.pop().unwrap();
        flip(&disk, &name, 4096 + 60);
        let found = verify_on(disk.clone(), key.as_ref(), &mut |_| {}).unwrap();
        assert!(
            matches!(&found.findings[..], [Finding::File { file, offset: 4096, .. }] if *file == name),
            "{:?}",
            found.findings
        );
        flip(&disk, &name, 4096 + 60);
        flip(&disk, &name, 20);
        let found = verify_on(disk, key.as_ref(), &mut |_| {}).unwrap();
        assert!(
            matches!(&found.findings[0], Finding::File { file, .. } if *file == name),
            "{:?}",
            found.findings
        );
    }
}

#[test]
fn damage_to_the_tree_is_found() {
    for key in [None, Some(Key::from_bytes([3; 32]))] {
        let disk = filled(key.as_ref().map_or_else(small_options, encrypted));
        let file = disk.open("tree").unwrap();
        let mut content = vec![0; file.len().unwrap() as usize];
        file.read_exact_at(0, &mut content).unwrap();
        // One bit of each page that has anything in it, except the first ones: those have copies.
        let pages = (6..content.len() / 4096).filter(|page| content[page * 4096 + 100] != 0);
        let mut found = 0;
        let mut tried = 0;
        for page in pages.take(30) {
            flip(&disk, "tree", page as u64 * 4096 + 100);
            let verified = verify_on(disk.clone(), key.as_ref(), &mut |_| {}).unwrap();
            found += usize::from(!verified.findings.is_empty());
            tried += 1;
            flip(&disk, "tree", page as u64 * 4096 + 100);
        }
        // The others are pages of earlier states.
        assert!(found > 5 && tried >= found, "{found} of {tried}");
    }
}

#[test]
fn progress_is_told() {
    let disk = filled(small_options());
    let mut told = Vec::new();
    verify_on(disk, None, &mut |progress| told.push(std::mem::discriminant(&progress))).unwrap();
    told.dedup();
    assert_eq!(told.len(), 4, "log, tree, rows, files");
}
