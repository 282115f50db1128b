//! Disk space. Writes that grow the data are refused before the disk is full.
//!
//! If the log or the tree can't be written, all writing ends until the store is opened again. So some space is
//! reserved for work that must continue when nothing may grow: folding, deletions, and the log of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::stats::Counter;
use super::{CommitError, Disk, StoreOptions};
use crate::sync::Instant;

/// The most bytes that are written between two looks at the disk.
const LOOK_BYTES_MAX: u64 = 1 << 20;
/// The longest time between two looks, if anything was written. Other programs fill the disk too.
const LOOK_TIME: Duration = Duration::from_secs(1);
/// Represents a disk whose free space is unknown.
const UNKNOWN: u64 = u64::MAX;

/// The known state of the disk space.
pub(super) struct Room {
    disk: Arc<dyn Disk>,
    reserve_bytes: u64,
    look_bytes: u64,
    free_bytes: AtomicU64,
    is_short: AtomicBool,
    /// The largest size of all stored data since opening. The tree has had pages for it.
    data_bytes_max: AtomicU64,
    /// Bytes written since the last look.
    unseen_bytes: AtomicU64,
    opened: Instant,
    /// The time of the last look, since opening.
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

    /// Notes that the log or the tree was written, and regularly looks at the disk.
    pub(super) fn note_written(&self, bytes: u64, data_bytes: impl FnOnce() -> u64) {
        let unseen_bytes = self.unseen_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let looked = Duration::from_millis(self.looked_ms.load(Ordering::Relaxed));
        if unseen_bytes >= self.look_bytes || self.opened.elapsed().saturating_sub(looked) >= LOOK_TIME {
            self.look(data_bytes);
        }
    }

    /// Looks at the disk. `data_bytes` is the size of all stored data.
    pub(super) fn look(&self, data_bytes: impl FnOnce() -> u64) {
        self.unseen_bytes.store(0, Ordering::Relaxed);
        self.data_bytes_max.fetch_max(data_bytes(), Ordering::Relaxed);
        self.looked_ms.store(self.opened.elapsed().as_millis() as u64, Ordering::Relaxed);
        // If the free space is unknown, the disk is written until it refuses.
        let free_bytes = self.disk.free_bytes().ok().flatten().unwrap_or(UNKNOWN);
        self.free_bytes.store(free_bytes, Ordering::Relaxed);
        let was_short = self.is_short.load(Ordering::Relaxed);
        // A little more than the reserve ends the shortage, so that it doesn't change with every file.
        let enough_bytes =
            if was_short { self.reserve_bytes + self.reserve_bytes / 8 } else { self.reserve_bytes };
        let is_short = free_bytes < enough_bytes;
        // Only the thread that changes it logs the change, even if several look at once.
        if self.is_short.swap(is_short, Ordering::AcqRel) != is_short {
            let reserve_bytes = self.reserve_bytes;
            if is_short {
                tracing::warn!(
                    free_bytes,
                    reserve_bytes,
                    "the disk is nearly full; writes that need space are refused, reads and deletions still work"
                );
            } else {
                tracing::info!(
                    free_bytes,
                    reserve_bytes,
                    "the disk has enough free space again; all writes are accepted"
                );
            }
        }
    }

    /// Checks that data may grow. During a shortage, it may grow by as much as deletions have freed, because the tree
    /// reuses its pages although the disk doesn't show it.
    pub(super) fn check(&self, data_bytes: impl Fn() -> u64) -> Result<(), CommitError> {
        if !self.is_short.load(Ordering::Relaxed) {
            return Ok(());
        }
        // A refused write has time to check whether it would still be refused.
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

    /// Checks that a deletion is possible that frees space in the tree but is itself kept in the log and the history.
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

    /// The part of the reserve for folding, and for deletions without history.
    fn lower_bytes(&self) -> u64 {
        self.reserve_bytes / 2
    }

    /// Checks that a file of this size fits beside the reserve.
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

    /// The free space at the last look, if known.
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
