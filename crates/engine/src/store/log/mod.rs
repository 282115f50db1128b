//! The commit log: segment files of frames, one per commit, each with a checksum or encrypted.
//!
//! The bytes are written down in `docs/format.md`, section "Log".

mod appender;
mod catalogue;
mod check;
mod frame;
mod replay;
mod seal;
mod segment;
#[cfg(test)]
mod tests;

pub(super) use appender::{Appender, LogEnd};
pub(super) use catalogue::Catalogue;
pub(super) use check::check;
pub(super) use frame::{Before, Frame, FrameEntry};
pub(super) use replay::replay;
