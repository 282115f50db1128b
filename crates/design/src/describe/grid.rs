//! Tables of text.

use std::fmt::Write;

use crate::json::Json;

/// A table of text with a title; every row has as many cells as there are columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The title.
    pub title: String,
    /// The headings.
    pub columns: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// Creates a grid without rows.
    pub(super) fn new(title: String, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Grid { title, columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Returns the grid without the columns that are empty in every row.
    pub(super) fn without_empty_columns(mut self) -> Self {
        let is_used =
            |column: usize| self.rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()));
        let used: Vec<bool> = (0..self.columns.len()).map(|column| column == 0 || is_used(column)).collect();
        self.keep_columns(&used);
        self
    }

    /// Returns the table without the column of that name.
    pub fn without_column(mut self, name: &str) -> Self {
        let kept: Vec<bool> = self.columns.iter().map(|column| column != name).collect();
        self.keep_columns(&kept);
        self
    }

    /// Removes the columns whose element of `kept` is false.
    fn keep_columns(&mut self, kept: &[bool]) {
        let keep = |cells: &mut Vec<String>| {
            let mut kept = kept.iter();
            cells.retain(|_| kept.next().copied().unwrap_or(true));
        };
        keep(&mut self.columns);
        self.rows.iter_mut().for_each(keep);
    }

    /// Returns aligned columns for a terminal, with a line under the headings.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| self.lines().filter_map(|cells| cells.get(column)).map(|cell| width(cell)).max())
            .map(Option::unwrap_or_default)
            .collect();
        let mut out = String::new();
        for (line, cells) in self.lines().enumerate() {
            write_aligned(&mut out, cells, &widths);
            if line == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                write_aligned(&mut out, &rules, &widths);
            }
        }
        out
    }

    /// Returns a Markdown table.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        for (line, cells) in self.lines().enumerate() {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            // Writing to a string can't fail.
            let _ = writeln!(out, "| {} |", cells.join(" | "));
            if line == 0 {
                let _ = writeln!(out, "|{}", "---|".repeat(cells.len()));
            }
        }
        out
    }

    /// Returns the rows as a list of objects without the empty cells.
    pub fn to_json(&self) -> Json {
        let row = |cells: &Vec<String>| {
            let members = self.columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
            Json::Object(members.map(|(name, cell)| (name.clone(), Json::from(cell.as_str()))).collect())
        };
        Json::List(self.rows.iter().map(row).collect())
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.columns).chain(&self.rows)
    }
}

fn write_aligned(out: &mut String, cells: &[String], widths: &[usize]) {
    let start = out.len();
    for (position, (cell, wanted)) in cells.iter().zip(widths).enumerate() {
        if position > 0 {
            out.push_str("  ");
        }
        out.push_str(cell);
        out.extend(std::iter::repeat_n(' ', wanted.saturating_sub(width(cell))));
    }
    let end = out.get(start..).unwrap_or_default().trim_end().len();
    out.truncate(start + end);
    out.push('\n');
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// Escapes text for a cell, because keys and templates contain characters with a meaning in Markdown.
fn escaped(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    for character in cell.chars() {
        match character {
            '|' | '\\' | '*' | '_' | '`' | '<' | '#' | '[' => {
                out.push('\\');
                out.push(character);
            }
            '\n' | '\r' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}
