//! The commit log: segment files of frames, one per commit, each with a checksum or encrypted.
//!
//! `docs/format.md`, section "Log", describes the bytes.

mod appender;
mod catalogue;
mod check;
mod chunk;
mod frame;
mod replay;
mod seal;
mod segment;
#[cfg(test)]
mod tests;

pub(super) use appender::{Appender, LogEnd};
pub(super) use catalogue::{SegmentCatalogue, first_sequence};
pub(super) use check::check;
pub(super) use chunk::{Chunk, chunk_at};
pub(super) use frame::{Before, FieldReader, Frame, FrameEntry, put_bytes, put_u32, put_u64};
pub(super) use replay::{Replayed, SegmentScan, replay};
pub(super) use segment::{FORMAT_VERSION as LOG_FORMAT_VERSION, Segment, segment_name};
