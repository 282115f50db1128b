//! The options of a database.

use std::sync::Arc;

use singlet_values::Schedule;

use crate::buckets::Buckets;
use crate::store::{Clock, StoreOptions, SystemClock};

/// The options of a database. The defaults are durable and use about 400 MB of memory under load.
#[derive(Clone)]
pub struct Options {
    /// Options of the storage: cache, overlay, durability.
    pub store: StoreOptions,
    /// The region in ARNs.
    pub region: String,
    /// The account in ARNs.
    pub account_id: String,
    /// Whether a write to an item of a running transaction is refused, as in DynamoDB, or waits.
    pub conflicts: Conflicts,
    /// Whether a request for encryption is answered as in DynamoDB if the folder isn't encrypted. Otherwise it is
    /// refused.
    pub accept_sse: bool,
    /// The backup schedule of tables that have no schedule of their own. `None` means no backups.
    pub backups: Option<Schedule>,
    /// How streams are divided into shards.
    pub streams: StreamOptions,
    /// The storage for exports and imports. `None` refuses them.
    pub buckets: Option<Arc<dyn Buckets>>,
    /// The source of time.
    pub clock: Arc<dyn Clock>,
}

/// How streams are divided into shards. Readers follow shards from parents to children, so a correct reader doesn't
/// depend on these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOptions {
    /// The number of shards of a new stream.
    pub shards: u32,
    /// The age at which a shard is closed and continued by one child.
    pub shard_life_ms: u64,
    /// The number of records at which a shard is closed early and continued by two children.
    pub shard_records_max: u64,
    /// The number of open shards from which on none is split.
    pub open_shards_max: u32,
}

impl StreamOptions {
    /// Whether a shard of this age must be closed.
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

/// The treatment of a write to an item that a transaction is writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflicts {
    /// It is refused, as in DynamoDB.
    #[default]
    Refuse,
    /// It waits until the transaction has ended.
    Wait,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            store: StoreOptions::default(),
            region: "us-east-1".to_owned(),
            account_id: "000000000000".to_owned(),
            conflicts: Conflicts::default(),
            accept_sse: false,
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
            .field("accept_sse", &self.accept_sse)
            .finish_non_exhaustive()
    }
}
