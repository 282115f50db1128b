//! Sizes and policies of a store.

use std::time::Duration;

use super::Key;

/// When a batch counts as durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyncPolicy {
    /// After the log was synced: survives the loss of power.
    #[default]
    EveryBatch,
    /// After the log was written: survives `kill -9`, but the loss of power may take back what was acknowledged.
    /// What is left is still a prefix of the commit order.
    Never,
}

/// Sizes and policies of a store; the defaults suit a server.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The most memory for commits that aren't in the tree yet; writers wait when it is full. At three quarters of it, the
    /// overlay is frozen and folded into the tree, and the last quarter is for writes during the fold. Replaced values
    /// count until they are folded. The log of these commits has the same limit.
    pub overlay_bytes_max: usize,
    /// The fold writes so many entries into the tree per transaction. Short ones keep the disk free for the log, and
    /// tell waiting writers sooner that there is room; entries come sorted, so hardly any page is written twice.
    pub fold_part_entries: usize,
    /// The tree's page cache.
    pub cache_bytes: usize,
    /// The size of one log file.
    pub segment_bytes: u64,
    /// The most jobs that the writer applies before it hands over to the log.
    pub batch_jobs_max: usize,
    /// The most jobs that wait for the writer; then `submit` blocks.
    pub queue_jobs_max: usize,
    /// When a batch counts as durable.
    pub sync: SyncPolicy,
    /// Writes that grow are refused when the disk has less free than this. Nothing is twice the overlay and four
    /// log files: what folding everything in memory takes at most, and the log of deletions meanwhile.
    pub disk_reserve_bytes: Option<u64>,
    /// The mark of how far the log reaches is written so long after a commit at the latest. Writers look as often whether
    /// the files still have their names.
    pub reach_interval: Duration,
    /// Opens a folder although the end of its log is missing. What is missing is logged, and lost for good.
    pub accept_loss: bool,
    /// A jump of the wall clock is believed after the clock has kept to it for so long; `0` believes it at once. Until then
    /// the time goes on by the monotonic clock.
    pub clock_settle_ms: u64,
    /// The key of an encrypted folder. An empty folder that is opened with a key is encrypted from then on.
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
    /// What is kept free on the disk.
    pub(super) fn reserve_bytes(&self) -> u64 {
        let folding_bytes = self.overlay_bytes_max as u64;
        let usual_bytes = folding_bytes.saturating_add(self.segment_bytes.saturating_mul(4));
        self.disk_reserve_bytes.unwrap_or(usual_bytes)
    }
}
