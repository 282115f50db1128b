//! Room on the disk: writes that grow are refused before it is full, not after.
//!
//! A log or a tree that can't be written ends all writing until the store is opened again. So some room is kept back
//! for what must go on when nothing may grow any more: folding what is in memory, deletions, and the log of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::stats::Counter;
use super::{CommitError, Disk, StoreOptions};
use crate::sync::Instant;

/// The disk is looked at again after so many bytes were written, at most.
const LOOK_BYTES_MAX: u64 = 1 << 20;
/// And after this time, if anything was written: others fill the disk, too.
const LOOK_TIME: Duration = Duration::from_secs(1);
/// Stands for a disk that doesn't tell.
const UNKNOWN: u64 = u64::MAX;

/// What is known of the room on the disk.
pub(super) struct Room {
    disk: Arc<dyn Disk>,
    reserve_bytes: u64,
    look_bytes: u64,
    free_bytes: AtomicU64,
    is_short: AtomicBool,
    /// The most that everything stored has taken since opening: the tree has had pages for it.
    data_bytes_max: AtomicU64,
    /// Bytes written since the last look.
    unseen_bytes: AtomicU64,
    opened: Instant,
    /// When the last look was, since opening.
    looked_ms: AtomicU64,
    refused: Counter,
}

impl Room {
    pub(super) fn new(disk: Arc<dyn Disk>, options: &StoreOptions) -> Self {
        Self {
            disk,
            reserve_bytes: options.reserve_bytes(),
            look_bytes: (options.segment_bytes / 4).clamp(1, LOOK_BYTES_MAX),
            free_bytes: AtomicU64::new(UNKNOWN),
            is_short: AtomicBool::new(false),
            data_bytes_max: AtomicU64::new(0),
            unseen_bytes: AtomicU64::new(0),
            opened: Instant::now(),
            looked_ms: AtomicU64::new(0),
            refused: Counter::default(),
        }
    }

    /// Notes that the log or the tree was written to, and looks at the disk once in a while.
    pub(super) fn note_written(&self, bytes: u64, data_bytes: impl FnOnce() -> u64) {
        let unseen_bytes = self.unseen_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let looked = Duration::from_millis(self.looked_ms.load(Ordering::Relaxed));
        if unseen_bytes >= self.look_bytes || self.opened.elapsed().saturating_sub(looked) >= LOOK_TIME {
            self.look(data_bytes);
        }
    }

    /// Looks at the disk; `data_bytes` is what everything stored takes.
    pub(super) fn look(&self, data_bytes: impl FnOnce() -> u64) {
        self.unseen_bytes.store(0, Ordering::Relaxed);
        self.data_bytes_max.fetch_max(data_bytes(), Ordering::Relaxed);
        self.looked_ms.store(self.opened.elapsed().as_millis() as u64, Ordering::Relaxed);
        // A disk that can't be asked is written to until it refuses.
        let free_bytes = self.disk.free_bytes().ok().flatten().unwrap_or(UNKNOWN);
        self.free_bytes.store(free_bytes, Ordering::Relaxed);
        let was_short = self.is_short.load(Ordering::Relaxed);
        // A little more than the reserve ends the shortage, so that it doesn't come and go with every file.
        let enough_bytes =
            if was_short { self.reserve_bytes + self.reserve_bytes / 8 } else { self.reserve_bytes };
        let is_short = free_bytes < enough_bytes;
        // Who changes it tells of it, also when several look at once.
        if self.is_short.swap(is_short, Ordering::AcqRel) != is_short {
            let reserve_bytes = self.reserve_bytes;
            if is_short {
                tracing::warn!(
                    free_bytes,
                    reserve_bytes,
                    "the disk is nearly full: writes that grow are refused, reads and deletions go on"
                );
            } else {
                tracing::info!(free_bytes, reserve_bytes, "the disk has room again: all writes go on");
            }
        }
    }

    /// Whether something may be written that needs room for good. While the disk is short, as much as deletions have
    /// given back may be: the tree uses its pages again, although the disk doesn't see it.
    pub(super) fn check(&self, data_bytes: impl Fn() -> u64) -> Result<(), CommitError> {
        if !self.is_short.load(Ordering::Relaxed) {
            return Ok(());
        }
        // A refused write can afford to look whether it would be refused still.
        self.look(&data_bytes);
        if !self.is_short.load(Ordering::Acquire) {
            return Ok(());
        }
        let free_bytes = self.free_bytes.load(Ordering::Relaxed);
        let given_back = data_bytes() < self.data_bytes_max.load(Ordering::Relaxed);
        if given_back && free_bytes >= self.lower_bytes() {
            return Ok(());
        }
        Err(self.refusal(free_bytes))
    }

    /// Whether something may be written that gives back room in the tree, but is itself kept in the log and the past.
    pub(super) fn check_for_past(&self, data_bytes: impl FnOnce() -> u64) -> Result<(), CommitError> {
        if !self.is_short.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.look(data_bytes);
        let (free_bytes, needed_bytes) = (self.free_bytes.load(Ordering::Relaxed), self.lower_bytes());
        if free_bytes >= needed_bytes {
            return Ok(());
        }
        self.refused.add(1);
        Err(CommitError::NoRoomForPast { free_bytes, needed_bytes })
    }

    /// The part of the reserve that is left to folding and to deletions that keep nothing.
    fn lower_bytes(&self) -> u64 {
        self.reserve_bytes / 2
    }

    /// Whether a file of so many bytes fits beside the reserve.
    pub(super) fn check_for(&self, bytes: u64, data_bytes: impl Fn() -> u64) -> Result<(), CommitError> {
        self.look(data_bytes);
        let free_bytes = self.free_bytes.load(Ordering::Relaxed);
        if free_bytes == UNKNOWN || free_bytes.saturating_sub(bytes) >= self.reserve_bytes {
            return Ok(());
        }
        Err(self.refusal(free_bytes))
    }

    fn refusal(&self, free_bytes: u64) -> CommitError {
        self.refused.add(1);
        CommitError::NoRoom { free_bytes, reserve_bytes: self.reserve_bytes }
    }

    pub(super) fn reserve_bytes(&self) -> u64 {
        self.reserve_bytes
    }

    /// What the disk had free at the last look, if it tells.
    pub(super) fn free_bytes(&self) -> Option<u64> {
        Some(self.free_bytes.load(Ordering::Relaxed)).filter(|bytes| *bytes != UNKNOWN)
    }

    pub(super) fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    pub(super) fn refused(&self) -> u64 {
        self.refused.get()
    }
}
