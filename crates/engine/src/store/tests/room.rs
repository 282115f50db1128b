//! A disk that fills up: growing is refused before anything is lost, and goes on when there is room.

use std::sync::Arc;

use super::fixture::{TestStore, bytes, commit, contents, small, start};
use super::quota_disk::QuotaDisk;
use crate::store::{CommitError, Disk, Space, StoreOptions};

const MB: u64 = 1 << 20;
const VALUE_BYTES: usize = 1_000;

fn options(reserve_bytes: u64) -> StoreOptions {
    StoreOptions {
        overlay_bytes_max: 512 << 10,
        segment_bytes: 128 << 10,
        disk_reserve_bytes: Some(reserve_bytes),
        // The pages that one part of a fold gives free are used by the next fold, not by the next part.
        fold_part_entries: 4096,
        ..small()
    }
}

fn open(disk: &Arc<QuotaDisk>, reserve_bytes: u64) -> TestStore {
    let disk: Arc<dyn Disk> = disk.clone();
    start(&disk, options(reserve_bytes))
}

/// A write that grows.
fn put(store: &TestStore, number: usize) -> Result<(), CommitError> {
    store.check_room()?;
    commit(store, move |batch| {
        batch.put(bytes(&format!("{number:06}")), vec![number as u8; VALUE_BYTES].into());
        batch.tally(Space(1), 1, VALUE_BYTES as i64);
    })
}

/// A write that doesn't.
fn delete(store: &TestStore, number: usize) -> Result<(), CommitError> {
    commit(store, move |batch| {
        batch.delete(bytes(&format!("{number:06}")));
        batch.tally(Space(1), -1, -(VALUE_BYTES as i64));
    })
}

/// Puts until it is refused; returns how many were taken and why the next one was not.
fn fill(store: &TestStore, from: usize) -> (usize, CommitError) {
    let mut number = from;
    loop {
        match put(store, number) {
            Ok(()) => number += 1,
            Err(refusal) => return (number, refusal),
        }
        assert!(number < 100_000, "the disk never gets full");
    }
}

#[test]
fn growing_is_refused_above_the_reserve_and_goes_on_with_room_again() {
    let disk = QuotaDisk::new(16 * MB);
    let store = open(&disk, 4 * MB);
    let (taken, refusal) = fill(&store, 0);
    assert!(matches!(refusal, CommitError::NoRoom { .. }), "{refusal:?}");
    assert!(taken > 2_000, "{taken}");
    assert!(store.stats().disk_is_short && store.stats().disk_refusals == 1);
    // Reads and deletions go on, and nothing that was acknowledged is missing.
    assert_eq!(contents(&store.view()).len(), taken);
    (0..10).for_each(|number| delete(&store, number).unwrap());
    assert_eq!(contents(&store.view()).len(), taken - 10);
    // Room comes back: no reopening.
    disk.set_quota(64 * MB);
    (0..3_000).for_each(|number| put(&store, number + taken).unwrap());
    assert!(!store.stats().disk_is_short);
    store.close().unwrap();
    drop(store);
    assert_eq!(contents(&open(&disk, 4 * MB).view()).len(), taken - 10 + 3_000);
}

#[test]
fn what_deletions_give_back_can_be_written_again() {
    let disk = QuotaDisk::new(16 * MB);
    let store = open(&disk, 4 * MB);
    let (taken, _) = fill(&store, 0);
    (0..1_000).for_each(|number| delete(&store, number).unwrap());
    let (again, refusal) = fill(&store, taken);
    assert!(matches!(refusal, CommitError::NoRoom { .. }), "{refusal:?}");
    // As much as was deleted, and what was under way when the disk was looked at.
    assert!((900..=1_500).contains(&(again - taken)), "{}", again - taken);
    for round in 0..5 {
        let first = 1_000 + round * 300;
        (first..first + 300).for_each(|number| delete(&store, number).unwrap());
        (0..300).for_each(|number| put(&store, 50_000 + round * 300 + number).unwrap());
    }
    assert!(store.close().is_ok(), "it was never poisoned");
}

#[test]
fn a_store_on_a_full_disk_opens_reads_and_deletes() {
    let disk = QuotaDisk::new(8 * MB);
    let store = open(&disk, 2 * MB);
    let (taken, _) = fill(&store, 0);
    drop(store);
    disk.set_quota(disk.used_bytes() + MB);
    let store = open(&disk, 2 * MB);
    assert!(matches!(put(&store, 90_000), Err(CommitError::NoRoom { .. })));
    delete(&store, 0).unwrap();
    assert_eq!(contents(&store.view()).len(), taken - 1);
}

#[test]
fn a_disk_that_is_full_all_the_same_ends_writing_and_loses_nothing() {
    let disk = QuotaDisk::new(4 * MB);
    let store = open(&disk, 0);
    let (taken, refusal) = fill(&store, 0);
    assert!(matches!(refusal, CommitError::Poisoned(_)), "{refusal:?}");
    assert_eq!(contents(&store.view()).len(), taken, "reads go on");
    drop(store);
    // Existing data can be opened and read without more space.
    let store = open(&disk, 0);
    assert_eq!(contents(&store.view()).len(), taken);
    drop(store);
    disk.set_quota(16 * MB);
    let store = open(&disk, 0);
    assert_eq!(contents(&store.view()).len(), taken);
    (0..1_000).for_each(|number| put(&store, number + taken).unwrap());
    assert_eq!(contents(&store.view()).len(), taken + 1_000);
}
