//! Counters for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Statistics of a store, for metrics. Counts are since opening.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// The last published commit.
    pub sequence: u64,
    /// The approximate memory of both overlays.
    pub overlay_bytes: u64,
    /// Files of the log, without spares.
    pub log_segments: u64,
    /// Bytes of those files.
    pub log_bytes: u64,
    /// History files.
    pub past_files: u64,
    /// Bytes of those files.
    pub past_bytes: u64,
    /// The size of the tree file.
    pub tree_bytes: u64,
    /// Jobs waiting for the writer.
    pub queue_jobs: u64,
    /// Jobs applied.
    pub jobs: u64,
    /// Commits logged. A job without changes makes none.
    pub commits: u64,
    /// Bytes of frames logged.
    pub commit_bytes: u64,
    /// Batches that the writer passed to the log.
    pub batches: u64,
    /// Syncs of the log.
    pub syncs: u64,
    /// Time spent in them.
    pub sync_time_us: u64,
    /// Overlays folded into the tree.
    pub folds: u64,
    /// Entries folded into the tree.
    pub folded_entries: u64,
    /// Time spent folding.
    pub fold_time_us: u64,
    /// How often the writer had to wait for the fold because both overlays were full.
    pub writer_waits: u64,
    /// Time spent in these waits.
    pub writer_wait_time_us: u64,
    /// How often `submit` had to wait because the queue was full.
    pub submit_waits: u64,
    /// Whether writing has ended until the store is opened again, because a write, a sync or a fold failed, or a file
    /// is missing.
    pub writes_stopped: bool,
    /// The free bytes on the disk, if known.
    pub disk_free_bytes: Option<u64>,
    /// The bytes to keep free. With less, writes that need space are refused.
    pub disk_reserve_bytes: u64,
    /// Whether they are refused now.
    pub disk_is_short: bool,
    /// How often a write was refused for lack of space.
    pub disk_refusals: u64,
    /// How often the wall clock jumped forward relative to the monotonic one.
    pub clock_jumps_forward: u64,
    /// How often it jumped back.
    pub clock_jumps_back: u64,
    /// Whether the wall clock isn't trusted yet, after a jump or because the database was closed for long.
    pub clock_is_doubted: bool,
}

/// A counter that one thread changes and any thread reads.
#[derive(Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, by: usize) {
        self.0.fetch_add(by as u64, Ordering::Relaxed);
    }

    pub(super) fn add_time(&self, time: Duration) {
        self.0.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters behind [`StoreStats`].
#[derive(Default)]
pub(super) struct Counters {
    pub(super) jobs: Counter,
    pub(super) commits: Counter,
    pub(super) commit_bytes: Counter,
    pub(super) batches: Counter,
    pub(super) syncs: Counter,
    pub(super) sync_time: Counter,
    pub(super) folds: Counter,
    pub(super) folded_entries: Counter,
    pub(super) fold_time: Counter,
    pub(super) writer_waits: Counter,
    pub(super) writer_wait_time: Counter,
    pub(super) submit_waits: Counter,
}
