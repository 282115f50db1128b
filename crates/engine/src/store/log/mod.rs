//! The commit log: segment files of checksummed frames, one frame per commit.
//!
//! The bytes are written down in `docs/format.md`, section "Log".

mod appender;
mod catalogue;
mod chunk;
mod frame;
mod replay;
mod segment;
#[cfg(test)]
mod tests;

pub(super) use appender::{Appender, LogEnd};
pub(super) use catalogue::Catalogue;
pub(super) use chunk::{Chunk, chunk_at};
pub(super) use frame::{Before, FieldReader, Frame, FrameEntry, put_bytes, put_u32, put_u64};
pub(super) use replay::{Scan, replay};
pub(super) use segment::Segment;
