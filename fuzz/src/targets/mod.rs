//! One file per target, each with its promises at the top.

pub(crate) mod cursor;
pub(crate) mod design;
pub(crate) mod expression;
pub(crate) mod folder;
pub(crate) mod http;
pub(crate) mod import;
pub(crate) mod item;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod request;
pub(crate) mod statement;

/// The parts before and after the first such byte.
fn cut(bytes: &[u8], byte: u8) -> (&[u8], &[u8]) {
    match bytes.iter().position(|other| *other == byte) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}
