//! Prints a mistake: the message, the position, the line, and carets under the position.

use std::fmt;

use unicode_width::UnicodeWidthChar;

use super::{Mistake, Position, Span};

/// The maximum number of columns shown; longer lines are cut around the position.
const COLUMNS_MAX: usize = 160;

/// A text whose lines can be found by byte offset. The search for line breaks is done once.
#[derive(Debug)]
pub struct Lines<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the start of each line.
    pub fn new(source: &'a str) -> Self {
        let after_breaks =
            source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { source, starts: std::iter::once(0).chain(after_breaks).collect() }
    }

    /// Returns the line and column of a byte.
    pub fn position(&self, offset: usize) -> Position {
        let (line, text, at) = self.line(offset);
        let column = text.get(..at).unwrap_or(text).chars().count() + 1;
        Position { line, column }
    }

    /// Returns an excerpt with a headline, and carets under a position.
    pub fn excerpt(&self, file: &str, span: Span, head: &str) -> String {
        Excerpt { file, lines: self, span, head }.to_string()
    }

    /// Returns the number of the line that contains a byte, its text without the line break, and the byte's offset in it.
    fn line(&self, offset: usize) -> (usize, &'a str, usize) {
        let offset = self.boundary(offset);
        let number = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(number.saturating_sub(1)).copied().unwrap_or_default();
        let end = self.starts.get(number).map_or(self.source.len(), |next| next.saturating_sub(1));
        let text = self.source.get(start..end).unwrap_or_default();
        let text = text.strip_suffix('\r').unwrap_or(text);
        (number.max(1), text, (offset - start).min(text.len()))
    }

    /// Returns the start of the character that contains the offset.
    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.source.len());
        while !self.source.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// Writes a mistake, followed by an empty line.
pub(super) fn mistake(
    f: &mut fmt::Formatter<'_>,
    file: &str,
    lines: &Lines<'_>,
    mistake: &Mistake,
) -> fmt::Result {
    let head = format!("error: {}", mistake.message);
    let excerpt = Excerpt { file, lines, span: mistake.span, head: &head };
    write!(f, "{excerpt}")?;
    if let Some(help) = &mistake.help {
        writeln!(f, "{:margin$} = help: {}", "", shown(help), margin = excerpt.margin())?;
    }
    writeln!(f)
}

/// A headline, the position, the line, and carets under the position.
struct Excerpt<'a> {
    file: &'a str,
    lines: &'a Lines<'a>,
    span: Span,
    head: &'a str,
}

impl Excerpt<'_> {
    /// Returns the width of the line number.
    fn margin(&self) -> usize {
        self.lines.line(self.span.start).0.to_string().len()
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Excerpt { file, lines, span, head } = self;
        let (number, text, from) = lines.line(span.start);
        let column = text.get(..from).unwrap_or(text).chars().count() + 1;
        let length = span.end.saturating_sub(span.start);
        let to = lines.boundary(span.start.saturating_add(length));
        let to = (to.saturating_sub(lines.boundary(span.start)) + from).min(text.len());
        let (before, marked, after) = cut(text, from, to);

        let margin = self.margin();
        writeln!(f, "{}", shown(head))?;
        writeln!(f, "{:margin$}--> {file}:{number}:{column}", "")?;
        writeln!(f, "{:margin$} |", "")?;
        writeln!(f, "{number} | {}{}{}", shown(&before), shown(&marked), shown(&after))?;
        writeln!(f, "{:margin$} | {}{}", "", blank(&before), "^".repeat(width(&marked).max(1)))
    }
}

/// Splits the line into the text before, above and after the carets. A long line loses its ends.
fn cut(text: &str, from: usize, to: usize) -> (String, String, String) {
    let before = text.get(..from).unwrap_or_default();
    let marked: String = text.get(from..to).unwrap_or_default().chars().take(COLUMNS_MAX).collect();
    let after = text.get(from + marked.len()..).unwrap_or_default();
    if text.chars().count() <= COLUMNS_MAX {
        return (before.to_owned(), marked, after.to_owned());
    }
    let head_room = COLUMNS_MAX / 2;
    let skipped = before.chars().count().saturating_sub(head_room);
    let start = if skipped > 0 { "…" } else { "" };
    let before = format!("{start}{}", before.chars().skip(skipped).collect::<String>());
    let room = COLUMNS_MAX.saturating_sub(head_room + marked.chars().count());
    let end = if after.chars().count() > room { "…" } else { "" };
    let after = format!("{}{end}", after.chars().take(room).collect::<String>());
    (before, marked, after)
}

/// Replaces control characters, which could change the terminal.
fn shown(text: &str) -> String {
    text.chars()
        .map(
            |letter| if letter.is_control() && letter != '\t' { char::REPLACEMENT_CHARACTER } else { letter },
        )
        .collect()
}

/// Returns blanks as wide as the text; tabs stay tabs.
fn blank(text: &str) -> String {
    text.chars()
        .map(|letter| if letter == '\t' { "\t".to_owned() } else { " ".repeat(columns(letter)) })
        .collect()
}

fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

fn columns(letter: char) -> usize {
    letter.width().unwrap_or(1)
}
