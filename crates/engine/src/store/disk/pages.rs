//! Dividing a range of a file at page boundaries.

use std::ops::Range;

/// The part of one page that a range covers.
pub(in crate::store) struct Piece {
    pub(in crate::store) page: u64,
    pub(in crate::store) in_page: Range<usize>,
    pub(in crate::store) in_buffer: Range<usize>,
}

/// Returns the parts of the range of `len` bytes at `offset`, in order.
pub(in crate::store) fn pieces(offset: u64, len: usize, page_bytes: usize) -> impl Iterator<Item = Piece> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= len {
            return None;
        }
        let at = offset + done as u64;
        let start = usize::try_from(at % page_bytes as u64).unwrap_or_default();
        let piece_bytes = (page_bytes - start).min(len - done);
        let piece = Piece {
            page: at / page_bytes as u64,
            in_page: start..start + piece_bytes,
            in_buffer: done..done + piece_bytes,
        };
        done += piece_bytes;
        Some(piece)
    })
}
