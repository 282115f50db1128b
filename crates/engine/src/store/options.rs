//! The options of a store.

use std::time::Duration;

use super::Key;

/// When a batch counts as durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncPolicy {
    /// After the log is synced. Commits survive a power failure.
    #[default]
    EveryBatch,
    /// After the log is written. Commits survive `kill -9`, but a power failure may undo acknowledged ones. The rest
    /// is still a prefix of the commit order.
    Never,
}

/// The options of a store. The defaults suit an embedded database.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The most memory for commits that aren't in the tree yet; writers wait when it is full. At three quarters of it, the
    /// overlay is frozen and folded into the tree, and the last quarter is for writes during the fold. Replaced values
    /// count until they are folded. The log of these commits has the same limit.
    pub overlay_bytes_max: usize,
    /// The number of entries that the fold writes into the tree per transaction. Short transactions keep the disk
    /// free for the log and give space to waiting writers sooner. Entries are sorted, so hardly any page is written
    /// twice.
    pub fold_part_entries: usize,
    /// The size of the tree's page cache.
    pub cache_bytes: usize,
    /// The size of one log file.
    pub segment_bytes: u64,
    /// The most jobs that the writer applies before it passes them to the log.
    pub batch_jobs_max: usize,
    /// The most jobs that wait for the writer. Then `submit` blocks.
    pub queue_jobs_max: usize,
    /// When a batch counts as durable.
    pub sync: SyncPolicy,
    /// Writes that need space are refused when the disk has less free than this. `None` reserves `overlay_bytes_max`
    /// and four log files: the most that folding everything in memory takes, and the log of deletions meanwhile.
    pub disk_reserve_bytes: Option<u64>,
    /// The longest time after a commit until the extent of the log is recorded. Writers check as often that the files
    /// still have their names.
    pub reach_interval: Duration,
    /// Opens a folder although the end of its log is missing. The missing commits are logged as lost and can't be
    /// restored.
    pub accept_loss: bool,
    /// How long the wall clock must stay on a new line until a jump is trusted; `0` trusts it at once. Until then the
    /// time follows the monotonic clock.
    pub clock_settle_ms: u64,
    /// The key of an encrypted folder. An empty folder that is opened with a key becomes encrypted.
    pub key: Option<Key>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            overlay_bytes_max: 128 << 20,
            fold_part_entries: 16 << 10,
            cache_bytes: 256 << 20,
            segment_bytes: 16 << 20,
            batch_jobs_max: 256,
            queue_jobs_max: 1024,
            sync: SyncPolicy::EveryBatch,
            disk_reserve_bytes: None,
            reach_interval: Duration::from_secs(1),
            accept_loss: false,
            clock_settle_ms: 10 * 60 * 1000,
            key: None,
        }
    }
}

impl StoreOptions {
    /// Returns the disk space to keep free.
    pub(super) fn reserve_bytes(&self) -> u64 {
        let folding_bytes = self.overlay_bytes_max as u64;
        let usual_bytes = folding_bytes.saturating_add(self.segment_bytes.saturating_mul(4));
        self.disk_reserve_bytes.unwrap_or(usual_bytes)
    }
}
