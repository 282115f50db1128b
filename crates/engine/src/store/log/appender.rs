//! Writing the log, on the log thread.

use std::sync::Arc;

use super::super::reach::Reach;
use super::super::{StoreError, SyncPolicy};
use super::catalogue::SegmentCatalogue;
use super::frame::{encoded_length, seal, widen};
use super::segment::{FRAMES_START, Segment};

/// The position of the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct LogEnd {
    pub(in crate::store) segment: u64,
    pub(in crate::store) offset: u64,
}

/// Appends frames to the last segment.
///
/// Every opening begins a new segment with its first write. So the rest of an interrupted write in the old segment
/// lies after the first sequence number of the new one and need not be truncated.
pub(in crate::store) struct Appender {
    catalogue: Arc<SegmentCatalogue>,
    reach: Arc<Reach>,
    policy: SyncPolicy,
    segment: Option<(Segment, u64)>,
    written_sequence: u64,
    durable_sequence: u64,
}

impl Appender {
    /// Creates an appender for a log that has everything up to `sequence`.
    pub(in crate::store) fn new(
        catalogue: Arc<SegmentCatalogue>,
        reach: Arc<Reach>,
        policy: SyncPolicy,
        sequence: u64,
    ) -> Self {
        Self {
            catalogue,
            reach,
            policy,
            segment: None,
            written_sequence: sequence,
            durable_sequence: sequence,
        }
    }

    /// The last synced commit.
    pub(in crate::store) fn durable_sequence(&self) -> u64 {
        self.durable_sequence
    }

    /// Seals and writes the encoded frames. Returns whether a new segment was begun.
    pub(in crate::store) fn append(&mut self, frames: &mut [u8]) -> Result<bool, StoreError> {
        let mut widened;
        let mut rest = match self.catalogue.seal_growth() {
            0 => frames,
            growth => {
                widened = widen(frames, growth);
                widened.as_mut_slice()
            }
        };
        let mut began = false;
        while !rest.is_empty() {
            let first_bytes = encoded_length(rest).unwrap_or(rest.len()) as u64;
            if self.room() < first_bytes {
                self.begin_segment(FRAMES_START + first_bytes)?;
                began = true;
            }
            let run_bytes = self.seal_run(rest);
            let (run, after) = rest.split_at_mut_checked(run_bytes).unwrap_or_default();
            self.write(run)?;
            rest = after;
        }
        Ok(began)
    }

    fn room(&self) -> u64 {
        self.segment.as_ref().map_or(0, |(segment, end)| segment.file_bytes.saturating_sub(*end))
    }

    fn begin_segment(&mut self, bytes_min: u64) -> Result<(), StoreError> {
        // All segments but the last are durable to their end. This distinguishes damage from an interrupted write.
        self.force()?;
        let reach = self.reach.clone();
        let named = |segment: &Segment| reach.begin_segment(segment.id, segment.first_sequence);
        let segment = self.catalogue.begin_segment(self.written_sequence + 1, bytes_min, named)?;
        self.segment = Some((segment, FRAMES_START));
        Ok(())
    }

    /// Seals as many frames as fit into the segment, and returns their bytes. The first one fits.
    fn seal_run(&mut self, frames: &mut [u8]) -> usize {
        let Some((segment, end)) = &self.segment else { return 0 };
        let room = self.room();
        let mut sealed = 0;
        while let Some(frame) = frames.get_mut(sealed..).filter(|rest| !rest.is_empty()) {
            let length = encoded_length(frame).unwrap_or(frame.len());
            if (sealed + length) as u64 > room {
                break;
            }
            let Some(frame) = frame.get_mut(..length) else { break };
            let sequence = seal(&segment.seal, *end + sealed as u64, self.durable_sequence, frame);
            self.written_sequence = sequence.unwrap_or(self.written_sequence);
            segment.marks.note(self.written_sequence, end + sealed as u64);
            sealed += length;
        }
        sealed
    }

    fn write(&mut self, run: &[u8]) -> Result<(), StoreError> {
        if let Some((segment, end)) = &mut self.segment {
            segment.file.write_all_at(*end, run).map_err(StoreError::io("write", segment.name()))?;
            *end += run.len() as u64;
            segment.marks.set_end(*end);
        }
        Ok(())
    }

    /// Syncs the log if the policy requires it. Returns whether it did.
    pub(in crate::store) fn sync(&mut self) -> Result<bool, StoreError> {
        match self.policy {
            SyncPolicy::EveryBatch => self.force(),
            SyncPolicy::Never => Ok(false),
        }
    }

    /// Syncs the log under any policy. Returns whether there was anything to sync.
    pub(in crate::store) fn force(&mut self) -> Result<bool, StoreError> {
        if self.durable_sequence == self.written_sequence {
            return Ok(false);
        }
        #[cfg(simulated)]
        if crate::planted::Bug::SkipsLogSync.is_planted() {
            self.durable_sequence = self.written_sequence;
            return Ok(true);
        }
        if let Some((segment, _)) = &self.segment {
            segment.file.sync_data().map_err(StoreError::io("sync", segment.name()))?;
        }
        self.durable_sequence = self.written_sequence;
        Ok(true)
    }

    /// The position of the next frame.
    pub(in crate::store) fn end(&self) -> LogEnd {
        let (segment, offset) = self.segment.as_ref().map_or((0, 0), |(segment, end)| (segment.id, *end));
        LogEnd { segment, offset }
    }
}
