//! The extent of the log, in a small file that shows when the end of the log is missing.
//!
//! A log that has lost its end looks like a shorter one. So a mark with the last segment and the last synced commit
//! is stored apart from it. It is written before the first frame of a new segment, at most a second after a commit,
//! and when the store is closed. Opening refuses a log that ends before the mark.
//!
//! The mark must never promise more than is durable. It names a segment only after the segment's name is durable, and
//! a commit only after its frame is synced in such a segment. Two slots are written alternately, so that an
//! interrupted write leaves the previous mark.
//!
//! `docs/format.md`, section "Reach", describes the bytes.

mod loss;
mod slot;

use std::sync::{Arc, PoisonError};

pub use self::loss::Loss;
use super::seal::Sealing;
use super::{Disk, DiskFile, StoreError};
use crate::sync::{Mutex, MutexGuard};

/// The file.
pub(super) const NAME: &str = "reach";
/// The name of an unfinished file. It gets its real name when both slots are durable.
const NEW_NAME: &str = "reach.new";
/// Each slot has its own block of the file system.
const SLOT_STRIDE: u64 = 4096;
const SLOTS: u64 = 2;

/// The extent of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ReachMark {
    /// The last segment; 0 if there was none.
    pub(super) segment: u64,
    /// The number of its first commit, even if there was none.
    pub(super) first_sequence: u64,
    /// The last durable commit.
    pub(super) sequence: u64,
    /// The time of that commit, or of one shortly before it.
    pub(super) time_ms: u64,
}

/// The state of the file at opening.
pub(super) enum FoundMark {
    /// It doesn't exist.
    Missing,
    /// Both slots are damaged.
    Damaged,
    /// The newer of the intact slots.
    Mark(Kept),
}

/// A mark, and its slot as it is on the disk.
pub(super) struct Kept {
    pub(super) mark: ReachMark,
    counter: u64,
    slot: Vec<u8>,
    file: Arc<dyn DiskFile>,
}

impl FoundMark {
    /// Reads the file without changing anything.
    pub(super) fn look(disk: &dyn Disk, sealing: Option<&Sealing>) -> Result<Self, StoreError> {
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        if !names.iter().any(|name| name == NAME) {
            return Ok(FoundMark::Missing);
        }
        let file = disk.open(NAME).map_err(StoreError::io("open", NAME))?;
        let length = file.len().map_err(StoreError::io("measure", NAME))?;
        let mut newest: Option<Kept> = None;
        let mut newer_version = None;
        for place in 0..SLOTS {
            let mut slot = vec![0; slot::slot_bytes(sealing)];
            if place * SLOT_STRIDE + slot.len() as u64 > length {
                continue;
            }
            file.read_exact_at(place * SLOT_STRIDE, &mut slot).map_err(StoreError::io("read", NAME))?;
            newer_version =
                newer_version.max(slot::version(&slot).filter(|found| *found > slot::FORMAT_VERSION));
            match slot::decode(&slot, sealing) {
                // A slot in the other one's place wasn't written there.
                Some((counter, mark))
                    if counter % SLOTS == place
                        && newest.as_ref().is_none_or(|newest| newest.counter < counter) =>
                {
                    newest = Some(Kept { mark, counter, slot, file: file.clone() });
                }
                _ => {}
            }
        }
        match (newest, newer_version) {
            (Some(newest), _) => Ok(FoundMark::Mark(newest)),
            (None, None) => Ok(FoundMark::Damaged),
            (None, Some(found)) => {
                let (found, known) = (found.into(), slot::FORMAT_VERSION.into());
                Err(StoreError::UnknownVersion { file: NAME.into(), found, known })
            }
        }
    }

    /// The mark, if there is one.
    pub(super) fn mark(&self) -> Option<&ReachMark> {
        match self {
            FoundMark::Mark(kept) => Some(&kept.mark),
            FoundMark::Missing | FoundMark::Damaged => None,
        }
    }

    /// Returns the missing part of a log that ends with commit `sequence` in segment `last_segment`. `is_expected`
    /// says whether the folder had the file. Older folders get it when they are opened.
    pub(super) fn loss(&self, is_expected: bool, last_segment: u64, sequence: u64) -> Option<Loss> {
        let reach = |reason: String| Some(Loss::Reach { reason });
        match self {
            FoundMark::Mark(kept) => Loss::of_log(&kept.mark, last_segment, sequence),
            FoundMark::Damaged => reach(format!("both slots of the file `{NAME}` are damaged")),
            FoundMark::Missing if is_expected => reach(format!("the file `{NAME}` is missing")),
            FoundMark::Missing => None,
        }
    }
}

/// The mark of an open store. The log thread reports what is durable. It and the maintenance thread write the file.
pub(super) struct Reach {
    /// The durable extent. Locked only briefly, because the log thread must not wait for a sync of the file.
    durable: Mutex<Durable>,
    file: Mutex<ReachFile>,
}

struct Durable {
    mark: ReachMark,
    /// Whether a write of the file is due.
    is_due: bool,
}

struct ReachFile {
    file: Arc<dyn DiskFile>,
    sealing: Option<Arc<Sealing>>,
    counter: u64,
    written: ReachMark,
}

impl Reach {
    /// Continues with the file that was found, or creates it. `mark` is durable.
    pub(super) fn open(
        disk: &dyn Disk,
        sealing: Option<Arc<Sealing>>,
        found: FoundMark,
        mark: ReachMark,
    ) -> Result<Self, StoreError> {
        let mut file = match found {
            FoundMark::Mark(kept) => kept.settle(sealing)?,
            FoundMark::Missing | FoundMark::Damaged => ReachFile::create(disk, sealing, mark)?,
        };
        file.write(mark)?;
        let durable = Mutex::new(Durable { mark, is_due: false });
        Ok(Self { durable, file: Mutex::new(file) })
    }

    /// Creates the file of an empty folder.
    pub(super) fn begin(disk: &dyn Disk, sealing: Option<Arc<Sealing>>) -> Result<(), StoreError> {
        ReachFile::create(disk, sealing, ReachMark::default()).map(drop)
    }

    fn durable(&self) -> MutexGuard<'_, Durable> {
        // It is changed as a whole, so a panic elsewhere doesn't corrupt it.
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that commits up to this one are synced. Returns whether the maintenance thread should be told that a
    /// write is due.
    pub(super) fn note(&self, sequence: u64, time_ms: u64) -> bool {
        let mut durable = self.durable();
        if sequence <= durable.mark.sequence {
            return false;
        }
        (durable.mark.sequence, durable.mark.time_ms) = (sequence, time_ms);
        !std::mem::replace(&mut durable.is_due, true)
    }

    /// Notes a segment with a durable name that will receive frames. Everything before it is durable.
    pub(super) fn begin_segment(&self, segment: u64, first_sequence: u64) -> Result<(), StoreError> {
        {
            let mark = &mut self.durable().mark;
            (mark.segment, mark.first_sequence) = (segment, first_sequence);
            mark.sequence = mark.sequence.max(first_sequence.saturating_sub(1));
        }
        self.write()
    }

    /// Whether a write is due.
    pub(super) fn is_due(&self) -> bool {
        self.durable().is_due
    }

    /// Writes and syncs the durable extent, unless the file has it already.
    pub(super) fn write(&self) -> Result<(), StoreError> {
        #[cfg(simulated)]
        if crate::planted::Bug::ForgetsReach.is_planted() {
            return Ok(());
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = {
            let mut durable = self.durable();
            durable.is_due = false;
            durable.mark
        };
        file.write(mark)
    }
}

impl Kept {
    /// Makes the slot durable before the other one is overwritten. A killed program may have left it only in the
    /// system's memory. It is written again, because after a failed sync the system may treat it as written.
    fn settle(self, sealing: Option<Arc<Sealing>>) -> Result<ReachFile, StoreError> {
        let Kept { mark, counter, slot, file } = self;
        let file = ReachFile { file, sealing, counter, written: mark };
        file.put(counter, &slot)?;
        file.sync()?;
        Ok(file)
    }
}

impl ReachFile {
    /// Creates the file, completely or not at all.
    fn create(disk: &dyn Disk, sealing: Option<Arc<Sealing>>, mark: ReachMark) -> Result<Self, StoreError> {
        let file = disk.create(NEW_NAME).map_err(StoreError::io("create", NEW_NAME))?;
        file.set_len(SLOTS * SLOT_STRIDE).map_err(StoreError::io("grow", NEW_NAME))?;
        let file = ReachFile { file, sealing, counter: 1, written: mark };
        for counter in 0..SLOTS {
            file.put(counter, &slot::encode(&mark, counter, file.sealing.as_deref())?)?;
        }
        file.sync()?;
        disk.rename(NEW_NAME, NAME).map_err(StoreError::io("rename", NEW_NAME))?;
        disk.sync_directory().map_err(StoreError::io("sync", "the folder"))?;
        Ok(file)
    }

    fn put(&self, counter: u64, slot: &[u8]) -> Result<(), StoreError> {
        let at = counter % SLOTS * SLOT_STRIDE;
        self.file.write_all_at(at, slot).map_err(StoreError::io("write", NAME))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(StoreError::io("sync", NAME))
    }

    /// Writes the mark into the older slot.
    fn write(&mut self, mark: ReachMark) -> Result<(), StoreError> {
        if mark == self.written {
            return Ok(());
        }
        let counter = self.counter + 1;
        self.put(counter, &slot::encode(&mark, counter, self.sealing.as_deref())?)?;
        self.sync()?;
        (self.counter, self.written) = (counter, mark);
        Ok(())
    }
}
