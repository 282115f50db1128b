//! Power is cut at every sync; what was acknowledged is there afterwards, in order, and nothing is there by half.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::fixture::{Job, Random, TestStore, bytes, contents, sealed, small, try_start};
use super::power_disk::PowerDisk;
use crate::store::{Space, StoreOptions, SyncPolicy, Tally};

const KEYS: u64 = 40;

/// The changes of the commit with this number: always the same, so that any state can be computed from its number.
fn changes(sequence: u64) -> Vec<(Bytes, Option<Bytes>)> {
    let mut random = Random::new(sequence);
    let count = 1 + random.below(4);
    (0..count)
        .map(|_| {
            let key = bytes(&format!("key-{:02}", random.below(KEYS)));
            let value = vec![sequence as u8; random.below(700) as usize];
            (key, (random.below(4) > 0).then(|| value.into()))
        })
        .collect()
}

fn state_at(sequence: u64) -> BTreeMap<Bytes, Bytes> {
    let mut state = BTreeMap::new();
    for (key, value) in (1..=sequence).flat_map(changes) {
        match value {
            Some(value) => state.insert(key, value),
            None => state.remove(&key),
        };
    }
    state
}

/// Submits up to `commits` commits, several outstanding, until the disk fails. Returns the last one acknowledged.
fn work(store: &TestStore, commits: u64) -> u64 {
    let acknowledged = Arc::new(AtomicU64::new(store.view().sequence()));
    for _ in 0..commits {
        let acknowledged = acknowledged.clone();
        let job: Job = Box::new(move |batch| {
            let sequence = batch.sequence();
            for (key, value) in changes(sequence) {
                match value {
                    Some(value) => batch.put(key, value),
                    None => batch.delete(key),
                }
            }
            batch.tally(Space(1), 1, sequence as i64);
            Box::new(move |outcome| {
                if outcome.is_ok() {
                    let before = acknowledged.fetch_max(sequence, Ordering::SeqCst);
                    assert!(before < sequence, "acknowledged in order");
                }
            })
        });
        if store.submit(job).is_err() {
            break;
        }
    }
    let _ = store.close();
    acknowledged.load(Ordering::SeqCst)
}

/// Opens what the power cut left and checks it. Returns the last commit that is there.
fn check(store: &TestStore, acknowledged: u64, context: &str) -> u64 {
    let view = store.view();
    let found = view.sequence();
    assert!(
        found >= acknowledged,
        "{context}: commit {acknowledged} was acknowledged, {found} is the last one left"
    );
    let expected: Vec<_> = state_at(found).into_iter().collect();
    assert_eq!(contents(&view), expected, "{context}: the state after commit {found}");
    let tally = Tally { count: found, bytes: found * (found + 1) / 2 };
    assert_eq!(view.tally(Space(1)), tally, "{context}");
    found
}

fn options() -> StoreOptions {
    StoreOptions { overlay_bytes_max: 12 << 10, ..small() }
}

#[test]
fn power_cut_at_any_sync_loses_nothing_acknowledged() {
    cut_at_any_sync(60, options);
}

#[test]
fn power_cut_at_any_sync_of_an_encrypted_store_loses_nothing_acknowledged() {
    cut_at_any_sync(40, || sealed(options()));
}

fn cut_at_any_sync(commits: u64, options: fn() -> StoreOptions) {
    for cut in 0.. {
        let disk = PowerDisk::new();
        disk.cut_power_after_syncs(cut);
        let acknowledged = try_start(&disk.as_disk(), options()).map_or(0, |store| work(&store, commits));
        let finished = !disk.is_off();
        for seed in 0..3 {
            let context = format!("cut {cut}, seed {seed}");
            let survivor = disk.after_power_loss(&mut Random::new(cut as u64 * 31 + seed)).as_disk();
            let store = try_start(&survivor, options()).unwrap_or_else(|error| panic!("{context}: {error}"));
            check(&store, acknowledged, &context);
            // It goes on from there.
            let found = work(&store, 10);
            check(&store, found, &context);
        }
        if finished {
            assert_eq!(acknowledged, commits);
            break;
        }
    }
}

#[test]
fn power_cut_again_and_again_loses_nothing_acknowledged() {
    cut_again_and_again(40, options);
}

#[test]
fn power_cut_again_and_again_on_an_encrypted_store_loses_nothing_acknowledged() {
    cut_again_and_again(20, || sealed(options()));
}

fn cut_again_and_again(seeds: u64, options: fn() -> StoreOptions) {
    for seed in 0..seeds {
        let random = &mut Random::new(seed);
        let mut disk = PowerDisk::new();
        let mut acknowledged = 0;
        for round in 0..12 {
            let context = format!("seed {seed}, round {round}");
            disk.cut_power_after_syncs(random.below(25) as usize);
            match try_start(&disk.as_disk(), options()) {
                Ok(store) => {
                    check(&store, acknowledged, &context);
                    acknowledged = acknowledged.max(work(&store, 1 + random.below(80)));
                }
                Err(error) => assert!(disk.is_off(), "{context}: {error}"),
            }
            disk = disk.after_power_loss(random);
        }
        let store = try_start(&disk.as_disk(), options()).unwrap();
        check(&store, acknowledged, &format!("seed {seed}, at the end"));
    }
}

#[test]
fn without_syncing_a_power_cut_leaves_a_prefix_and_never_damage() {
    cut_without_syncing(60, || StoreOptions { sync: SyncPolicy::Never, ..options() });
}

#[test]
fn without_syncing_a_power_cut_leaves_a_prefix_of_an_encrypted_store() {
    cut_without_syncing(30, || sealed(StoreOptions { sync: SyncPolicy::Never, ..options() }));
}

fn cut_without_syncing(seeds: u64, options: fn() -> StoreOptions) {
    for seed in 0..seeds {
        let random = &mut Random::new(seed);
        let disk = PowerDisk::new();
        disk.cut_power_after_syncs(10 + random.below(60) as usize);
        if let Ok(store) = try_start(&disk.as_disk(), options()) {
            work(&store, 150);
        }
        let survivor = disk.after_power_loss(random).as_disk();
        let store = try_start(&survivor, options()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        check(&store, 0, &format!("seed {seed}"));
    }
}
