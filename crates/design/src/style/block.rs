//! The keys of a section: their order, and the columns of `=` and of comments.

use toml_edit::{Item, Key, Table, Value};
use unicode_width::UnicodeWidthStr;

use super::{blank_lines, order};
use crate::syntax::language::Construct;

/// A key with a value on the lines of a section.
#[derive(Debug)]
struct Line {
    name: String,
    /// The width of the key.
    width: usize,
    /// The detached comments and blank lines before it, which stay where they are when keys move.
    before: String,
    /// The comments directly above it, which move with it.
    comments: String,
    /// The column of a comment behind the value, before the layout.
    column: Option<usize>,
}

/// Lays out the keys of one section; `tidy` lays out a value.
pub(super) fn lay_out(
    section: &mut Table,
    construct: Option<&'static Construct>,
    tidy: impl Fn(&str, &mut Value),
) {
    // The keys of a section with dotted keys aren't all its own.
    if section.iter().any(|(_, item)| item.as_table().is_some_and(Table::is_dotted)) {
        return;
    }
    let mut groups = groups(section);
    for (name, item) in section.iter_mut() {
        if let Item::Value(value) = item {
            tidy(name.get(), value);
        }
    }
    for group in &mut groups {
        if let Some(construct) = construct {
            sort(group, construct);
        }
        align(section, group);
    }
    let names: Vec<&String> = groups.iter().flatten().map(|line| &line.name).collect();
    let place = |key: &Key| names.iter().position(|name| *name == key.get()).unwrap_or(usize::MAX);
    section.sort_values_by(|one, _, other, _| place(one).cmp(&place(other)));
}

/// Returns the keys of a section in groups, which blank lines separate.
fn groups(section: &Table) -> Vec<Vec<Line>> {
    let mut groups: Vec<Vec<Line>> = Vec::new();
    for (name, item) in section.iter() {
        let (Some((key, _)), Item::Value(value)) = (section.get_key_value(name), item) else { continue };
        let line = line(key, value);
        match groups.last_mut() {
            Some(group) if line.before.is_empty() => group.push(line),
            _ => groups.push(vec![line]),
        }
    }
    // No blank line follows a header.
    if let Some(first) = groups.first_mut().and_then(|group| group.first_mut()) {
        first.before = first.before.trim_start_matches('\n').to_owned();
    }
    groups
}

fn line(key: &Key, value: &Value) -> Line {
    let decor =
        |raw: Option<&toml_edit::RawString>| raw.and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
    let above = blank_lines(&decor(key.leaf_decor().prefix()));
    let split = if above.starts_with('\n') && !above.contains("\n\n") {
        1
    } else {
        above.rfind("\n\n").map_or(0, |at| at + 2)
    };
    let (before, comments) = above.split_at_checked(split).unwrap_or(("", &above));
    let width = key.as_repr().and_then(|raw| raw.as_raw().as_str()).unwrap_or(key.get()).width();
    let between = decor(key.leaf_decor().suffix()).width() + 1 + decor(value.decor().prefix()).width();
    let behind = decor(value.decor().suffix());
    let space = behind.len() - behind.trim_start().len();
    let is_commented = !behind.trim().is_empty();
    Line {
        name: key.get().to_owned(),
        width,
        before: before.to_owned(),
        comments: comments.to_owned(),
        column: is_commented.then(|| width + between + last_width(value) + space),
    }
}

/// Returns the width of the last line of a value.
fn last_width(value: &Value) -> usize {
    bare(value).rsplit('\n').next().unwrap_or_default().width()
}

/// Returns the text of a value without what is around it.
fn bare(value: &Value) -> String {
    let mut value = value.clone();
    value.decor_mut().clear();
    value.decor_mut().set_prefix("");
    value.decor_mut().set_suffix("");
    value.to_string()
}

/// Sorts the keys of a group. The blank lines before the group stay before it.
fn sort(group: &mut [Line], construct: &'static Construct) {
    let before = group.first_mut().map(|line| std::mem::take(&mut line.before)).unwrap_or_default();
    group.sort_by_key(|line| order::place(construct, &line.name));
    if let Some(first) = group.first_mut() {
        first.before = before;
    }
}

/// Puts the `=` of a group into one column, and the comments behind values into theirs.
fn align(section: &mut Table, group: &[Line]) {
    let widest = group.iter().map(|line| line.width).max().unwrap_or_default();
    let ends: Vec<usize> = group
        .iter()
        .map(|line| {
            let value = section.get(&line.name).and_then(Item::as_value);
            let width = value.map(last_width).unwrap_or_default();
            let is_one_line = value.is_some_and(|value| !bare(value).contains('\n'));
            if is_one_line { widest + 3 + width } else { width }
        })
        .collect();
    let wanted = |line: &Line, end: usize| line.column.map(|column| column.max(end + 1));
    let columns: Vec<Option<usize>> = group.iter().zip(&ends).map(|(line, end)| wanted(line, *end)).collect();
    // Comments that stood in one column stay in one.
    let mut present = group.iter().filter_map(|line| line.column);
    let first = present.next();
    let are_aligned = present.all(|column| Some(column) == first);
    let common = if are_aligned { columns.iter().copied().max().flatten() } else { None };
    for ((line, end), column) in group.iter().zip(ends).zip(columns) {
        let Some((mut key, item)) = section.get_key_value_mut(&line.name) else { continue };
        key.leaf_decor_mut().set_prefix(format!("{}{}", line.before, line.comments));
        key.leaf_decor_mut().set_suffix(" ".repeat(widest - line.width.min(widest) + 1));
        let Item::Value(value) = item else { continue };
        let behind = value.decor().suffix().and_then(|raw| raw.as_str()).unwrap_or_default().trim_start();
        let behind = match column {
            Some(column) => format!("{}{behind}", " ".repeat(common.unwrap_or(column) - end)),
            None => String::new(),
        };
        value.decor_mut().set_prefix(" ");
        value.decor_mut().set_suffix(behind);
    }
}
