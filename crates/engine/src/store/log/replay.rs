//! Replaying the commits that aren't in the tree.

use std::panic::resume_unwind;
use std::sync::Arc;

use super::super::seal::Sealing;
use super::super::tree::FoldPoint;
use super::super::{Disk, StoreError};
use super::catalogue::SegmentCatalogue;
use super::frame::{FRAME_HEADER_BYTES, Frame, SealedFrame};
use super::seal::Seal;
use super::segment::{FRAMES_START, Segment};
use crate::sync::mpsc::{SyncSender, sync_channel};
use crate::sync::thread;

const THREAD: &str = "singlet-replay";

/// A replayed commit, and for each entry whether it has its own value.
pub(in crate::store) type Replayed = (Frame, Vec<bool>);

/// Opens the log and passes on every commit after `point`, in order: one segment at a time, while another thread
/// reads the next. Returns the last sequence number. A log without segments has no commits. The caller knows whether
/// there should be any.
pub(in crate::store) fn replay(
    disk: &Arc<dyn Disk>,
    sealing: Option<Arc<Sealing>>,
    segment_bytes: u64,
    spares_max: usize,
    point: FoldPoint,
    mut apply: impl FnMut(Vec<Replayed>),
) -> Result<(SegmentCatalogue, u64), StoreError> {
    // A segment needs space for at least some frames.
    let segment_bytes = segment_bytes.max(2 * FRAMES_START);
    let catalogue = SegmentCatalogue::open(disk.clone(), sealing, segment_bytes, spares_max)?;
    let segments = catalogue.segments();
    let next_sequence = point.sequence + 1;
    let Some(start) = segments.iter().rposition(|segment| segment.first_sequence <= next_sequence) else {
        let Some(first) = segments.first() else { return Ok((catalogue, point.sequence)) };
        let reason = format!("the log doesn't reach back to commit {next_sequence}");
        return Err(StoreError::corrupt(first.name(), 0, reason));
    };
    let mut sequence = point.sequence;
    let (commits, read) = sync_channel(1);
    let reader = Reader { segments: segments.get(start..).unwrap_or_default().to_vec(), point, commits };
    let thread = thread::Builder::new().name(THREAD.into());
    let thread = thread.spawn(move || reader.run()).map_err(StoreError::io("start", THREAD))?;
    while let Ok(commits) = read.recv() {
        sequence = commits.last().map_or(sequence, |(frame, _)| frame.sequence);
        apply(commits);
    }
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
    Ok((catalogue, sequence))
}

/// The thread that reads segments.
struct Reader {
    segments: Vec<Segment>,
    point: FoldPoint,
    commits: SyncSender<Vec<Replayed>>,
}

impl Reader {
    /// Reads to the end of the log, and makes the end durable.
    fn run(self) -> Result<(), StoreError> {
        for (place, segment) in self.segments.iter().enumerate() {
            let next = self.segments.get(place + 1);
            let mut scan = SegmentScan::open(segment, next.map(|next| next.first_sequence))?;
            if segment.id == self.point.segment {
                scan.skip_to(self.point.offset, self.point.sequence + 1)?;
            }
            let mut commits = Vec::new();
            while let Some(commit) = scan.next_frame()? {
                if commit.0.sequence > self.point.sequence {
                    commits.push(commit);
                }
            }
            if self.commits.send(commits).is_err() {
                // The receiver has ended.
                return Ok(());
            }
            if next.is_none() {
                scan.settle(segment)?;
            }
        }
        Ok(())
    }
}

/// Walks the frames of one segment.
pub(in crate::store) struct SegmentScan {
    name: String,
    seal: Seal,
    content: Vec<u8>,
    /// The offset at which reading began, and the present one.
    start: usize,
    offset: usize,
    /// The sequence number that the next frame must have.
    expected: u64,
    /// The first sequence number of the next segment; unknown for the last one.
    until: Option<u64>,
}

impl SegmentScan {
    /// Reads a segment up to the next one's first sequence number.
    pub(in crate::store) fn open(segment: &Segment, until: Option<u64>) -> Result<Self, StoreError> {
        let name = segment.name();
        let mut content = vec![0; usize::try_from(segment.file_bytes).unwrap_or(usize::MAX)];
        segment.file.read_exact_at(0, &mut content).map_err(StoreError::io("read", &name))?;
        Ok(Self {
            name,
            seal: segment.seal.clone(),
            content,
            start: FRAMES_START as usize,
            offset: FRAMES_START as usize,
            expected: segment.first_sequence,
            until,
        })
    }

    fn skip_to(&mut self, offset: u64, expected: u64) -> Result<(), StoreError> {
        self.start = usize::try_from(offset).unwrap_or(usize::MAX);
        self.offset = self.start;
        self.expected = expected;
        if self.offset > self.content.len() {
            let end = self.content.len() as u64;
            return Err(StoreError::corrupt(
                &self.name,
                end,
                "the file ends before the point that the tree reaches",
            ));
        }
        Ok(())
    }

    fn parse(&self, offset: usize) -> Option<SealedFrame<'_>> {
        Frame::parse(&self.seal, offset as u64, self.content.get(offset..)?)
    }

    /// Returns the next commit, and for each entry whether it has its own value.
    pub(in crate::store) fn next_frame(&mut self) -> Result<Option<Replayed>, StoreError> {
        if self.until == Some(self.expected) {
            return Ok(None);
        }
        let Some(sealed) = self.parse(self.offset).filter(|frame| frame.sequence == self.expected) else {
            return self.end();
        };
        let length = sealed.length;
        let frame = sealed.decode().ok_or_else(|| self.damage("the frame's contents make no sense"))?;
        self.offset += length;
        self.expected += 1;
        Ok(Some(frame))
    }

    /// Makes the read part of the last segment durable. A program that was killed, or whose sync failed, may have
    /// left frames that are only in the system's memory. They are written again, because after a failed sync the
    /// system may treat them as written.
    fn settle(&self, segment: &Segment) -> Result<(), StoreError> {
        #[cfg(simulated)]
        if crate::planted::Bug::TrustsUnsyncedFiles.is_planted() {
            return Ok(());
        }
        let Some(frames) = self.content.get(self.start..self.offset).filter(|frames| !frames.is_empty())
        else {
            return Ok(());
        };
        segment.file.write_all_at(self.start as u64, frames).map_err(StoreError::io("write", &self.name))?;
        segment.file.sync_data().map_err(StoreError::io("sync", &self.name))
    }

    fn damage(&self, reason: &str) -> StoreError {
        let reason = format!("{reason} (commit {})", self.expected);
        StoreError::corrupt(&self.name, self.offset as u64, reason)
    }

    /// Decides whether a missing frame is the end of the log or damage.
    ///
    /// Segments before the last are durable to their end, so there it is damage. In the last segment, damage is
    /// proven by a later frame that was written when the missing one was already durable. Without such a frame, the
    /// missing one belongs to a write that was never acknowledged, or to the very last one.
    fn end(&self) -> Result<Option<Replayed>, StoreError> {
        if self.until.is_some() {
            return Err(self.damage("the frame is missing or not what was written"));
        }
        #[cfg(simulated)]
        if crate::planted::Bug::TakesDamageForEnd.is_planted() {
            return Ok(None);
        }
        match self.witness() {
            Some(later) => {
                Err(self.damage(&format!("the frame is not what was written, though commit {later} follows")))
            }
            None => Ok(None),
        }
    }

    /// Finds a later frame that proves that the expected one was durable.
    fn witness(&self) -> Option<u64> {
        let mut offset = self.offset;
        // The number of a frame after the damage must leave space for those in between.
        let sequence_max = self.expected + (self.content.len() / FRAME_HEADER_BYTES) as u64;
        while let Some(bytes) = self.content.get(offset..).filter(|bytes| bytes.len() >= FRAME_HEADER_BYTES) {
            let length = bytes.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
            if length != 0
                && length as usize <= bytes.len()
                && let Some(sequence) = self.seal.peek_sequence(offset as u64, bytes)
                && (self.expected..=sequence_max).contains(&sequence)
                && let Some(frame) = self.parse(offset)
                && frame.durable_sequence >= self.expected
            {
                return Some(frame.sequence);
            }
            offset += 1;
        }
        None
    }
}
