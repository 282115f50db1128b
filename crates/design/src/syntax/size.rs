//! Checks the size of a file before it is resolved, so that a hostile file costs little time and memory.

use super::mistakes::Mistakes;
use super::tree::{Entry, Node, Value};
use crate::limits::{
    ENTITIES_MAX, FIELD_LEVELS_MAX, FIELDS_MAX, FILE_BYTES_MAX, INDEXES_MAX, KEYS_MAX, LINES_MAX,
    LIST_VALUES_MAX, NAME_BYTES_MAX, PATTERNS_MAX, TABLES_MAX, number,
};
use crate::report::Span;

/// Characters of a long name that messages show.
const NAME_SHOWN: usize = 40;

/// Checks the length of a file. Returns `false` after a mistake.
pub(super) fn check_length(source: &str, mistakes: &Mistakes) -> bool {
    let breaks = || source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    let (start, max, unit, count) = if source.len() > FILE_BYTES_MAX {
        let start = (0..=FILE_BYTES_MAX).rev().find(|at| source.is_char_boundary(*at)).unwrap_or_default();
        (start, FILE_BYTES_MAX, "bytes", source.len())
    } else if let Some(start) = breaks().nth(LINES_MAX) {
        (start, LINES_MAX, "lines", breaks().count())
    } else {
        return true;
    };
    let message = beyond("the file", max, unit, count);
    mistakes.add_with_help(Span { start, end: start }, message, "split it into several designs");
    false
}

/// Checks the sizes of everything in a file. Returns `false` after a mistake.
pub(super) fn check_tree(root: &Node, mistakes: &Mistakes) -> bool {
    let before = mistakes.count();
    let sizes = Sizes { mistakes };
    sizes.node(root, None, 0);
    sizes.entries(root.entries("table"), "the design", TABLES_MAX, "tables");
    sizes.entries(root.entries("index"), "the table", INDEXES_MAX, "indexes");
    for table in root.entries("table") {
        let what = format!("the table `{}`", shown(&table.name));
        sizes.entries(table.node.entries("index"), &what, INDEXES_MAX, "indexes");
    }
    sizes.entries(root.entries("entity"), "the design", ENTITIES_MAX, "entities");
    sizes.entries(root.entries("pattern"), "the design", PATTERNS_MAX, "patterns");
    for entity in root.entries("entity") {
        let mut fields = Vec::new();
        sizes.fields(entity.node.entries("fields"), 1, &mut fields);
        let what = format!("`{}`", shown(&entity.name));
        sizes.count(fields.len(), fields.get(FIELDS_MAX).copied(), &what, FIELDS_MAX, "fields");
    }
    mistakes.count() == before
}

struct Sizes<'a> {
    mistakes: &'a Mistakes,
}

impl Sizes<'_> {
    /// Checks names, lists and tables. `name` is the key of the value, and `level` the number of tables around it.
    fn node(&self, node: &Node, name: Option<&str>, level: usize) {
        if self.mistakes.is_full() {
            return;
        }
        match &node.value {
            Value::List(values) => {
                let what = name.map_or_else(|| "a list".to_owned(), |name| format!("`{}`", shown(name)));
                let beyond = values.get(LIST_VALUES_MAX).map(|value| value.span);
                let unit = if name == Some("enum") { "enum values" } else { "values" };
                self.count(values.len(), beyond, &what, LIST_VALUES_MAX, unit);
                values.iter().for_each(|value| self.node(value, name, level + 1));
            }
            Value::Table(entries) => {
                let has_own_limit = match name {
                    Some("entity" | "pattern") => level == 1,
                    Some("fields") => true,
                    _ => false,
                };
                if !has_own_limit {
                    let what = name.map_or_else(|| "a table".to_owned(), |name| format!("`{}`", shown(name)));
                    self.entries(entries, &what, KEYS_MAX, "keys");
                }
                for entry in entries {
                    self.name(entry);
                    self.node(&entry.node, Some(&entry.name), level + 1);
                }
            }
            _ => {}
        }
    }

    fn name(&self, entry: &Entry) {
        if entry.name.len() > NAME_BYTES_MAX {
            let what = format!("the name `{}`", shown(&entry.name));
            let message = beyond(&what, NAME_BYTES_MAX, "bytes", entry.name.len());
            self.mistakes.add_with_help(entry.span, message, "use a shorter name");
        }
    }

    /// Gathers the positions of fields and of those inside them, and checks how deep they are nested.
    fn fields(&self, entries: &[Entry], level: usize, found: &mut Vec<Span>) {
        for entry in entries {
            found.push(entry.span);
            self.kind(&entry.node, level, found);
        }
    }

    fn kind(&self, node: &Node, level: usize, found: &mut Vec<Span>) {
        if level > FIELD_LEVELS_MAX {
            let message = format!("fields can be nested at most {FIELD_LEVELS_MAX} levels deep");
            self.mistakes.add_with_help(node.span, message, "use fewer objects and lists inside one another");
            return;
        }
        self.fields(node.entries("fields"), level + 1, found);
        if let Some(of) = node.get("of") {
            self.kind(of, level + 1, found);
        }
    }

    fn entries(&self, entries: &[Entry], what: &str, max: usize, unit: &str) {
        self.count(entries.len(), entries.get(max).map(|entry| entry.span), what, max, unit);
    }

    /// Adds a mistake if there are more than allowed; `first_beyond` is the position of the first one too many.
    fn count(&self, count: usize, first_beyond: Option<Span>, what: &str, max: usize, unit: &str) {
        if let Some(place) = first_beyond.filter(|_| count > max) {
            let help = match unit {
                "entities" | "patterns" | "tables" => "split it into several designs",
                "enum values" => "use a string without `enum`",
                _ => "remove some of them",
            };
            self.mistakes.add_with_help(place, beyond(what, max, unit, count), help);
        }
    }
}

fn beyond(what: &str, max: usize, unit: &str, count: usize) -> String {
    format!("{what} has {} {unit}, but at most {} are allowed", number(count), number(max))
}

/// Returns the beginning of a name that may be very long.
fn shown(name: &str) -> String {
    match name.char_indices().nth(NAME_SHOWN) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}
