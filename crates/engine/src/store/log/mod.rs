//! The commit log: segment files of checksummed frames, one frame per commit.
//!
//! The bytes are written down in `docs/format.md`, section "Log".

mod appender;
mod catalogue;
mod frame;
mod replay;
mod segment;
#[cfg(test)]
mod tests;

pub(super) use appender::{Appender, LogEnd};
pub(super) use catalogue::Catalogue;
pub(super) use frame::{Before, Frame, FrameEntry};
pub(super) use replay::replay;
