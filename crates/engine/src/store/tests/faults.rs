//! Failing disks: nothing is acknowledged that isn't durable, reads go on, and opening again recovers.

use std::io::ErrorKind;

use super::fixture::{bytes, commit, contents, put, sealed, small, start, submit};
use super::power_disk::{Fault, Operation, PowerDisk};
use crate::store::{CommitError, StoreOptions};

fn fault(operation: Operation, file_prefix: &'static str, after: usize) -> Option<Fault> {
    Some(Fault { operation, file_prefix, after, kind: ErrorKind::StorageFull })
}

#[test]
fn a_failed_write_or_sync_of_the_log_poisons_writes_but_not_reads() {
    for operation in [Operation::Write, Operation::Sync] {
        let disk = PowerDisk::new();
        let store = start(&disk.as_disk(), StoreOptions::default());
        put(&store, "a", "1").unwrap();
        disk.fail(fault(operation, "log-", 0));
        let failed = put(&store, "a", "2");
        assert!(matches!(failed, Err(CommitError::Poisoned(_))), "{failed:?}");
        disk.fail(None);
        let later = put(&store, "b", "3");
        assert_eq!(later, failed, "the reason stays");
        assert_eq!(contents(&store.view()), [(bytes("a"), bytes("1"))], "nothing unacknowledged is shown");
        assert_eq!(store.view().sequence(), 1);
        assert_eq!(store.close(), failed);
    }
}

#[test]
fn every_job_in_flight_gets_an_answer_when_the_log_fails() {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), small());
    disk.fail(fault(Operation::Sync, "log-", 5));
    let results: Vec<_> =
        (0..200).map(|i| submit(&store, move |batch| batch.put(bytes(&i.to_string()), bytes("x")))).collect();
    let outcomes: Vec<_> =
        results.into_iter().map(|result| result.recv().expect("an answer").is_ok()).collect();
    let durable = outcomes.iter().take_while(|ok| **ok).count();
    assert!(outcomes.iter().skip(durable).all(|ok| !ok), "after the first failure everything fails");
    assert_eq!(contents(&store.view()).len(), durable);
}

#[test]
fn a_failed_fold_poisons_writes_but_not_reads_and_opening_again_recovers() {
    fail_folds(small);
}

#[test]
fn a_failed_fold_of_an_encrypted_store_poisons_writes_but_not_reads() {
    fail_folds(|| sealed(small()));
}

fn fail_folds(small: fn() -> StoreOptions) {
    for (operation, after) in [
        (Operation::Write, 0),
        (Operation::Write, 3),
        (Operation::Sync, 0),
        (Operation::Sync, 1),
        (Operation::Grow, 0),
    ] {
        let disk = PowerDisk::new();
        // A small cache, so that reads must go to the file.
        let options = || StoreOptions { cache_bytes: 0, overlay_bytes_max: 128 << 10, ..small() };
        let store = start(&disk.as_disk(), options());
        for i in 0..1_000 {
            put(&store, &format!("{i:04}"), vec![1; 1_000]).unwrap();
        }
        while store.stats().folds < 5 {
            put(&store, "0000", vec![1; 1_000]).unwrap();
        }
        disk.fail(fault(operation, "tree", after));
        let mut acknowledged = Vec::new();
        let mut i = 1_000;
        let failed = loop {
            let key = format!("{i:04}");
            match put(&store, &key, vec![1; 1_000]) {
                Ok(()) => acknowledged.push(key),
                Err(error) => break error,
            }
            i += 1;
            assert!(i < 20_000, "{operation:?} {after}: the fault was never met");
        };
        assert!(matches!(failed, CommitError::Poisoned(_)), "{failed}");
        let shown = contents(&store.view());
        assert_eq!(shown.len(), 1_000 + acknowledged.len(), "{operation:?} {after}");
        drop(store);

        disk.fail(None);
        let store = start(&disk.as_disk(), options());
        assert!(contents(&store.view()).starts_with(&shown), "{operation:?} {after}");
        put(&store, "again", "1").unwrap();
    }
}

#[test]
fn a_log_that_cannot_be_trimmed_is_no_reason_to_stop() {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), small());
    put(&store, "a", "1").unwrap();
    disk.fail(fault(Operation::Rename, "log-", 0));
    for i in 0..200 {
        put(&store, &format!("{i:03}"), vec![1; 300]).unwrap();
    }
    disk.fail(None);
    let before = contents(&store.view());
    store.close().unwrap();
    drop(store);
    assert_eq!(contents(&start(&disk.as_disk(), small()).view()), before);
}

#[test]
fn a_handler_that_panics_poisons_the_store_and_leaves_nobody_waiting() {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), small());
    put(&store, "a", "1").unwrap();
    let panicked = submit(&store, |_| panic!("a bug in the handler"));
    assert!(panicked.recv().is_err(), "its completion is dropped");
    let later = commit_or_dropped(&store);
    assert!(later.is_none_or(|outcome| outcome.is_err()));
    assert_eq!(store.view().get(b"a").unwrap(), Some(bytes("1")));
    assert!(matches!(store.close(), Err(CommitError::Poisoned(_))));
}

fn commit_or_dropped(store: &super::fixture::TestStore) -> Option<Result<(), CommitError>> {
    submit(store, |batch| batch.put(bytes("b"), bytes("2"))).recv().ok()
}

#[test]
fn a_completion_that_panics_poisons_the_store_and_leaves_nobody_waiting() {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), small());
    let job: super::fixture::Job = Box::new(|batch| {
        batch.put(bytes("a"), bytes("1"));
        Box::new(|_| panic!("a bug in the completion"))
    });
    store.submit(job).unwrap();
    assert!(matches!(store.close(), Err(CommitError::Poisoned(_))));
    assert!(matches!(commit(&store, |_| {}), Err(CommitError::Poisoned(_) | CommitError::Closed)));
}
