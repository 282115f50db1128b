//! The encoding of one commit.
//!
//! The writer encodes a frame. The log thread seals it, because only this thread knows the frame's segment and which
//! commits were durable before it.

use std::borrow::Cow;

use bytes::Bytes;

use super::super::CommitError;
use super::super::tally::{Space, TallyDelta};
use super::seal::Seal;

/// Length, checksum, sequence, durable sequence, time, mark, number of tallies, number of entries.
pub(super) const FRAME_HEADER_BYTES: usize = 44;
/// The longest frame. Jobs are kept smaller, because a frame is in memory as a whole.
pub(super) const FRAME_BYTES_MAX: usize = 256 << 20;
/// Frames that may be longer than this are measured exactly before encoding, including shared values.
const MEASURED_FROM_BYTES: usize = 4 << 20;

const VALUE_DELETED: u8 = 0;
const VALUE_HERE: u8 = 1;
const VALUE_SHARED: u8 = 2;
const BEFORE_UNRECORDED: u8 = 0;
const BEFORE_HERE: u8 = 1;
const BEFORE_SHARED: u8 = 2;
const BEFORE_ABSENT: u8 = 3;

/// The number of earlier entries that are searched for a shared value. An item is followed by its index entries.
const SHARING_ENTRIES_MAX: usize = 64;

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Frame {
    pub(in crate::store) sequence: u64,
    pub(in crate::store) time_ms: u64,
    /// The caller's mark for readers of the log.
    pub(in crate::store) mark: u32,
    pub(in crate::store) tallies: Vec<TallyDelta>,
    pub(in crate::store) entries: Vec<FrameEntry>,
}

/// One key's change within a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct FrameEntry {
    pub(in crate::store) key: Bytes,
    /// The new value; `None` for a deletion.
    pub(in crate::store) value: Option<Bytes>,
    pub(in crate::store) before: Before,
}

/// The value before a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Before {
    /// The change isn't recorded.
    Unrecorded,
    /// The change is recorded, with the earlier value if there was one.
    Recorded(Option<Bytes>),
}

impl Before {
    fn value(&self) -> Option<&Bytes> {
        match self {
            Before::Unrecorded => None,
            Before::Recorded(value) => value.as_ref(),
        }
    }
}

fn same(one: &Bytes, other: &Bytes) -> bool {
    one.as_ptr() == other.as_ptr() && one.len() == other.len()
}

impl Frame {
    /// Appends the unsealed frame. Returns for each entry whether it has its own value or shares another's. Nothing
    /// is appended if the frame is too large.
    pub(in crate::store) fn encode(&self, out: &mut Vec<u8>) -> Result<Vec<bool>, CommitError> {
        let mut bytes = self.encoded_bytes_max();
        if bytes > MEASURED_FROM_BYTES {
            bytes = bytes.saturating_sub(self.shared_bytes());
        }
        if bytes > FRAME_BYTES_MAX {
            return Err(CommitError::TooLarge { bytes, max: FRAME_BYTES_MAX });
        }
        let start = out.len();
        out.reserve(bytes);
        put_u32(out, 0);
        put_u32(out, 0);
        put_u64(out, self.sequence);
        put_u64(out, 0);
        put_u64(out, self.time_ms);
        put_u32(out, self.mark);
        put_len(out, self.tallies.len());
        put_len(out, self.entries.len());
        for delta in &self.tallies {
            put_u64(out, delta.space.0);
            out.extend_from_slice(&delta.count.to_le_bytes());
            out.extend_from_slice(&delta.bytes.to_le_bytes());
        }
        let owners = (0..self.entries.len()).map(|place| self.encode_entry(place, out)).collect();
        let length = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
        if let Some(field) = out.get_mut(start..start + 4) {
            field.copy_from_slice(&length.to_le_bytes());
        }
        Ok(owners)
    }

    fn encoded_bytes_max(&self) -> usize {
        let entries = self.entries.iter().map(|entry| {
            let value = entry.value.as_ref().map_or(0, Bytes::len);
            let before = entry.before.value().map_or(0, Bytes::len);
            14 + entry.key.len() + value + before
        });
        FRAME_HEADER_BYTES + 24 * self.tallies.len() + entries.sum::<usize>()
    }

    /// Returns the bytes of values that aren't written again because an earlier entry has them.
    fn shared_bytes(&self) -> usize {
        let shared = |place: usize, bytes_of: fn(&FrameEntry) -> Option<&Bytes>| {
            self.sharing(place, bytes_of)?;
            bytes_of(self.entries.get(place)?).map(Bytes::len)
        };
        let values = (0..self.entries.len()).filter_map(|place| shared(place, |entry| entry.value.as_ref()));
        let before = (0..self.entries.len()).filter_map(|place| shared(place, |entry| entry.before.value()));
        values.sum::<usize>() + before.sum::<usize>()
    }

    fn encode_entry(&self, place: usize, out: &mut Vec<u8>) -> bool {
        let Some(entry) = self.entries.get(place) else { return true };
        let value_from = self.sharing(place, |entry| entry.value.as_ref());
        let before = entry.before.value();
        let before_from = self.sharing(place, |entry| entry.before.value());
        out.push(match (&entry.value, value_from) {
            (None, _) => VALUE_DELETED,
            (Some(_), None) => VALUE_HERE,
            (Some(_), Some(_)) => VALUE_SHARED,
        });
        out.push(match (&entry.before, before_from) {
            (Before::Unrecorded, _) => BEFORE_UNRECORDED,
            (Before::Recorded(None), _) => BEFORE_ABSENT,
            (Before::Recorded(Some(_)), None) => BEFORE_HERE,
            (Before::Recorded(Some(_)), Some(_)) => BEFORE_SHARED,
        });
        put_bytes(out, &entry.key);
        for (bytes, from) in [(entry.value.as_ref(), value_from), (before, before_from)] {
            match (bytes, from) {
                (None, _) => {}
                (Some(_), Some(place)) => put_len(out, place),
                (Some(bytes), None) => put_bytes(out, bytes),
            }
        }
        value_from.is_none()
    }

    /// Finds the first of the recent entries with the very same bytes.
    fn sharing(&self, place: usize, bytes_of: impl Fn(&FrameEntry) -> Option<&Bytes>) -> Option<usize> {
        let wanted = bytes_of(self.entries.get(place)?)?;
        let from = place.saturating_sub(SHARING_ENTRIES_MAX);
        let earlier = self.entries.get(from..place)?;
        earlier
            .iter()
            .position(|entry| bytes_of(entry).is_some_and(|bytes| same(bytes, wanted)))
            .map(|at| from + at)
    }

    /// Decodes a sealed frame at the start of `bytes`, which begin at `offset`, if it is complete.
    pub(super) fn parse<'a>(seal: &Seal, offset: u64, bytes: &'a [u8]) -> Option<SealedFrame<'a>> {
        let length = usize::try_from(FieldReader(bytes).u32()?).ok()?;
        let encoded_length = length.checked_sub(seal.growth())?;
        if !(FRAME_HEADER_BYTES..=FRAME_BYTES_MAX).contains(&encoded_length) {
            return None;
        }
        let body = seal.body(offset, bytes.get(..length)?)?;
        let mut reader = FieldReader(&body);
        let (sequence, durable_sequence) = (reader.u64()?, reader.u64()?);
        Some(SealedFrame { length, sequence, durable_sequence, body })
    }
}

/// An intact frame.
pub(super) struct SealedFrame<'a> {
    pub(super) length: usize,
    pub(super) sequence: u64,
    /// Everything up to here was durable before this frame was written.
    pub(super) durable_sequence: u64,
    body: Cow<'a, [u8]>,
}

impl SealedFrame<'_> {
    /// Returns the commit, and for each entry whether it has its own value. `None` if the body is invalid.
    pub(super) fn decode(self) -> Option<(Frame, Vec<bool>)> {
        // The two sequence numbers are decoded already.
        let body = &mut FieldReader(self.body.get(16..)?);
        let time_ms = body.u64()?;
        let mark = body.u32()?;
        let (tally_count, entry_count) = (body.u32()?, body.u32()?);
        let mut tallies = Vec::new();
        for _ in 0..tally_count {
            tallies.push(TallyDelta { space: Space(body.u64()?), count: body.i64()?, bytes: body.i64()? });
        }
        let mut entries: Vec<FrameEntry> = Vec::new();
        let mut owners = Vec::new();
        for _ in 0..entry_count {
            let (value_kind, before_kind) = (body.u8()?, body.u8()?);
            let key = body.bytes()?;
            let value = match value_kind {
                VALUE_DELETED => None,
                VALUE_HERE => Some(body.bytes()?),
                VALUE_SHARED => Some(entries.get(body.place()?)?.value.clone()?),
                _ => return None,
            };
            let before = match before_kind {
                BEFORE_UNRECORDED => Before::Unrecorded,
                BEFORE_ABSENT => Before::Recorded(None),
                BEFORE_HERE => Before::Recorded(Some(body.bytes()?)),
                BEFORE_SHARED => Before::Recorded(Some(entries.get(body.place()?)?.before.value()?.clone())),
                _ => return None,
            };
            entries.push(FrameEntry { key, value, before });
            owners.push(value_kind != VALUE_SHARED);
        }
        let frame = Frame { sequence: self.sequence, time_ms, mark, tallies, entries };
        body.0.is_empty().then_some((frame, owners))
    }
}

/// The length of the encoded frame at the start of `bytes`, sealed or not.
pub(super) fn encoded_length(bytes: &[u8]) -> Option<usize> {
    usize::try_from(FieldReader(bytes).u32()?).ok()
}

/// Copies the encoded frames, with space for the seal of each.
pub(super) fn widen(frames: &[u8], growth: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(frames.len() + frames.len() / 4);
    let mut rest = frames;
    while let Some(length) = encoded_length(rest) {
        let (frame, after) = rest.split_at_checked(length.max(4)).unwrap_or((rest, &[]));
        put_len(&mut out, length + growth);
        out.resize(out.len() + growth, 0);
        out.extend_from_slice(frame.get(4..).unwrap_or_default());
        rest = after;
    }
    out
}

/// Completes an encoded frame for this offset with the durable sequence number and the seal. `bytes` is the whole
/// frame, with space for the seal. Returns the frame's sequence number.
pub(super) fn seal(seal: &Seal, offset: u64, durable_sequence: u64, bytes: &mut [u8]) -> Option<u64> {
    let body = bytes.get_mut(seal.body_at()..)?;
    let sequence = FieldReader(body).u64()?;
    body.get_mut(8..16)?.copy_from_slice(&durable_sequence.to_le_bytes());
    seal.protect(offset, bytes);
    Some(sequence)
}

pub(in crate::store) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

pub(in crate::store) fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Lengths fit, because the whole frame does.
fn put_len(out: &mut Vec<u8>, len: usize) {
    put_u32(out, u32::try_from(len).unwrap_or(u32::MAX));
}

pub(in crate::store) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Reads fields off the front.
#[derive(Clone, Copy)]
pub(in crate::store) struct FieldReader<'a>(&'a [u8]);

impl<'a> FieldReader<'a> {
    pub(in crate::store) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(in crate::store) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*chunk)
    }

    pub(in crate::store) fn u8(&mut self) -> Option<u8> {
        self.chunk().map(u8::from_le_bytes)
    }

    pub(in crate::store) fn u32(&mut self) -> Option<u32> {
        self.chunk().map(u32::from_le_bytes)
    }

    pub(in crate::store) fn u64(&mut self) -> Option<u64> {
        self.chunk().map(u64::from_le_bytes)
    }

    fn i64(&mut self) -> Option<i64> {
        self.chunk().map(i64::from_le_bytes)
    }

    fn place(&mut self) -> Option<usize> {
        usize::try_from(self.u32()?).ok()
    }

    pub(in crate::store) fn bytes(&mut self) -> Option<Bytes> {
        let length = self.place()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Bytes::copy_from_slice(bytes))
    }
}
