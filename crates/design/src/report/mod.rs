//! What is wrong with a design, and where.

mod render;

use std::fmt;
use std::ops::Range;

/// A place in a design file: byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
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

/// A place as people and editors count it: both numbers begin with 1, columns are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Report {
    /// Where a mistake begins.
    pub fn position(&self, mistake: &Mistake) -> Position {
        render::Lines::new(&self.source).position(mistake.span.start)
    }
}

/// Where a byte of a text is.
pub fn position(source: &str, offset: usize) -> Position {
    render::Lines::new(source).position(offset)
}

/// A headed excerpt of a file with carets under a place.
pub fn excerpt(file: &str, source: &str, span: Span, head: &str) -> String {
    render::Excerpt { file, lines: &render::Lines::new(source), span, head }.to_string()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = render::Lines::new(&self.source);
        for mistake in &self.mistakes {
            render::mistake(f, &self.file, &lines, mistake)?;
        }
        match self.mistakes.len() {
            1 => write!(f, "1 mistake in {}", self.file),
            count => write!(f, "{count} mistakes in {}", self.file),
        }
    }
}

impl std::error::Error for Report {}

#[cfg(test)]
mod tests;
