//! A small store to test with: its jobs are closures over the batch.

use std::fmt::{Debug, Write};
use std::ops::Bound;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

use crate::store::{
    Batch, CommitError, Completion, Direction, Disk, Handler, Key, ManualClock, Store, StoreError,
    StoreOptions, View,
};

pub(in crate::store) type Attachment = u64;
pub(in crate::store) type Job = Box<dyn FnOnce(&mut Batch<'_, Attachment>) -> Completion + Send>;
pub(in crate::store) type TestStore = Store<Attachment, Job>;

pub(in crate::store) struct RunJob;

impl Handler<Attachment> for RunJob {
    type Job = Job;

    fn apply(&mut self, job: Job, batch: &mut Batch<'_, Attachment>) -> Completion {
        job(batch)
    }
}

/// Everything small, so that rotations and folds happen all the time.
pub(in crate::store) fn small() -> StoreOptions {
    StoreOptions {
        overlay_bytes_max: 8 << 10,
        fold_part_entries: 4,
        cache_bytes: 1 << 20,
        segment_bytes: 16 << 10,
        batch_jobs_max: 8,
        queue_jobs_max: 16,
        // As often as can be: a crash must never meet a mark that promises too much.
        reach_interval: Duration::ZERO,
        ..StoreOptions::default()
    }
}

pub(in crate::store) fn key() -> Key {
    Key::from_bytes([7; 32])
}

/// The same, encrypted.
pub(in crate::store) fn sealed(options: StoreOptions) -> StoreOptions {
    StoreOptions { key: Some(key()), ..options }
}

pub(in crate::store) fn try_start(
    disk: &Arc<dyn Disk>,
    options: StoreOptions,
) -> Result<TestStore, StoreError> {
    let opened = Store::open(disk.clone(), options, Arc::new(ManualClock::new(1_000)))?;
    opened.start(Arc::new(0), RunJob)
}

pub(in crate::store) fn start(disk: &Arc<dyn Disk>, options: StoreOptions) -> TestStore {
    try_start(disk, options).expect("the store opens")
}

/// Submits without waiting; the result arrives in the receiver.
pub(in crate::store) fn submit(
    store: &TestStore,
    change: impl FnOnce(&mut Batch<'_, Attachment>) + Send + 'static,
) -> Receiver<Result<(), CommitError>> {
    let (done, result) = channel();
    let job: Job = Box::new(move |batch| {
        change(batch);
        Box::new(move |outcome| {
            let _ = done.send(outcome);
        })
    });
    if let Err(error) = store.submit(job) {
        let (done, refused) = channel();
        done.send(Err(error)).unwrap();
        return refused;
    }
    result
}

/// Submits and waits.
pub(in crate::store) fn commit(
    store: &TestStore,
    change: impl FnOnce(&mut Batch<'_, Attachment>) + Send + 'static,
) -> Result<(), CommitError> {
    submit(store, change).recv().expect("every job is completed")
}

pub(in crate::store) fn put(
    store: &TestStore,
    key: &str,
    value: impl Into<Bytes>,
) -> Result<(), CommitError> {
    let (key, value) = (bytes(key), value.into());
    commit(store, move |batch| batch.put(key, value))
}

pub(in crate::store) fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

/// Everything that a view shows.
pub(in crate::store) fn contents<A>(view: &View<A>) -> Vec<(Bytes, Bytes)> {
    view.range(Bound::Unbounded, Bound::Unbounded, Direction::Forward)
        .collect::<Result<_, _>>()
        .expect("the view can be read")
}

/// The bytes of the example called `name` in `docs/format.md`: the pairs of digits at the start of each line.
pub(crate) fn example(name: &str) -> Vec<u8> {
    const PAGE: &str = include_str!("../../../../../docs/format.md");
    let (_, block) = PAGE.split_once(&format!("```text {name}\n")).expect("the example is on the page");
    let (block, _) = block.split_once("```").expect("the example ends");
    let digits =
        |word: &&str| word.len() == 2 && word.chars().all(|c| c.is_ascii_digit() || ('A'..='F').contains(&c));
    block
        .lines()
        .flat_map(|line| line.split(' ').take_while(digits))
        .map(|word| u8::from_str_radix(word, 16).expect("two digits"))
        .collect()
}

/// A small generator, so that a failing seed can be run again.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Collects the log messages of this thread, one line for each event.
pub(in crate::store) fn logged(work: impl FnOnce()) -> String {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), work);
    log.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        event.record(&mut Line(&mut log));
        log.push('\n');
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line<'a>(&'a mut String);

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}
