//! The difference of two texts in the format of `diff -u`.

use std::fmt::Write as _;

/// Unchanged lines around each change.
const CONTEXT_LINES: usize = 3;
/// Pairs of lines that may be compared. Larger differences are shown as a replacement.
const PAIRS_MAX: usize = 4_000_000;

/// A line of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// The difference between two texts; empty if they are equal.
pub fn difference(file: &str, old: &str, new: &str) -> String {
    let lines = compared(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let changed: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Line::Same(_)))
        .map(|(at, _)| at)
        .collect();
    let mut text = String::new();
    let mut from = 0;
    while let Some(first) = changed.get(from) {
        // Changes whose context overlaps are one hunk.
        let near = changed.get(from..).unwrap_or_default();
        let gaps = near.iter().zip(near.iter().skip(1));
        let more = gaps.take_while(|(one, next)| *next - *one <= 2 * CONTEXT_LINES).count();
        let last = near.get(more).copied().unwrap_or(*first);
        let start = first.saturating_sub(CONTEXT_LINES);
        let end = (last + CONTEXT_LINES + 1).min(lines.len());
        if text.is_empty() {
            // Writing into a string can't fail.
            let _ = writeln!(text, "--- {file}\n+++ {file}");
        }
        hunk(&mut text, &lines, start, end);
        from += more + 1;
    }
    text
}

fn hunk(text: &mut String, lines: &[Line<'_>], start: usize, end: usize) {
    let count = |lines: &[Line<'_>]| {
        let old = lines.iter().filter(|line| !matches!(line, Line::Added(_))).count();
        (old, lines.iter().filter(|line| !matches!(line, Line::Removed(_))).count())
    };
    let (before, shown) = (lines.get(..start).unwrap_or_default(), lines.get(start..end).unwrap_or_default());
    let ((old_start, new_start), (old, new)) = (count(before), count(shown));
    let _ = writeln!(text, "@@ -{},{old} +{},{new} @@", old_start + 1, new_start + 1);
    for line in shown {
        let _ = match line {
            Line::Same(line) => writeln!(text, " {line}"),
            Line::Removed(line) => writeln!(text, "-{line}"),
            Line::Added(line) => writeln!(text, "+{line}"),
        };
    }
}

/// Both texts as one list, with as many equal lines as possible.
fn compared<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let old_middle = old_rest.get(..old_rest.len() - tail).unwrap_or_default();
    let new_middle = new_rest.get(..new_rest.len() - tail).unwrap_or_default();
    let mut lines: Vec<Line<'a>> = old.iter().take(head).map(|line| Line::Same(line)).collect();
    lines.extend(middle(old_middle, new_middle));
    lines.extend(old_rest.iter().skip(old_middle.len()).map(|line| Line::Same(line)));
    lines
}

/// The longest common subsequence, from a table of its lengths after each pair of lines.
fn middle<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let width = new.len() + 1;
    if old.len().saturating_mul(width) > PAIRS_MAX {
        let removed = old.iter().map(|line| Line::Removed(line));
        return removed.chain(new.iter().map(|line| Line::Added(line))).collect();
    }
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let at = |lengths: &[u32], row: usize, column: usize| {
        lengths.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, old_line) in old.iter().enumerate().rev() {
        for (column, new_line) in new.iter().enumerate().rev() {
            let length = if old_line == new_line {
                at(&lengths, row + 1, column + 1) + 1
            } else {
                at(&lengths, row + 1, column).max(at(&lengths, row, column + 1))
            };
            if let Some(cell) = lengths.get_mut(row * width + column) {
                *cell = length;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut lines = Vec::with_capacity(old.len().max(new.len()));
    loop {
        match (old.get(row), new.get(column)) {
            (Some(one), Some(other)) if one == other => {
                lines.push(Line::Same(one));
                (row, column) = (row + 1, column + 1);
            }
            (Some(one), other)
                if other.is_none() || at(&lengths, row + 1, column) >= at(&lengths, row, column + 1) =>
            {
                lines.push(Line::Removed(one));
                row += 1;
            }
            (_, Some(other)) => {
                lines.push(Line::Added(other));
                column += 1;
            }
            (_, None) => return lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_changes_with_the_lines_around_them() {
        let old: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let new = old.replace("line 10\n", "line ten\nline ten and a half\n").replace("line 20\n", "");
        let expected = "--- a\n+++ a\n@@ -7,7 +7,8 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n\
                        +line ten and a half\n line 11\n line 12\n line 13\n@@ -17,4 +18,3 @@\n line 17\n line 18\n \
                        line 19\n-line 20\n";
        assert_eq!(difference("a", &old, &new), expected);
    }

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(difference("a", "one\ntwo\n", "one\ntwo\n"), "");
    }
}
