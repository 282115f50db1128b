//! Segment files: their names and their headers.
//!
//! A file gets the name of a segment only after its header is durable. So a segment with an invalid header is
//! damaged, never unfinished.

use std::sync::{Arc, PoisonError};

use super::super::seal::{KeyError, SEALED_MAGIC, Sealing};
use super::super::{Disk, DiskFile, FileId, StoreError};
use super::seal::{SEALED_HEADER_BYTES, Seal};
use crate::sync::Mutex;

/// The offset of the first frame, so that writing frames never touches the header's disk block.
pub(super) const FRAMES_START: u64 = 4096;

const MAGIC: [u8; 8] = *b"SNGLTLOG";
pub(in crate::store) const FORMAT_VERSION: u32 = 2;
const HEADER_BYTES: usize = 32;
const SEGMENT_PREFIX: &str = "log-";
const SPARE_PREFIX: &str = "spare-";

pub(in crate::store) fn segment_name(id: u64) -> String {
    format!("{SEGMENT_PREFIX}{id:016x}")
}

pub(super) fn spare_name(id: u64) -> String {
    format!("{SPARE_PREFIX}{id:016x}")
}

fn parse_id(name: &str, prefix: &str) -> Option<u64> {
    let digits = name.strip_prefix(prefix)?;
    (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok())?
}

/// The id in a segment's name.
pub(super) fn parse_segment_name(name: &str) -> Option<u64> {
    parse_id(name, SEGMENT_PREFIX)
}

/// The id in a spare file's name.
pub(super) fn parse_spare_name(name: &str) -> Option<u64> {
    parse_id(name, SPARE_PREFIX)
}

/// The distance between noted offsets of frames.
const MARKS_APART_BYTES: u64 = 64 << 10;

/// One segment of the log.
#[derive(Clone)]
pub(in crate::store) struct Segment {
    /// Ids grow with the log and are never reused.
    pub(in crate::store) id: u64,
    /// The sequence number of its first frame, even if there is none yet.
    pub(in crate::store) first_sequence: u64,
    pub(super) seal: Seal,
    pub(super) file: Arc<dyn DiskFile>,
    pub(super) file_bytes: u64,
    /// The identity of the file that its name must lead to, if the disk has identities.
    pub(in crate::store) identity: Option<FileId>,
    pub(super) marks: Arc<Marks>,
}

/// The offsets of some of a segment's frames, for readers that don't start at the beginning.
pub(super) struct Marks(Mutex<MarkList>);

struct MarkList {
    /// Sequence numbers and offsets, ascending, beginning with the first frame.
    places: Vec<(u64, u64)>,
    /// The end of all frames.
    end: u64,
}

/// A part of a segment that begins with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogPiece {
    pub(super) first_sequence: u64,
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Marks {
    pub(super) fn new(first_sequence: u64, end: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(MarkList { places: vec![(first_sequence, FRAMES_START)], end })))
    }

    /// Notes the offset of a frame.
    pub(super) fn note(&self, sequence: u64, offset: u64) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.places.last().is_none_or(|&(_, last)| offset >= last + MARKS_APART_BYTES) {
            list.places.push((sequence, offset));
        }
    }

    /// Notes that everything before this offset is written.
    pub(super) fn set_end(&self, end: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).end = end;
    }

    /// Returns the part with a frame.
    pub(super) fn piece_with(&self, sequence: u64) -> Option<LogPiece> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = list.places.partition_point(|&(first, _)| first <= sequence);
        let &(first_sequence, start) = list.places.get(next.checked_sub(1)?)?;
        let end = list.places.get(next).map_or(list.end, |&(_, offset)| offset.min(list.end));
        Some(LogPiece { first_sequence, start, end })
    }
}

impl Segment {
    pub(in crate::store) fn name(&self) -> String {
        segment_name(self.id)
    }

    /// Writes and syncs the header into the file called `name`.
    pub(super) fn write_header(&self, name: &str) -> Result<(), StoreError> {
        let header = match &self.seal {
            Seal::Checksum { .. } => encode_header(self.id, self.first_sequence),
            Seal::Cipher { salt, sealing, .. } => {
                Seal::encode_header(salt, sealing, self.id, self.first_sequence)
            }
        };
        self.file.write_all_at(0, &header).map_err(StoreError::io("write", name))?;
        self.file.sync_data().map_err(StoreError::io("sync", name))
    }

    /// Opens the segment with this id, and checks its header.
    pub(super) fn open(disk: &dyn Disk, sealing: Option<&Arc<Sealing>>, id: u64) -> Result<Self, StoreError> {
        let name = segment_name(id);
        let file = disk.open(&name).map_err(StoreError::io("open", &name))?;
        let file_bytes = file.len().map_err(StoreError::io("measure", &name))?;
        if file_bytes < FRAMES_START {
            return Err(StoreError::corrupt(name, file_bytes, "the file ends within its header"));
        }
        let (seal, first_sequence) = match sealing {
            None => {
                let mut header = [0; HEADER_BYTES];
                file.read_exact_at(0, &mut header).map_err(StoreError::io("read", &name))?;
                (Seal::Checksum { segment: id }, check_header(&name, id, &header)?)
            }
            Some(sealing) => {
                let mut header = [0; SEALED_HEADER_BYTES];
                file.read_exact_at(0, &mut header).map_err(StoreError::io("read", &name))?;
                Seal::decode_header(sealing, &name, id, &header)?
            }
        };
        let identity = disk.identity(&name).map_err(StoreError::io("look for", &name))?;
        let marks = Marks::new(first_sequence, file_bytes);
        Ok(Self { id, first_sequence, seal, file, file_bytes, identity, marks })
    }
}

pub(super) fn encode_header(id: u64, first_sequence: u64) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    header.extend_from_slice(&id.to_le_bytes());
    header.extend_from_slice(&first_sequence.to_le_bytes());
    header.extend_from_slice(&crc32fast::hash(&header).to_le_bytes());
    header
}

/// Decodes the first sequence number from a valid header of the segment.
fn check_header(name: &str, id: u64, header: &[u8; HEADER_BYTES]) -> Result<u64, StoreError> {
    let field =
        |at: usize| header.get(at..).and_then(<[u8]>::first_chunk::<8>).map_or(0, |b| u64::from_le_bytes(*b));
    let word =
        |at: usize| header.get(at..).and_then(<[u8]>::first_chunk::<4>).map_or(0, |b| u32::from_le_bytes(*b));
    if header.starts_with(&SEALED_MAGIC) {
        return Err(KeyError::KeysGone { file: name.into() }.into());
    }
    if !header.starts_with(&MAGIC) {
        return Err(StoreError::corrupt(name, 0, "this isn't a log segment"));
    }
    let version = word(8);
    if version != FORMAT_VERSION {
        let (found, known) = (version.into(), FORMAT_VERSION.into());
        return Err(StoreError::UnknownVersion { file: name.into(), found, known });
    }
    if word(28) != crc32fast::hash(header.get(..28).unwrap_or_default()) {
        return Err(StoreError::corrupt(name, 0, "the checksum of the header is wrong"));
    }
    if field(12) != id {
        return Err(StoreError::corrupt(
            name,
            12,
            format!("the header belongs to segment {:016x}", field(12)),
        ));
    }
    Ok(field(20))
}
