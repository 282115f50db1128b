//! What is wrong with a design, and where.

use std::fmt;
use std::ops::Range;

/// A place in a design file: byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// After the last byte.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end }
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub span: Span,
    /// What is wrong, in a sentence with the design's own names.
    pub message: String,
    /// What was expected, or how to mend it.
    pub help: Option<String>,
}

/// All mistakes of one design file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The file's name, as the caller gave it.
    pub file: String,
    /// Its text.
    pub source: String,
    /// The mistakes, in the order of the file; never empty.
    pub mistakes: Vec<Mistake>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = f;
        Ok(())
    }
}

impl std::error::Error for Report {}
