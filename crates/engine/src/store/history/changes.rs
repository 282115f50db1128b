//! Reading the recorded changes of one group, forward and backward.

use std::sync::Arc;
use std::vec;

use super::super::StoreError;
use super::super::log::{Chunk, SegmentCatalogue, chunk_at};
use super::archive::{Archive, recorded};
use super::file::{BlockPlace, HistoryFile};
use super::{Logged, Position};

/// The sources of recorded changes.
#[derive(Clone)]
pub(in crate::store) struct ChangeSource {
    pub(in crate::store) log: Arc<SegmentCatalogue>,
    pub(in crate::store) archive: Arc<Archive>,
}

/// The places where a commit may be, at one moment.
struct Candidates {
    /// Its part of the log.
    chunk: Option<Chunk>,
    /// The first commit in the log.
    log_start: Option<u64>,
    files: Vec<Arc<HistoryFile>>,
}

impl ChangeSource {
    /// Returns the commit's part of the log, and the history files. If the log no longer has the commit, the files
    /// have it, or it wasn't recorded. A segment leaves the log only after it is in the archive, so the log is read
    /// first.
    fn look_up(&self, sequence: u64, until: u64) -> Result<Candidates, StoreError> {
        loop {
            let segments = self.log.segments();
            let chunk = chunk_at(&segments, sequence, until);
            let files = self.archive.files();
            match chunk {
                Ok(chunk) => {
                    let log_start = segments.first().map(|segment| segment.first_sequence);
                    return Ok(Candidates { chunk, log_start, files });
                }
                // If the log was trimmed meanwhile, this part may have been overwritten. Then look again.
                Err(error) if !self.is_trimmed(segments.first().map(|segment| segment.id)) => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
    }

    fn is_trimmed(&self, first: Option<u64>) -> bool {
        self.log.segments().first().map(|segment| segment.id) != first
    }
}

/// The blocks of the file that was read last, so that its index isn't read for every block.
#[derive(Default)]
struct Blocks(Option<(u64, u64, Arc<Vec<BlockPlace>>)>);

impl Blocks {
    fn of(&mut self, past: &HistoryFile) -> Result<&[BlockPlace], StoreError> {
        // A file that isn't full may have grown.
        let is_known = self.0.as_ref().is_some_and(|(id, bytes, _)| (*id, *bytes) == (past.id, past.bytes()));
        if !is_known {
            self.0 = Some((past.id, past.bytes(), past.marks()?));
        }
        Ok(self.0.as_ref().map_or(&[], |(_, _, marks)| marks.as_slice()))
    }
}

/// The recorded changes of one group after a position, in order. After an error it ends.
pub struct Changes {
    source: ChangeSource,
    group: u32,
    after: Position,
    /// Every commit up to here has been read.
    read_to: u64,
    until: u64,
    blocks: Blocks,
    buffer: vec::IntoIter<Logged>,
}

impl Changes {
    pub(in crate::store) fn new(source: ChangeSource, group: u32, after: Position, until: u64) -> Self {
        // The commit of the position itself may have more changes.
        let read_to = after.sequence.saturating_sub(1);
        let (blocks, buffer) = (Blocks::default(), Vec::new().into_iter());
        Self { source, group, after, read_to, until, blocks, buffer }
    }

    /// When the iterator is at its end, every change up to this commit was returned.
    pub fn until(&self) -> u64 {
        self.until
    }

    /// Reads until there is a change or the end.
    fn refill(&mut self) -> Result<(), StoreError> {
        while self.read_to < self.until && self.buffer.len() == 0 {
            let found = self.source.look_up(self.read_to + 1, self.until)?;
            let changes = match (self.past_block(&found.files)?, found.chunk) {
                (Some(changes), _) => changes,
                (None, Some(chunk)) => self.live_chunk(chunk),
                (None, None) => {
                    // Nothing was recorded before the start of the log at that time.
                    let start = found.log_start.unwrap_or(u64::MAX);
                    self.read_to = self.read_to.max(start.saturating_sub(1)).min(self.until);
                    continue;
                }
            };
            let wanted =
                |change: &Logged| change.position > self.after && change.position.sequence <= self.until;
            self.buffer = changes.into_iter().filter(wanted).collect::<Vec<_>>().into_iter();
        }
        Ok(())
    }

    fn past_block(&mut self, files: &[Arc<HistoryFile>]) -> Result<Option<Vec<Logged>>, StoreError> {
        let (group, read_to) = (self.group, self.read_to);
        let has_more =
            |past: &&Arc<HistoryFile>| past.last_sequence > read_to && past.groups.contains_key(&group);
        for past in files.iter().filter(has_more) {
            let mut blocks = self.blocks.of(past)?.iter();
            let next = blocks.find(|mark| mark.header.group == group && mark.header.last_sequence > read_to);
            if let Some(mark) = next {
                self.read_to = mark.header.last_sequence;
                let mut changes = past.read(mark)?;
                changes.retain(|change| change.position.sequence > read_to);
                return Ok(Some(changes));
            }
        }
        Ok(None)
    }

    fn live_chunk(&mut self, chunk: Chunk) -> Vec<Logged> {
        let read_to = self.read_to;
        self.read_to = chunk.frames.last().map_or(self.until, |frame| frame.sequence.max(read_to));
        let frames = chunk.frames.into_iter().filter(|frame| frame.sequence > read_to);
        frames.flat_map(recorded).filter(|change| change.group() == self.group).collect()
    }
}

impl Iterator for Changes {
    type Item = Result<Logged, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.buffer.len() == 0
            && let Err(error) = self.refill()
        {
            self.read_to = self.until;
            return Some(Err(error));
        }
        self.buffer.next().map(Ok)
    }
}

/// The recorded changes of one group before a position, the latest first. After an error it ends.
pub struct ChangesBack {
    source: ChangeSource,
    group: u32,
    before: Position,
    /// Every commit from here on has been read.
    read_from: u64,
    blocks: Blocks,
    /// In order, taken from the end.
    buffer: Vec<Logged>,
}

impl ChangesBack {
    pub(in crate::store) fn new(source: ChangeSource, group: u32, before: Position, until: u64) -> Self {
        let read_from = before.sequence.min(until) + 1;
        Self { source, group, before, read_from, blocks: Blocks::default(), buffer: Vec::new() }
    }

    fn refill(&mut self) -> Result<(), StoreError> {
        while self.read_from > 1 && self.buffer.is_empty() {
            let last = self.read_from - 1;
            let found = self.source.look_up(last, last)?;
            let mut changes = match found.chunk {
                Some(chunk) => self.live_chunk(chunk),
                None => self.past_block(&found.files)?,
            };
            changes.retain(|change| change.position < self.before);
            self.buffer = changes;
        }
        Ok(())
    }

    fn live_chunk(&mut self, chunk: Chunk) -> Vec<Logged> {
        self.read_from = chunk.first_sequence.min(self.read_from - 1);
        let changes = chunk.frames.into_iter().flat_map(recorded);
        changes.filter(|change| change.group() == self.group).collect()
    }

    fn past_block(&mut self, files: &[Arc<HistoryFile>]) -> Result<Vec<Logged>, StoreError> {
        let (group, read_from) = (self.group, self.read_from);
        for past in files.iter().rev().filter(|past| past.groups.contains_key(&group)) {
            let mut blocks = self.blocks.of(past)?.iter().rev();
            let next =
                blocks.find(|mark| mark.header.group == group && mark.header.first_sequence < read_from);
            if let Some(mark) = next {
                self.read_from = mark.header.first_sequence;
                let mut changes = past.read(mark)?;
                changes.retain(|change| change.position.sequence < read_from);
                return Ok(changes);
            }
        }
        self.read_from = 1;
        Ok(Vec::new())
    }
}

impl Iterator for ChangesBack {
    type Item = Result<Logged, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.buffer.is_empty()
            && let Err(error) = self.refill()
        {
            self.read_from = 1;
            return Some(Err(error));
        }
        self.buffer.pop().map(Ok)
    }
}
