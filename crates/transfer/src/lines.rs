//! Lines of bounded length.

use std::io::{self, Read};

use memchr::memchr;

/// The size of a read.
const CHUNK_BYTES: usize = 64 << 10;
/// The longest line. An item has at most 400 KB; its JSON can take seven times that, plus white space.
const LINE_BYTES_MAX: usize = 8 << 20;
/// The number of bytes of an overlong line that one step skips.
const SKIP_BYTES_MAX: usize = 64 << 20;

/// The result of reading on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line, without its end.
    Whole(&'a [u8]),
    /// An overlong line. The rest of it is skipped.
    TooLong,
    /// A part of an overlong line was skipped.
    Skipped,
    /// There aren't any more lines.
    End,
}

/// Reads lines.
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// The start of the next line in the buffer.
    start: usize,
    /// The part of the buffer up to here has no line end.
    searched: usize,
    number: u64,
    skipping: bool,
    line_bytes_max: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Lines {
            source,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            number: 0,
            skipping: false,
            line_bytes_max: LINE_BYTES_MAX,
        }
    }

    /// The number of the last line, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The next line.
    pub(crate) fn next_line(&mut self) -> io::Result<Line<'_>> {
        if self.skipping && !self.skip()? {
            return Ok(Line::Skipped);
        }
        loop {
            if let Some(length) = memchr(b'\n', self.buffer.get(self.searched..).unwrap_or_default()) {
                let (start, end) = (self.start, self.searched + length);
                (self.start, self.searched) = (end + 1, end + 1);
                self.number += 1;
                return Ok(Line::Whole(self.buffer.get(start..end).unwrap_or_default()));
            }
            self.searched = self.buffer.len();
            if self.buffer.len() - self.start > self.line_bytes_max {
                self.number += 1;
                self.skipping = true;
                return Ok(Line::TooLong);
            }
            if self.fill()? == 0 {
                let start = std::mem::replace(&mut self.start, self.buffer.len());
                if start == self.buffer.len() {
                    return Ok(Line::End);
                }
                self.number += 1;
                return Ok(Line::Whole(self.buffer.get(start..).unwrap_or_default()));
            }
        }
    }

    /// Skips to the end of a line. Returns `false` if the buffer doesn't have it yet.
    fn skip(&mut self) -> io::Result<bool> {
        let mut skipped = 0;
        loop {
            let rest = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(length) = memchr(b'\n', rest) {
                self.start = self.searched + length + 1;
                self.searched = self.start;
                self.skipping = false;
                return Ok(true);
            }
            skipped += rest.len();
            (self.start, self.searched) = (self.buffer.len(), self.buffer.len());
            if skipped > SKIP_BYTES_MAX {
                return Ok(false);
            }
            if self.fill()? == 0 {
                self.skipping = false;
                return Ok(true);
            }
        }
    }

    /// Reads more into the buffer, after removing the consumed part.
    fn fill(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let filled = self.buffer.len();
        self.buffer.resize(filled + CHUNK_BYTES, 0);
        let read = loop {
            match self.source.read(self.buffer.get_mut(filled..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(filled + *read.as_ref().unwrap_or(&0));
        read
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &[u8], line_bytes_max: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines { line_bytes_max, ..Lines::new(text) };
        let mut found = Vec::new();
        loop {
            match lines.next_line().unwrap() {
                Line::Whole(line) => found.push(Some(line.to_vec())),
                Line::TooLong => found.push(None),
                Line::Skipped => {}
                Line::End => return found,
            }
        }
    }

    #[test]
    fn the_last_line_needs_no_end() {
        assert_eq!(all(b"", 10), []);
        assert_eq!(all(b"a\n\nb", 10), [Some(b"a".to_vec()), Some(vec![]), Some(b"b".to_vec())]);
        assert_eq!(all(b"a\n", 10), [Some(b"a".to_vec())]);
    }

    #[test]
    fn a_line_that_is_too_long_costs_no_memory_and_the_next_one_is_read() {
        let mut text = vec![b'x'; 300_000];
        text.extend_from_slice(b"\nshort\n");
        text.extend_from_slice(&[b'y'; 200_000]);
        let mut lines = Lines { line_bytes_max: 1000, ..Lines::new(&text[..]) };
        assert_eq!(lines.next_line().unwrap(), Line::TooLong);
        assert_eq!(lines.next_line().unwrap(), Line::Whole(b"short"));
        assert_eq!(lines.number(), 2);
        assert_eq!(lines.next_line().unwrap(), Line::TooLong);
        assert_eq!(lines.next_line().unwrap(), Line::End);
        assert!(lines.buffer.capacity() <= 4 * CHUNK_BYTES);
    }

    proptest! {
        #[test]
        fn lines_are_what_stands_between_line_ends(text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200)) {
            let mut expected: Vec<Option<Vec<u8>>> =
                text.split(|byte| *byte == b'\n').map(|line| Some(line.to_vec())).collect();
            if expected.last() == Some(&Some(Vec::new())) {
                expected.pop();
            }
            prop_assert_eq!(all(&text, 1000), expected);
        }
    }
}
