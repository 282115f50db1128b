//! Figures of the storage alone. Run in a release build:
//!
//! `cargo test --release -p singlet-engine --lib store::tests::measure -- --ignored --nocapture --test-threads=1`
//!
//! `MEASURE_FOLDER` says where (a folder that is removed afterwards), `MEASURE_ITEMS` how many items.

use std::ops::Bound;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::fixture::{Job, Random, RunJob, TestStore};
use crate::store::{Direction, Disk, FileDisk, Store, StoreOptions, SystemClock};

const VALUE_BYTES: usize = 600;
const OUTSTANDING: usize = 64;
const READ_TIME: Duration = Duration::from_secs(3);

fn folder() -> PathBuf {
    std::env::var("MEASURE_FOLDER")
        .map_or_else(|_| std::env::temp_dir().join("singlet-measure"), PathBuf::from)
}

fn items() -> u64 {
    std::env::var("MEASURE_ITEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000)
}

/// As the engine's keys: a table, a hash, then the parts of the key.
fn key(item: u64) -> Bytes {
    let mut key = 7_u32.to_be_bytes().to_vec();
    key.extend_from_slice(&(item.wrapping_mul(0x9E37_79B9_7F4A_7C15) as u32).to_be_bytes());
    key.extend_from_slice(format!("USER#{item:012}\0\0PROFILE\0\0").as_bytes());
    key.into()
}

fn value(item: u64) -> Bytes {
    let mut random = Random::new(item);
    (0..VALUE_BYTES / 8).flat_map(|_| random.next().to_le_bytes()).collect::<Vec<u8>>().into()
}

fn open() -> TestStore {
    let disk: Arc<dyn Disk> = Arc::new(FileDisk::open(folder()).unwrap());
    Store::open(disk, StoreOptions::default(), Arc::new(SystemClock))
        .unwrap()
        .start(Arc::new(0), RunJob)
        .unwrap()
}

/// Writes items with a fixed number of jobs outstanding; returns the slowest commit.
fn write(store: &TestStore, items: impl Iterator<Item = u64>) -> Duration {
    // A completion gives its place back.
    let (places, free) = sync_channel(OUTSTANDING);
    (0..OUTSTANDING).for_each(|_| places.send(Duration::ZERO).unwrap());
    let mut slowest = Duration::ZERO;
    for item in items {
        slowest = slowest.max(free.recv().unwrap());
        let (key, value, places, start) = (key(item), value(item), places.clone(), Instant::now());
        let job: Job = Box::new(move |batch| {
            batch.put(key, value);
            Box::new(move |outcome| {
                outcome.unwrap();
                let _ = places.send(start.elapsed());
            })
        });
        store.submit(job).unwrap();
    }
    (0..OUTSTANDING).for_each(|_| slowest = slowest.max(free.recv().unwrap()));
    slowest
}

fn report(what: &str, count: u64, time: Duration) {
    println!("{what}: {count} in {time:.2?}, {:.0}/s", count as f64 / time.as_secs_f64());
}

/// Calls `read` from `threads` threads for a while.
fn read(what: &str, threads: u64, read: impl Fn(u64) + Sync) {
    let start = Instant::now();
    let count: u64 = thread::scope(|scope| {
        let count = |thread| {
            let mut random = Random::new(thread + 1);
            let mut count = 0;
            while start.elapsed() < READ_TIME {
                (0..64).for_each(|_| read(random.next()));
                count += 64;
            }
            count
        };
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || count(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    report(&format!("{what}, {threads} threads"), count, start.elapsed());
}

fn read_all(state: &str, store: &TestStore) {
    let view = store.view();
    for threads in [1, 2] {
        read(&format!("get, {state}"), threads, |random| {
            assert!(view.get(&key(random % items())).unwrap().is_some());
        });
        read(&format!("scan of 25, {state}"), threads, |random| {
            let lower = key(random % items());
            let range = view.range(Bound::Included(&lower), Bound::Unbounded, Direction::Forward);
            assert!(range.take(25).all(|entry| entry.is_ok()));
        });
    }
}

#[test]
#[ignore = "the first half of the measurement: it dies on purpose"]
fn load_and_die() {
    let store = open();
    let count = items();
    let start = Instant::now();
    let slowest = write(&store, (0..count).map(|item| item.wrapping_mul(7_368_787) % count));
    report("durable writes of new items, 64 outstanding", count, start.elapsed());
    println!("slowest {slowest:.2?}, {:?}", store.stats());
    // Dies with an overlay that is nearly full, which is the most to replay.
    let mut item = 0;
    while store.stats().overlay_bytes < 60 << 20 {
        write(&store, (item..item + 1_000).map(|item| item % count));
        item += 1_000;
    }
    println!("dying with {:?}", store.stats());
    std::process::abort();
}

#[test]
#[ignore = "takes a minute, and figures are no proof"]
fn figures() {
    let _ = std::fs::remove_dir_all(folder());
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture"])
        .arg(format!("{}::load_and_die", module_path!().split_once("::").unwrap().1))
        .status()
        .unwrap();
    assert!(!child.success(), "it was to die");

    let start = Instant::now();
    let store = open();
    println!("open after kill: {:.2?}, overlay of {} bytes", start.elapsed(), store.stats().overlay_bytes);
    read_all("overlay nearly full", &store);
    let start = Instant::now();
    store.close().unwrap();
    println!("close with fold: {:.2?}, {:?}", start.elapsed(), store.stats());
    drop(store);

    let start = Instant::now();
    let store = open();
    println!("open after close: {:.2?}", start.elapsed());
    read_all("all folded", &store);
    let start = Instant::now();
    let mut random = Random::new(5);
    let slowest = write(&store, (0..200_000).map(|_| random.next() % items()));
    report("durable overwrites, 64 outstanding", 200_000, start.elapsed());
    println!("slowest {slowest:.2?}, {:?}", store.stats());
    drop(store);
    std::fs::remove_dir_all(folder()).unwrap();
}
