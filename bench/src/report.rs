//! Tables of medians and ratios, for people, and a JSON file, for programs.

use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::clock::{amz_date, unix_seconds};
use crate::process::{load_average, machine};

/// Writes a line to the standard output. It can be closed, as by `| head`: then the function returns [`OutputClosed`], servers
/// are stopped on the way out, and the program ends quietly.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::report::write_line(format_args!($($text)*))?
    };
}
pub(crate) use say;

/// Nobody reads the standard output any more.
#[derive(Debug)]
pub(crate) struct OutputClosed;

impl fmt::Display for OutputClosed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the standard output is closed")
    }
}

impl std::error::Error for OutputClosed {}

/// What `say!` does.
pub(crate) fn write_line(text: fmt::Arguments<'_>) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(OutputClosed.into()),
        written => Ok(written?),
    }
}

/// Where and when a report was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) machine: String,
    pub(crate) load_average: f64,
}

impl About {
    /// This machine, now.
    pub(crate) fn now() -> Self {
        Self {
            date: amz_date(unix_seconds()),
            commit: commit().unwrap_or_else(|| "unknown".to_owned()),
            machine: machine(),
            load_average: load_average(),
        }
    }
}

fn commit() -> Option<String> {
    let output =
        Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=10"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

/// Writes a JSON file named after what was measured and when; gives its path.
pub(crate) fn write_json(
    folder: &Path,
    name: &str,
    about: &About,
    found: &impl Serialize,
) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{name}-{}.json", about.date));
    let text = serde_json::to_string_pretty(&serde_json::json!({"about": about, "found": found}))?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// The middle of some figures, or the mean of the two in the middle.
pub(crate) fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let upper = figures.get(middle)?;
    if figures.len() % 2 == 1 {
        return Some(*upper);
    }
    Some(f64::midpoint(*upper, *figures.get(middle.checked_sub(1)?)?))
}

/// A figure as people read it: `12,345`, `678`, `9.1`.
pub(crate) fn count(figure: f64) -> String {
    if figure < 99.95 {
        return format!("{figure:.1}");
    }
    let digits = format!("{figure:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A Markdown table with aligned columns.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub(crate) fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self { rows: vec![headings.map(str::to_owned).to_vec()] }
    }

    /// Adds headings.
    pub(crate) fn columns<'a>(&mut self, headings: impl Iterator<Item = &'a str>) {
        if let Some(first) = self.rows.first_mut() {
            first.extend(headings.map(str::to_owned));
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, name: impl Into<String>, cells: impl Iterator<Item = String>) {
        self.rows.push(std::iter::once(name.into()).chain(cells).collect());
    }

    /// The table as text.
    pub(crate) fn text(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|text| text.chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut out = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, (text, width)) in row.iter().zip(&widths).enumerate() {
                let pad = " ".repeat(width - text.chars().count().min(*width));
                out += &if column == 0 { format!("| {text}{pad} ") } else { format!("| {pad}{text} ") };
            }
            out += "|\n";
            if number == 0 {
                for (column, width) in widths.iter().enumerate() {
                    out += &if column == 0 {
                        format!("|{}", "-".repeat(width + 2))
                    } else {
                        format!("|{}:", "-".repeat(width + 1))
                    };
                }
                out += "|\n";
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, count, median};

    #[test]
    fn median_of_even_odd_and_no_figures() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (figure, text) in [(9.14, "9.1"), (99.96, "100"), (999.6, "1,000"), (1_234_567.0, "1,234,567")] {
            assert_eq!(count(figure), text);
        }
    }

    #[test]
    fn tables_are_aligned_markdown() {
        let mut table = Table::new(["a", "long heading"]);
        table.row("wider", ["µ".to_owned()].into_iter());
        let text = table.text();
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths.len(), 3);
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
    }
}
