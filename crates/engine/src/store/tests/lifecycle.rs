//! Opening, closing, and what a job can do.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::mpsc::channel;

use bytes::Bytes;

use super::fixture::{Job, RunJob, bytes, commit, contents, put, small, start, submit};
use super::power_disk::PowerDisk;
use crate::store::{
    Batch, CommitError, Direction, Disk, FileDisk, ManualClock, MemoryDisk, Space, Store, StoreError,
    StoreOptions, SyncPolicy, SystemClock, Tally, TrySubmitError,
};

fn memory() -> Arc<dyn Disk> {
    Arc::new(MemoryDisk::new())
}

#[test]
fn what_is_committed_is_there_after_closing_and_opening() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    put(&store, "a", "1").unwrap();
    put(&store, "b", "2").unwrap();
    commit(&store, |batch| batch.delete(bytes("a"))).unwrap();
    store.close().unwrap();
    drop(store);

    let store = start(&disk, StoreOptions::default());
    assert_eq!(contents(&store.view()), [(bytes("b"), bytes("2"))]);
    assert_eq!(store.view().sequence(), 3);
}

#[test]
fn closing_folds_so_that_opening_replays_nothing() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    put(&store, "a", "1").unwrap();
    store.close().unwrap();
    assert_eq!(store.stats().folds, 1);
    drop(store);
    let opened = Store::open(disk, StoreOptions::default(), Arc::new(SystemClock)).unwrap();
    assert_eq!(opened.view().overlay_bytes(), 0);
    assert_eq!(opened.view().get(b"a").unwrap(), Some(bytes("1")));
}

#[test]
fn closing_finishes_the_jobs_in_the_queue_and_refuses_later_ones() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    let results: Vec<_> =
        (0..100).map(|i| submit(&store, move |batch| batch.put(bytes(&i.to_string()), bytes("x")))).collect();
    store.close().unwrap();
    assert!(results.into_iter().all(|result| result.recv().unwrap().is_ok()));
    assert_eq!(contents(&store.view()).len(), 100);
    assert_eq!(put(&store, "late", "x"), Err(CommitError::Closed));
    store.close().unwrap();
}

#[test]
fn a_store_dropped_by_a_completion_does_not_wait_for_itself() {
    let disk = memory();
    let store = Arc::new(start(&disk, StoreOptions::default()));
    let (done, result) = channel();
    let (keep_going, wait) = channel::<()>();
    let held = store.clone();
    let job: Job = Box::new(move |batch| {
        batch.put(bytes("a"), bytes("1"));
        Box::new(move |outcome| {
            wait.recv().unwrap();
            drop(held);
            done.send(outcome).unwrap();
        })
    });
    store.submit(job).unwrap();
    drop(store);
    keep_going.send(()).unwrap();
    result.recv().unwrap().unwrap();
}

#[test]
fn a_view_outlives_its_store() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    put(&store, "a", "1").unwrap();
    store.close().unwrap();
    let view = store.view();
    drop(store);
    assert_eq!(view.get(b"a").unwrap(), Some(bytes("1")));
}

#[test]
fn a_job_sees_earlier_jobs_and_its_own_changes() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    let first = submit(&store, |batch| batch.put(bytes("b"), bytes("1")));
    let (seen, see) = channel();
    commit(&store, move |batch| {
        batch.put(bytes("a"), bytes("2"));
        batch.delete(bytes("b"));
        batch.put(bytes("c"), bytes("3"));
        let range = |direction| {
            let range = batch.range(Bound::Unbounded, Bound::Unbounded, direction);
            range.map(|entry| entry.unwrap().0).collect::<Vec<Bytes>>()
        };
        seen.send((range(Direction::Forward), range(Direction::Backward), batch.get(b"b").unwrap())).unwrap();
    })
    .unwrap();
    first.recv().unwrap().unwrap();
    assert_eq!(see.recv().unwrap(), (vec![bytes("a"), bytes("c")], vec![bytes("c"), bytes("a")], None));
}

#[test]
fn a_job_that_rolls_back_leaves_nothing() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    commit(&store, |batch| {
        batch.put(bytes("a"), bytes("1"));
        batch.tally(Space(1), 1, 10);
        batch.set_attachment(Arc::new(7));
        batch.rollback();
    })
    .unwrap();
    let view = store.view();
    assert_eq!((view.sequence(), **view.attachment(), view.tally(Space(1))), (0, 0, Tally::default()));
    assert_eq!(contents(&view), []);
}

#[test]
fn a_job_that_adds_nothing_writes_no_frame() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    commit(&store, |_| {}).unwrap();
    let stats = store.stats();
    assert_eq!((stats.jobs, stats.commits, stats.commit_bytes, stats.syncs), (1, 0, 0, 0));
}

#[test]
fn attachment_and_tallies_are_published_with_the_entries() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    commit(&store, |batch| {
        batch.put(bytes("a"), bytes("1"));
        batch.set_attachment(Arc::new(5));
        batch.tally(Space(3), 2, 100);
        batch.tally(Space(3), -1, -40);
    })
    .unwrap();
    let view = store.view();
    assert_eq!((**view.attachment(), view.tally(Space(3))), (5, Tally { count: 1, bytes: 60 }));
}

#[test]
fn tallies_survive_log_and_tree_and_vanish_at_zero() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    commit(&store, |batch| {
        batch.tally(Space(1), 5, 50);
        batch.tally(Space(2), 1, 10);
    })
    .unwrap();
    store.close().unwrap();
    drop(store);
    let store = start(&disk, StoreOptions::default());
    commit(&store, |batch| {
        batch.tally(Space(1), -1, -10);
        batch.tally(Space(2), -1, -10);
    })
    .unwrap();
    assert_eq!(store.view().tallies.0.len(), 1);
    store.close().unwrap();
    drop(store);
    let opened = Store::open(disk, StoreOptions::default(), Arc::new(SystemClock)).unwrap();
    assert_eq!(opened.view().tally(Space(1)), Tally { count: 4, bytes: 40 });
    assert_eq!(opened.view().tallies.0.len(), 1);
}

#[test]
fn commit_times_stand_still_in_small_steps_back_and_follow_larger_ones_even_across_openings() {
    let disk = memory();
    let clock = Arc::new(ManualClock::new(5_000));
    for (now, time) in [(50_000, 50_000), (45_000, 50_000), (44_999, 44_999), (45_000, 45_000)] {
        clock.set_ms(now);
        let store =
            Store::open(disk.clone(), small(), clock.clone()).unwrap().start(Arc::new(0), RunJob).unwrap();
        put(&store, "a", "1").unwrap();
        assert_eq!(store.view().time_ms(), time);
        // A crash, so that the time is read from the log as well.
        drop(store);
    }
}

#[test]
fn the_queue_refuses_or_blocks_when_it_is_full() {
    let disk = memory();
    let store = start(&disk, StoreOptions { queue_jobs_max: 2, batch_jobs_max: 1, ..small() });
    let (release, wait) = channel::<()>();
    let (entered, running) = channel();
    let blocker = submit(&store, move |_| {
        entered.send(()).unwrap();
        wait.recv().unwrap();
    });
    running.recv().unwrap();
    let job = || -> Job { Box::new(|_| Box::new(|_| {})) };
    assert!(store.try_submit(job()).is_ok());
    assert!(store.try_submit(job()).is_ok());
    assert!(matches!(store.try_submit(job()), Err(TrySubmitError::Full(_))));
    std::thread::scope(|scope| {
        let blocked = scope.spawn(|| store.submit(job()));
        release.send(()).unwrap();
        blocked.join().unwrap().unwrap();
    });
    blocker.recv().unwrap().unwrap();
}

#[test]
fn a_commit_that_is_too_large_is_refused_whole_and_the_next_one_goes_on() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    let refused = commit(&store, |batch| {
        batch.put(bytes("small"), bytes("x"));
        batch.put(bytes("large"), vec![0; 257 << 20].into());
    });
    assert!(matches!(refused, Err(CommitError::TooLarge { .. })), "{refused:?}");
    put(&store, "a", "1").unwrap();
    assert_eq!(contents(&store.view()), [(bytes("a"), bytes("1"))]);
}

#[test]
fn a_value_that_many_keys_share_counts_once() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    commit(&store, |batch| {
        let value: Bytes = vec![7; 10 << 20].into();
        (0..40).for_each(|key: u8| batch.put(Bytes::copy_from_slice(&[key]), value.clone()));
    })
    .unwrap();
    assert_eq!(contents(&store.view()).len(), 40);
    assert!(store.stats().commit_bytes < 11 << 20);
}

#[test]
fn a_frame_larger_than_a_segment_gets_a_segment_of_its_own() {
    let disk = PowerDisk::new();
    let options = || StoreOptions { overlay_bytes_max: 128 << 20, ..small() };
    let store = start(&disk.as_disk(), options());
    put(&store, "a", "1").unwrap();
    put(&store, "large", vec![7; 100_000]).unwrap();
    put(&store, "b", "2").unwrap();
    let before = contents(&store.view());
    let store = start(&disk.after_kill().as_disk(), options());
    assert_eq!(contents(&store.view()), before);
}

#[test]
fn inverted_bounds_give_an_empty_range() {
    let disk = memory();
    let store = start(&disk, StoreOptions::default());
    put(&store, "a", "1").unwrap();
    let view = store.view();
    let cases = [
        (Bound::Included(&b"b"[..]), Bound::Included(&b"a"[..])),
        (Bound::Excluded(b"a"), Bound::Excluded(b"a")),
        (Bound::Excluded(b"a"), Bound::Included(b"a")),
        (Bound::Included(b"a"), Bound::Excluded(b"a")),
    ];
    for (lower, upper) in cases {
        assert_eq!(view.range(lower, upper, Direction::Forward).count(), 0);
        commit(&store, move |batch| {
            batch.put(bytes("a"), bytes("2"));
            assert_eq!(batch.range(lower, upper, Direction::Backward).count(), 0);
        })
        .unwrap();
    }
}

#[test]
fn a_folder_is_refused_to_a_second_opener_until_the_first_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let disk: Arc<dyn Disk> = Arc::new(FileDisk::open(folder.path()).unwrap());
    let store = start(&disk, small());
    drop(disk);
    let refused = FileDisk::open(folder.path()).expect_err("the folder is in use");
    assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
    drop(store);
    FileDisk::open(folder.path()).unwrap();
}

#[test]
fn files_on_a_real_disk_hold_the_same_data_under_either_sync_policy() {
    for sync in [SyncPolicy::EveryBatch, SyncPolicy::Never] {
        let folder = tempfile::tempdir().unwrap();
        let mut expected = Vec::new();
        for round in 0..3 {
            let disk: Arc<dyn Disk> = Arc::new(FileDisk::open(folder.path()).unwrap());
            let store = start(&disk, StoreOptions { sync, ..small() });
            for i in 0..50 {
                let key = format!("{round}-{i:03}");
                put(&store, &key, vec![round; 200]).unwrap();
                expected.push((bytes(&key), Bytes::from(vec![round; 200])));
            }
            assert_eq!(contents(&store.view()), expected);
        }
    }
}

#[test]
fn log_files_are_used_again_and_their_number_stays_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let disk: Arc<dyn Disk> = Arc::new(FileDisk::open(folder.path()).unwrap());
    let store = start(&disk, small());
    for i in 0..2_000 {
        put(&store, &format!("{:03}", i % 100), vec![1; 300]).unwrap();
    }
    store.close().unwrap();
    let files = disk.list().unwrap();
    assert!(store.stats().log_segments <= 2, "{:?}", store.stats());
    assert!(files.len() < 10, "{files:?}");
}

#[test]
fn a_key_written_over_and_over_does_not_let_the_log_grow() {
    let disk = memory();
    let store = start(&disk, small());
    for i in 0..1_000u32 {
        put(&store, "the same", vec![i.to_le_bytes()[0]; 300]).unwrap();
    }
    let stats = store.stats();
    assert!(stats.folds > 0, "{stats:?}");
    store.close().unwrap();
    assert!(store.stats().log_segments <= 2, "{:?}", store.stats());
}

#[test]
fn a_fold_uses_the_pages_that_its_own_parts_gave_up() {
    // Readers move on when their threads run. On a busy machine that may be later than the next parts, so several
    // tries are allowed. If readers never moved on, each try would double the file.
    let grows = || {
        let disk = memory();
        let filled = fold_small_parts(&disk, "a");
        let rewritten = fold_small_parts(&disk, "b");
        rewritten >= filled * 3 / 2
    };
    assert!((0..10).any(|_| !grows()));
}

/// Writes the same 6,000 keys, folds them in parts of 256 entries, and returns the length of the tree's file.
fn fold_small_parts(disk: &Arc<dyn Disk>, text: &'static str) -> u64 {
    let options =
        StoreOptions { overlay_bytes_max: 64 << 20, fold_part_entries: 256, ..StoreOptions::default() };
    let store = start(disk, options);
    for group in 0..60 {
        let puts = move |batch: &mut Batch<'_, _>| {
            (0..100).for_each(|i| {
                batch.put(bytes(&format!("{:05}", group * 100 + i)), bytes(text).repeat(1000).into())
            });
        };
        commit(&store, puts).unwrap();
    }
    store.close().unwrap();
    store.stats().tree_bytes
}
