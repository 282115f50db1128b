//! Recorded changes are read back exactly: forward, backward, after folds, restarts and power cuts, and while the log
//! is written and trimmed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;

use super::fixture::{Job, Random, TestStore, small, start, try_start};
use super::power_disk::PowerDisk;
use crate::store::{Disk, Logged, MemoryDisk, Position, StoreError, StoreOptions};

/// Changes of these groups are recorded, those of the next one are not.
const RECORDED: [u32; 2] = [1, 2];
const UNRECORDED: u32 = 3;

fn key(group: u32, number: u64) -> Bytes {
    let mut key = group.to_be_bytes().to_vec();
    key.extend_from_slice(format!("key-{number}").as_bytes());
    key.into()
}

/// The changes of the commit with this number: always the same, so that the whole history can be computed.
fn changes(sequence: u64) -> BTreeMap<Bytes, Option<Bytes>> {
    let mut random = Random::new(sequence);
    let change = |_| {
        let group = 1 + random.below(3) as u32;
        let value = vec![sequence as u8; random.below(500) as usize];
        (key(group, random.below(12)), (random.below(4) > 0).then(|| value.into()))
    };
    (0..1 + Random::new(sequence + 7).below(5)).map(change).collect()
}

fn mark(sequence: u64) -> u32 {
    (sequence % 3) as u32
}

/// Everything recorded for a group up to a commit.
fn expected(group: u32, until: u64) -> Vec<Logged> {
    let mut state: BTreeMap<Bytes, Bytes> = BTreeMap::new();
    let mut history = Vec::new();
    for sequence in 1..=until {
        let mut place = 0;
        for (key, after) in changes(sequence) {
            let before = match &after {
                Some(after) => state.insert(key.clone(), after.clone()),
                None => state.remove(&key),
            };
            let of = u32::from_be_bytes(*key.first_chunk().unwrap());
            if of == UNRECORDED {
                continue;
            }
            let position = Position { sequence, place };
            place += 1;
            if of == group {
                history.push(Logged { position, time_ms: 1_000, mark: mark(sequence), key, before, after });
            }
        }
    }
    history
}

fn work(store: &TestStore, commits: u64) {
    for _ in 0..commits {
        let job: Job = Box::new(move |batch| {
            let sequence = batch.sequence();
            batch.set_mark(mark(sequence));
            for (key, after) in changes(sequence) {
                let before = batch.get(&key).unwrap();
                match after {
                    after if !key.starts_with(&UNRECORDED.to_be_bytes()) => batch.record(key, before, after),
                    Some(after) => batch.put(key, after),
                    None => batch.delete(key),
                }
            }
            Box::new(|_| ())
        });
        if store.submit(job).is_err() {
            break;
        }
    }
}

fn read(store: &TestStore, group: u32, after: Position) -> Vec<Logged> {
    store.changes_after(group, after).collect::<Result<_, _>>().expect("the history can be read")
}

/// Values are long: a failure shows where histories part, not all of them.
fn assert_same(found: &[Logged], expected: &[Logged], context: &str) {
    let parted = found.iter().zip(expected).position(|(found, expected)| found != expected);
    let places = |history: &[Logged]| (history.len(), history.last().map(|change| change.position));
    assert!(parted.is_none(), "{context}: change {parted:?} differs");
    assert_eq!(places(found), places(expected), "{context}");
}

fn check(store: &TestStore, context: &str) {
    let until = store.view().sequence();
    for group in RECORDED {
        let expected = expected(group, until);
        assert_same(
            &read(store, group, Position::default()),
            &expected,
            &format!("{context}, group {group}"),
        );
        let mut back: Vec<Logged> = store
            .changes_before(group, Position::end_of(u64::MAX - 1))
            .collect::<Result<_, _>>()
            .expect("the history can be read backward");
        back.reverse();
        assert_same(&back, &expected, &format!("{context}, group {group}, backward"));
    }
    assert_eq!(read(store, UNRECORDED, Position::default()), []);
}

fn check_positions(store: &TestStore) {
    let all = expected(1, store.view().sequence());
    for (place, change) in all.iter().enumerate() {
        let after: Vec<Logged> =
            store.changes_after(1, change.position).take(5).map(Result::unwrap).collect();
        assert_eq!(after, all[place + 1..all.len().min(place + 6)], "after {:?}", change.position);
        let before: Vec<Logged> =
            store.changes_before(1, change.position).take(5).map(Result::unwrap).collect();
        let wanted: Vec<Logged> = all[place.saturating_sub(5)..place].iter().rev().cloned().collect();
        assert_eq!(before, wanted, "before {:?}", change.position);
    }
}

fn options() -> StoreOptions {
    StoreOptions { overlay_bytes_max: 16 << 10, ..small() }
}

#[test]
fn changes_are_read_back_from_any_position_after_folds_and_restarts() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for round in 0..6 {
        let store = start(&disk, options());
        check(&store, &format!("opened in round {round}"));
        work(&store, 150);
        store.close().unwrap();
        let stats = store.stats();
        assert!(stats.past_files > 0, "{stats:?}");
        check(&store, &format!("closed in round {round}"));
    }
    let store = start(&disk, options());
    assert!(store.stats().past_files > 3, "{:?}", store.stats());
    check_positions(&store);
}

#[test]
fn a_power_cut_at_any_sync_leaves_the_whole_history() {
    for cut in (0..).step_by(2) {
        let disk = PowerDisk::new();
        disk.cut_power_after_syncs(cut);
        if let Ok(store) = try_start(&disk.as_disk(), options()) {
            work(&store, 90);
            let _ = store.close();
        }
        let context = format!("cut {cut}");
        let survivor = disk.after_power_loss(&mut Random::new(cut as u64)).as_disk();
        let store = try_start(&survivor, options()).unwrap_or_else(|error| panic!("{context}: {error}"));
        check(&store, &context);
        work(&store, 40);
        store.close().unwrap();
        check(&store, &format!("{context}, later"));
        if !disk.is_off() {
            break;
        }
    }
}

#[test]
fn a_reader_sees_each_change_once_while_the_log_is_written_and_trimmed() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = start(&disk, options());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut seen, mut position) = (Vec::new(), Position::default());
            loop {
                let last_round = done.load(Ordering::SeqCst);
                for change in store.changes_after(2, position) {
                    let change = change.expect("the history can be read");
                    position = change.position;
                    seen.push(change);
                }
                if last_round {
                    return seen;
                }
                store.wait_after(store.view().sequence(), Duration::from_millis(20));
            }
        });
        work(&store, 2_000);
        store.close().unwrap();
        done.store(true, Ordering::SeqCst);
        assert_same(&reader.join().unwrap(), &expected(2, 2_000), "read while it was written");
    });
}

#[test]
fn entries_that_nobody_records_are_not_kept() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = start(&disk, options());
    for number in 0..500u64 {
        super::fixture::put(&store, &format!("{number:05}"), vec![1; 200]).unwrap();
    }
    store.close().unwrap();
    let stats = store.stats();
    assert!(stats.folds > 1 && stats.past_files == 0, "{stats:?}");
}

#[test]
fn only_files_that_nobody_needs_are_dropped() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = start(&disk, options());
    work(&store, 600);
    store.close().unwrap();
    let files = store.stats().past_files;
    assert!(files > 2);
    assert_eq!(store.trim_past(|group, _| group == 2).unwrap(), 0, "both groups are in every file");
    check(&store, "nothing dropped");
    let dropped = store.trim_past(|_, latest| latest.time_ms > 1_000).unwrap();
    assert!(dropped > 0 && dropped as u64 <= files);
    let left = read(&store, 1, Position::default());
    let all = expected(1, 600);
    assert!(!left.is_empty() && all.ends_with(&left), "what is left is the end of the history");
}

#[test]
fn damage_in_the_past_is_an_error_and_never_another_history() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = start(&disk, options());
    work(&store, 300);
    store.close().unwrap();
    drop(store);
    let names: Vec<String> =
        disk.list().unwrap().into_iter().filter(|name| name.starts_with("past-")).collect();
    assert!(names.len() > 1);
    let expected = RECORDED.map(|group| expected(group, 300));
    for name in &names {
        let file = disk.open(name).unwrap();
        let mut whole = vec![0; file.len().unwrap() as usize];
        file.read_exact_at(0, &mut whole).unwrap();
        for offset in (0..whole.len()).step_by(331) {
            file.write_all_at(offset as u64, &[whole[offset] ^ 0x20]).unwrap();
            let found: Result<Vec<Vec<Logged>>, StoreError> = try_start(&disk, options()).and_then(|store| {
                RECORDED.iter().map(|&g| store.changes_after(g, Position::default()).collect()).collect()
            });
            if let Ok(found) = found {
                for (found, expected) in found.iter().zip(&expected) {
                    assert_same(found, expected, &format!("{name} at {offset}"));
                }
            }
            // Opening may have cut off an index that was damaged.
            file.set_len(0).unwrap();
            file.write_all_at(0, &whole).unwrap();
        }
    }
}

#[test]
fn a_commit_wakes_who_waits_for_it() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = start(&disk, small());
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| store.wait_after(0, Duration::from_secs(60)));
        super::fixture::put(&store, "a", "1").unwrap();
        assert_eq!(waiter.join().unwrap(), 1);
    });
    assert_eq!(store.wait_after(1, Duration::from_millis(1)), 1, "nothing came");
    store.close().unwrap();
    assert_eq!(store.wait_after(1, Duration::from_secs(60)), 1, "nothing can come any more");
}
