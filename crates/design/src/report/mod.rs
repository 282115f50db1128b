//! Reports of the mistakes in a design.

mod render;

use std::fmt;
use std::ops::Range;

pub use render::Lines;

/// A position in a design file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end }
    }
}

/// A mistake in a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Its position.
    pub span: Span,
    /// The mistake, with the names of the design.
    pub message: String,
    /// The expected form, or the way to correct the mistake.
    pub help: Option<String>,
}

/// All mistakes of a design file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The name of the file, from the caller.
    pub file: String,
    /// Its text.
    pub source: String,
    /// The mistakes, in the order of the file; never empty.
    pub mistakes: Vec<Mistake>,
}

/// A position for people and editors: both numbers begin with 1, and columns are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Report {
    /// Returns the position at which a mistake begins.
    pub fn position(&self, mistake: &Mistake) -> Position {
        Lines::new(&self.source).position(mistake.span.start)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = Lines::new(&self.source);
        for mistake in &self.mistakes {
            render::mistake(f, &self.file, &lines, mistake)?;
        }
        match self.mistakes.len() {
            1 => write!(f, "1 error in {}", self.file),
            count => write!(f, "{count} errors in {}", self.file),
        }
    }
}

impl std::error::Error for Report {}

#[cfg(test)]
mod tests;
