//! The stored form of items and values, described byte by byte in `docs/format.md`.
//!
//! Every item has exactly one stored form: names and set elements ascend, numbers are normal, lengths are as short as
//! possible. Equality of values is therefore equality of bytes.

mod encode;
mod reader;
mod view;

pub use encode::{EncodedItem, EncodedValue, ItemBuilder, encode_subset};
pub use view::{ItemRef, ListIter, ListRef, MapIter, MapRef, RawRef, SetIter, SetRef, ValueRef};

/// Stored bytes that this crate can't have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored bytes are not a well-formed item")]
pub struct Corrupt;

/// The maximum nesting of lists and maps that a reader follows: the limit for items plus a margin. Deeper bytes are
/// corrupt, so that hostile ones can't exhaust the stack.
pub(crate) const DEPTH_MAX: usize = 40;

/// The first byte of every value. The tags are letters, so that a dump is readable.
pub(crate) mod tag {
    pub(crate) const S: u8 = b'S';
    pub(crate) const N: u8 = b'N';
    pub(crate) const B: u8 = b'B';
    pub(crate) const TRUE: u8 = b'T';
    pub(crate) const FALSE: u8 = b'F';
    pub(crate) const NULL: u8 = b'0';
    pub(crate) const M: u8 = b'M';
    pub(crate) const L: u8 = b'L';
    pub(crate) const SS: u8 = b's';
    pub(crate) const NS: u8 = b'n';
    pub(crate) const BS: u8 = b'b';
}
