//! Readers and writers at the same time, and bounded memory.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bytes::Bytes;

use super::fixture::{TestStore, bytes, put, small, start, submit};
use super::power_disk::PowerDisk;
use crate::store::{Batch, Direction, Disk, MemoryDisk, StoreOptions};

fn amount<E: std::fmt::Debug>(value: Result<Option<Bytes>, E>) -> i64 {
    let value = value.unwrap().expect("the account is there");
    i64::from_le_bytes(value[..8].try_into().unwrap())
}

fn account(amount: i64) -> Bytes {
    let mut value = amount.to_le_bytes().to_vec();
    value.resize(300, 0);
    value.into()
}

fn transfer(batch: &mut Batch<'_, u64>, number: i64) {
    let by = number % 7;
    let (from, to) = (amount(batch.get(b"from")), amount(batch.get(b"to")));
    batch.put(bytes("from"), account(from - by));
    batch.put(bytes("to"), account(to + by));
    // Fills the overlay, so that it is folded all the time.
    batch.put(bytes(&format!("filler-{:03}", number % 200)), vec![0; 200].into());
    batch.set_attachment(Arc::new(batch.sequence()));
}

fn check_sum(store: &TestStore) {
    let view = store.view();
    assert_eq!(amount(view.get(b"from")) + amount(view.get(b"to")), 1_000);
    let mut sum = 0;
    for entry in view.range(Bound::Included(b"from"), Bound::Unbounded, Direction::Backward) {
        let (_, value) = entry.unwrap();
        sum += amount::<()>(Ok(Some(value)));
    }
    assert_eq!(sum, 1_000, "a range sees one state too");
    assert_eq!(**view.attachment(), view.sequence(), "the attachment belongs to the entries");
}

#[test]
fn readers_see_a_consistent_snapshot_while_overlays_are_folded() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let store = start(&disk, small());
    let first = submit(&store, |batch| {
        batch.put(bytes("from"), account(1_000));
        batch.put(bytes("to"), account(0));
        batch.set_attachment(Arc::new(batch.sequence()));
    });
    first.recv().unwrap().unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    check_sum(&store);
                }
            });
        }
        let results: Vec<_> = (0..2_000).map(|i| submit(&store, move |batch| transfer(batch, i))).collect();
        let outcomes: Vec<_> = results.into_iter().map(|result| result.recv().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok));
    });
    assert!(store.stats().folds > 50, "{:?}", store.stats());
    check_sum(&store);
}

#[test]
fn writers_wait_for_the_fold_and_memory_stays_bounded() {
    const ENTRY_BYTES: usize = 1_000;
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let options = StoreOptions { overlay_bytes_max: 64 << 10, ..small() };
    let bound = (options.overlay_bytes_max + 4 * ENTRY_BYTES) as u64;
    let store = start(&disk, options);
    let mut overlay_bytes_max = 0;
    let results: Vec<_> = (0..5_000)
        .map(|i| {
            overlay_bytes_max = overlay_bytes_max.max(store.stats().overlay_bytes);
            submit(&store, move |batch| {
                batch.put(bytes(&format!("{i:05}")), vec![0; ENTRY_BYTES].into());
            })
        })
        .collect();
    assert!(results.into_iter().all(|result| result.recv().unwrap().is_ok()));
    assert!(overlay_bytes_max <= bound, "{overlay_bytes_max} > {bound}");
    let stats = store.stats();
    assert!(stats.writer_waits > 0, "{stats:?}");
}

#[test]
fn many_jobs_share_one_sync() {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), StoreOptions::default());
    put(&store, "first", "1").unwrap();
    let before = store.stats().syncs;
    let (release, wait) = std::sync::mpsc::channel::<()>();
    let blocker = submit(&store, move |_| wait.recv().unwrap());
    let results: Vec<_> =
        (0..200).map(|i| submit(&store, move |batch| batch.put(bytes(&i.to_string()), bytes("x")))).collect();
    release.send(()).unwrap();
    blocker.recv().unwrap().unwrap();
    assert!(results.into_iter().all(|result| result.recv().unwrap().is_ok()));
    assert!(store.stats().syncs - before <= 2, "{:?}", store.stats());
    assert!(disk.syncs() > 0);
}
