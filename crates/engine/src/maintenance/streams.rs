//! Maintenance of streams: rolling shards over, splitting them, and removing old ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::options::StreamOptions;
use crate::pending::Pending;
use crate::store::Position;
use crate::stream::{Stream, Trim};
use crate::turns::Now;
use crate::write::{EngineStore, Job, Progress};

/// Finds streams with due work and submits it to the writer.
#[derive(Clone)]
pub(crate) struct StreamMaintenance {
    options: StreamOptions,
    /// Set by the writer when a shard is busy.
    busy: Arc<AtomicBool>,
}

impl std::fmt::Debug for StreamMaintenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamMaintenance").field("options", &self.options).finish_non_exhaustive()
    }
}

impl StreamMaintenance {
    pub(crate) fn new(options: StreamOptions, busy: Arc<AtomicBool>) -> Self {
        StreamMaintenance { options, busy }
    }

    /// Does the due work. Old shards are removed only with `may_delete`.
    pub(crate) fn run(&self, store: &EngineStore, may_delete: bool) -> Result<()> {
        let view = store.view();
        let now = view.catalogue().now(view.now_ms(store.time()));
        let streams = view.catalogue().streams();
        let due: Vec<_> = streams.filter(|stream| stream.is_due(&self.options, &now, may_delete)).collect();
        let is_busy = self.busy.swap(false, Ordering::Relaxed);
        if due.is_empty() && !is_busy {
            return Ok(());
        }
        let trimmed = due.into_iter().filter(|_| may_delete);
        let trims = trimmed.filter_map(|stream| trim(store, stream, &now).transpose());
        let trims = trims.collect::<Result<Vec<_>>>()?;
        loop {
            let (answer, pending) = Pending::channel();
            store.submit(Job::MaintainStreams { trims: trims.clone(), may_delete, answer })?;
            if pending.wait()? == Progress::Done {
                return Ok(());
            }
        }
    }
}

/// Finds the last change of the expired shards. The log still has it, because changes are removed only after the
/// stream was trimmed.
fn trim(store: &EngineStore, stream: &Stream, now: &Now) -> Result<Option<Trim>> {
    let expired = stream.shards.iter().filter(|shard| shard.is_expired(now));
    let Some(before) = expired.filter_map(|shard| shard.ended).max_by_key(|ended| ended.sequence) else {
        return Ok(None);
    };
    let end = Position { sequence: before.sequence, place: 0 };
    let last = store.changes_before(stream.table, end).next().transpose()?;
    Ok(Some(Trim { arn: stream.arn.clone(), before, last: last.map(|change| change.position) }))
}
