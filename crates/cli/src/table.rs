//! Tables of text that fit a terminal: cells are shortened or wrapped, and a table with too many columns is shown row by
//! row. Elsewhere nothing is shortened.

use std::io::stdout;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::style::{FAINT, HEAD, styled};

/// Between columns.
const GAP: usize = 2;
/// A column isn't made narrower than this.
const COLUMN_MIN: usize = 8;

/// How cells that don't fit are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// They end with `…`.
    Shorten,
    /// They go on in the next line.
    Wrap,
}

/// Rows of cells under a head.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) fit: Fit,
    /// A line under the head.
    pub(crate) is_ruled: bool,
}

/// The width of the terminal that the answer goes to; `None` if it goes elsewhere.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0))
}

impl Table {
    /// The table within a width, with styles.
    pub(crate) fn text(&self, width: Option<usize>) -> String {
        match self.widths(width) {
            Some(widths) => self.aligned(&widths),
            None => self.row_by_row(width.unwrap_or(usize::MAX)),
        }
    }

    /// The widths of the columns; `None` if there are too many of them.
    fn widths(&self, width: Option<usize>) -> Option<Vec<usize>> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or_default().max(self.head.len());
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let widest = |column: usize| all().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
        let natural: Vec<usize> = (0..count).map(|column| widest(column).unwrap_or_default()).collect();
        let Some(width) = width else { return Some(natural) };
        let room = width.saturating_sub(GAP * count.saturating_sub(1));
        let needed = |cap: usize| natural.iter().map(|width| (*width).min(cap)).sum::<usize>();
        let widest = natural.iter().copied().max().unwrap_or_default();
        // The widest columns give way first, all to the same width.
        let narrowest = COLUMN_MIN.min(widest);
        let cap = (narrowest..=widest).rev().find(|cap| needed(*cap) <= room);
        // Rows without names can't be shown one by one.
        let cap = if self.head.is_empty() { cap.unwrap_or(narrowest) } else { cap? };
        let mut left = room.saturating_sub(needed(cap));
        let mut fitted = Vec::with_capacity(count);
        for natural in &natural {
            let extra = natural.saturating_sub(cap).min(left).min(1);
            left -= extra;
            fitted.push((*natural).min(cap) + extra);
        }
        Some(fitted)
    }

    fn aligned(&self, widths: &[usize]) -> String {
        let mut text = String::new();
        let has_head = self.head.iter().any(|cell| !cell.is_empty());
        if has_head {
            text += &self.lines(&self.head, widths, true);
            if self.is_ruled {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                text += &format!("{}\n", styled(FAINT, rules.join(&" ".repeat(GAP)).trim_end()));
            }
        }
        for row in &self.rows {
            text += &self.lines(row, widths, false);
        }
        text
    }

    /// One row, in as many lines as its cells need.
    fn lines(&self, row: &[String], widths: &[usize], is_head: bool) -> String {
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| match self.fit {
                Fit::Shorten => vec![shortened(cell, *width)],
                Fit::Wrap => wrapped(cell, *width),
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let mut text = String::new();
        for line in 0..height {
            let mut padded = String::new();
            for (cell, width) in cells.iter().zip(widths) {
                let piece = cell.get(line).map(String::as_str).unwrap_or_default();
                padded += piece;
                padded.extend(std::iter::repeat_n(' ', width + GAP - piece.width().min(*width)));
            }
            let padded = padded.trim_end();
            text += &if is_head { styled(HEAD, padded) } else { padded.to_owned() };
            text.push('\n');
        }
        text
    }

    /// Each row as a list of its cells, one below the other.
    fn row_by_row(&self, width: usize) -> String {
        let name_width = self.head.iter().map(|name| name.width()).max().unwrap_or_default();
        let room = width.saturating_sub(name_width + GAP).max(COLUMN_MIN);
        let mut blocks = Vec::new();
        for row in &self.rows {
            let mut block = String::new();
            for (name, cell) in self.head.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                let pieces = match self.fit {
                    Fit::Shorten => vec![shortened(cell, room)],
                    Fit::Wrap => wrapped(cell, room),
                };
                for (line, piece) in pieces.iter().enumerate() {
                    let name = if line == 0 { name.as_str() } else { "" };
                    let space = " ".repeat(name_width + GAP - name.width());
                    block += &format!("{}{space}{piece}\n", styled(HEAD, name));
                }
            }
            blocks.push(block);
        }
        blocks.join("\n")
    }
}

/// The text, or its beginning with `…`.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (beginning, _) = split(text, width.saturating_sub(1));
    format!("{beginning}…")
}

/// Lines of at most this width, broken at spaces where there are any.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word;
        loop {
            let line = lines.last_mut().map(|line| (line.width(), line));
            let Some((used, line)) = line else { break };
            let space = usize::from(used > 0);
            if used + space + word.width() <= width {
                line.push_str(if space > 0 { " " } else { "" });
                line.push_str(word);
                break;
            }
            if used > 0 {
                lines.push(String::new());
                continue;
            }
            let (first, rest) = split(word, width);
            line.push_str(first);
            if rest.is_empty() {
                break;
            }
            lines.push(String::new());
            word = rest;
        }
    }
    lines
}

/// The beginning of a text that fits, at least one character of it, and the rest.
fn split(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or_default();
        if used > width && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(fit: Fit) -> Table {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        Table {
            head: row(&["id", "name", "about"]),
            rows: vec![row(&["1", "Phở bò", "a soup of rice noodles and beef"]), row(&["22", "Bún", ""])],
            fit,
            is_ruled: false,
        }
    }

    fn shown(fit: Fit, width: Option<usize>) -> String {
        anstream::adapter::strip_str(&table(fit).text(width)).to_string()
    }

    #[test]
    fn nothing_is_shortened_where_there_is_no_terminal() {
        let whole = "id  name    about\n1   Phở bò  a soup of rice noodles and beef\n22  Bún\n";
        assert_eq!(shown(Fit::Shorten, None), whole);
        assert_eq!(shown(Fit::Wrap, Some(80)), whole);
    }

    #[test]
    fn the_widest_column_gives_way() {
        assert_eq!(
            shown(Fit::Shorten, Some(30)),
            "id  name    about\n1   Phở bò  a soup of rice no…\n22  Bún\n"
        );
        assert_eq!(
            shown(Fit::Wrap, Some(30)),
            "id  name    about\n1   Phở bò  a soup of rice\n            noodles and beef\n22  Bún\n"
        );
    }

    #[test]
    fn a_table_with_too_many_columns_is_shown_row_by_row() {
        assert_eq!(
            shown(Fit::Shorten, Some(16)),
            "id     1\nname   Phở bò\nabout  a soup o…\n\nid     22\nname   Bún\n"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in 12..60 {
            for fit in [Fit::Shorten, Fit::Wrap] {
                let text = shown(fit, Some(width));
                assert!(text.lines().all(|line| line.width() <= width.max(15)), "{width}:\n{text}");
            }
        }
    }

    #[test]
    fn long_words_are_broken_and_wide_letters_counted() {
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
        assert_eq!(shortened("日本語", 4), "日…");
        assert_eq!(wrapped("", 4), [""]);
    }
}
