//! Settings of a database.

use std::sync::Arc;

use singlet_values::Schedule;

use crate::buckets::Buckets;
use crate::store::{Clock, StoreOptions, SystemClock};

/// How a database is opened. The defaults are durable and take about 400 MB of memory under load.
#[derive(Clone)]
pub struct Options {
    /// Storage: cache, overlay, durability.
    pub store: StoreOptions,
    /// The region in ARNs.
    pub region: String,
    /// The account in ARNs.
    pub account_id: String,
    /// Whether a write that meets a transaction under way is refused, as DynamoDB does, or waits for its turn.
    pub conflicts: Conflicts,
    /// When backups are taken of tables that have no schedule of their own; `None` takes none.
    pub backups: Option<Schedule>,
    /// How streams are cut into shards.
    pub streams: StreamOptions,
    /// Where exports go and imports come from; without it they are refused.
    pub buckets: Option<Arc<dyn Buckets>>,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
}

/// How streams are cut into shards. Readers follow shards from parents to children, so none of this is seen by one that
/// does as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOptions {
    /// Shards that a stream begins with.
    pub shards: u32,
    /// A shard is closed, and continued by a child, after so long.
    pub shard_life_ms: u64,
    /// A shard that took more records is closed early, and continued by two children.
    pub shard_records_max: u64,
    /// With so many open shards none is split any more.
    pub open_shards_max: u32,
}

impl StreamOptions {
    /// Whether a shard of this age is to be closed.
    pub(crate) fn is_full_term(&self, created_ms: u64, now_ms: u64) -> bool {
        now_ms.saturating_sub(created_ms) >= self.shard_life_ms.max(1)
    }
}

impl Default for StreamOptions {
    fn default() -> Self {
        StreamOptions {
            shards: 4,
            shard_life_ms: 4 * 60 * 60 * 1000,
            shard_records_max: 1_000_000,
            open_shards_max: 64,
        }
    }
}

/// What happens to a write of an item that a transaction is writing at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflicts {
    /// It is refused, as DynamoDB refuses it.
    #[default]
    Refuse,
    /// It waits for its turn.
    Wait,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            store: StoreOptions::default(),
            region: "us-east-1".to_owned(),
            account_id: "000000000000".to_owned(),
            conflicts: Conflicts::default(),
            backups: None,
            streams: StreamOptions::default(),
            buckets: None,
            clock: Arc::new(SystemClock),
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("region", &self.region)
            .field("account_id", &self.account_id)
            .field("conflicts", &self.conflicts)
            .finish_non_exhaustive()
    }
}
