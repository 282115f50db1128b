//! Checks a tree against the description of the language: unknown keys, values of the wrong kind, missing keys.

use super::language::{Construct, DESIGN, Key, PATTERN, STEP, Shape, Variant, Variants};
use super::mistakes::Mistakes;
use super::tree::{Entry, Node, Value};
use super::words::{NEW_WORDS, NewWord};
use crate::names::{self, nearest};

/// Checks a whole file.
pub(super) fn check_file(root: &Node, mistakes: &Mistakes) {
    Checker { mistakes, words: NEW_WORDS }.construct(&DESIGN, root, "the design");
}

/// Checks a value; messages call it `what`.
pub(crate) fn check(shape: &Shape, node: &Node, what: &str, mistakes: &Mistakes) {
    Checker { mistakes, words: NEW_WORDS }.value(shape, node, what);
}

/// Returns whether the `table` of a design holds several tables.
pub(crate) fn are_several(table: &Node) -> bool {
    table.table().is_some_and(|entries| {
        !entries.is_empty() && entries.iter().all(|entry| matches!(entry.node.value, Value::Table(_)))
    })
}

/// Words of other systems and their equivalents in the language.
const SYNONYMS: &[(&str, &str)] = &[
    ("text", "string"),
    ("enum", "string"),
    ("integer", "int"),
    ("float", "number"),
    ("decimal", "number"),
    ("boolean", "bool"),
    ("bytes", "binary"),
    ("datetime", "time"),
    ("timestamp", "time"),
    ("uuid", "id"),
    ("ulid", "id"),
    ("array", "list"),
    ("json", "any"),
    ("latest", "newest"),
    ("descending", "newest"),
    ("ascending", "oldest"),
];

struct Checker<'a> {
    mistakes: &'a Mistakes,
    /// The words that have changed.
    words: &'a [NewWord],
}

impl Checker<'_> {
    fn value(&self, shape: &Shape, node: &Node, what: &str) {
        if self.mistakes.is_full() {
            return;
        }
        match (shape, &node.value) {
            (Shape::Either(alternatives), _) => self.either(alternatives, node, what),
            (Shape::Text(_) | Shape::Form(..), Value::Text(_)) | (Shape::Bool, Value::Bool(_)) => {}
            (Shape::Word(words), Value::Text(text)) => self.word(words, text, node, what),
            (Shape::Whole(least, most), Value::Number(_)) => {
                if !node.whole().is_some_and(|number| (*least..=*most).contains(&number)) {
                    self.mistakes.add(node.span, format!("{what} must be {}", expected(shape)));
                }
            }
            (Shape::Whole(..) | Shape::Number | Shape::Constant, Value::OddNumber) => {
                self.mistakes
                    .add(node.span, "a number must have at most 38 digits and be between -1E126 and 1E126");
            }
            (Shape::Number, Value::Number(_)) => {}
            (Shape::Constant, Value::List(elements)) => {
                elements.iter().for_each(|element| self.value(shape, element, what));
            }
            (Shape::Constant, Value::Table(entries)) => {
                entries.iter().for_each(|entry| self.value(shape, &entry.node, what));
            }
            (Shape::Constant, _) => {}
            (Shape::List(fewest, of), Value::List(elements)) => {
                if elements.len() < *fewest {
                    self.mistakes.add(node.span, format!("{what} can't be empty"));
                }
                elements.iter().for_each(|element| self.value(of, element, &format!("an entry of {what}")));
            }
            (Shape::Named(kind, of), Value::Table(entries)) => {
                for Entry { name, node, .. } in entries {
                    self.value(of, node, &format!("{kind} `{name}`"));
                }
            }
            (Shape::Table(construct), Value::Table(_)) => self.construct(construct, node, what),
            _ => {
                let message = format!("{what} must be {}, not {}", expected(shape), node.kind());
                self.mistakes.add(node.span, message);
            }
        }
    }

    /// Checks the value against the alternative for its kind.
    fn either(&self, alternatives: &'static [Shape], node: &Node, what: &str) {
        match chosen(alternatives, node) {
            // The word alone is the type of a field.
            Some(Shape::Word(words)) if alternatives.iter().any(is_typed) => {
                self.word(words, node.text().unwrap_or_default(), node, &format!("the type of {what}"));
            }
            Some(shape) => self.value(shape, node, what),
            None => {
                let message =
                    format!("{what} must be {}, not {}", expected_either(alternatives), node.kind());
                self.mistakes.add(node.span, message);
            }
        }
        // Some types need further keys, which a word alone can't give.
        for alternative in alternatives {
            if let (Shape::Table(Construct { variants: Variants::ByType(kinds), .. }), Some(word)) =
                (alternative, node.text())
            {
                let kind = kinds.iter().find(|kind| kind.name == word);
                for key in kind.iter().flat_map(|kind| kind.keys).filter(|key| key.required) {
                    let message = format!("{what} of type `{word}` needs `{}`: {}", key.name, key.about);
                    let help = format!("write `{{ type = \"{word}\", {} = … }}`", key.name);
                    self.mistakes.add_with_help(node.span, message, help);
                }
            }
        }
    }

    fn word(&self, words: &[(&str, &str)], text: &str, node: &Node, what: &str) {
        if !words.iter().any(|(word, _)| *word == text) {
            let synonym = SYNONYMS
                .iter()
                .find(|(other, word)| *other == text && words.iter().any(|(known, _)| known == word));
            let help = match synonym {
                Some((_, word)) => format!("use `{word}`"),
                None => names::help_of(text, "values", words.iter().map(|(word, _)| *word)),
            };
            self.mistakes.add_with_help(node.span, format!("{what} can't be `{text}`"), help);
        }
    }

    fn construct(&self, construct: &Construct, node: &Node, what: &str) {
        let entries = node.table().unwrap_or_default();
        let kinds = self.kinds(construct, node, what);
        for entry in entries {
            match find_key(construct, &kinds, &entry.name) {
                Some(shape) => self.value(shape, &entry.node, &format!("`{}`", entry.name)),
                // These keys are names of indexes, which are checked once the tables are known.
                None if construct.others.is_some() => {}
                None => self.unknown(construct, &kinds, entry, what),
            }
        }
        let further = match kinds.as_slice() {
            [kind] => kind.keys,
            _ => &[],
        };
        for key in construct.keys.iter().chain(further).filter(|key| key.required) {
            if !entries.iter().any(|entry| entry.name == key.name) {
                self.missing(key, node, what);
            }
        }
    }

    /// Returns the kinds that the construct may be: one, or all of them after a mistake.
    fn kinds(&self, construct: &Construct, node: &Node, what: &str) -> Vec<&'static Variant> {
        let entries = node.table().unwrap_or_default();
        match construct.variants {
            Variants::None => Vec::new(),
            Variants::ByType(kinds) => {
                let word = node.text_of("type");
                let found: Vec<&Variant> = kinds.iter().filter(|kind| Some(kind.name) == word).collect();
                if found.is_empty() { kinds.iter().collect() } else { found }
            }
            Variants::ByKey(kinds) => {
                let given: Vec<(&Variant, &Entry)> = entries
                    .iter()
                    .filter_map(|entry| Some((kinds.iter().find(|kind| kind.name == entry.name)?, entry)))
                    .collect();
                match given.as_slice() {
                    [(kind, _)] => return vec![*kind],
                    // A misspelt word is reported as an unknown key.
                    [] if entries.iter().any(|entry| is_misspelt(construct, &entry.name)) => {}
                    [] => {
                        let words: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
                        let message = format!("{what} has no {}", kind_name(construct));
                        self.mistakes.add_with_help(
                            node.span,
                            message,
                            format!("add {}", names::list_or(&words)),
                        );
                    }
                    [(first, _), .., (_, last)] => {
                        let message = format!("`{}` and `{}` can't be used together", first.name, last.name);
                        self.mistakes.add_with_help(
                            last.span,
                            message,
                            format!("{what} must have exactly one {}", kind_name(construct)),
                        );
                    }
                }
                kinds.iter().collect()
            }
        }
    }

    fn unknown(&self, construct: &Construct, kinds: &[&Variant], entry: &Entry, what: &str) {
        let name = entry.name.as_str();
        if let Some(new) = self.words.iter().find_map(|word| word.name_of(construct.id, name)) {
            // Without the new word, the old one would have been replaced before.
            let message = format!("`{name}` is called `{new}` now, and `{new}` is also given");
            self.mistakes.add_with_help(entry.span, message, format!("remove `{name}`"));
            return;
        }
        let homes: Vec<&str> = construct
            .kinds()
            .iter()
            .filter(|kind| kind.keys.iter().any(|key| key.name == name))
            .map(|kind| kind.name)
            .collect();
        let is_of_step = construct.id == "inline" && STEP.key(name).is_some();
        if let ([kind], false, false) = (kinds, homes.is_empty(), is_of_step) {
            let message = format!("`{name}` can't be used with `{}`", kind.name);
            self.mistakes.add_with_help(
                entry.span,
                message,
                format!("it can be used with {}", names::list(&homes)),
            );
            return;
        }
        let own = construct.keys.iter().chain(kinds.iter().flat_map(|kind| kind.keys)).map(|key| key.name);
        let words = match construct.variants {
            Variants::ByKey(words) => words,
            _ => &[],
        };
        let candidates = own.chain(words.iter().map(|word| word.name));
        let help = match (construct.id, &entry.node.value) {
            _ if is_of_step => {
                "write the pattern under `run`: `{ run = { update = \"…\" }, with = { … } }`".to_owned()
            }
            ("inline", _) if PATTERN.key(name).is_some() => {
                format!("only a pattern with a name of its own can have `{name}`")
            }
            ("table", Value::Table(_)) => {
                "to define several tables, give each a header `[table.NAME]` and its own `key`".to_owned()
            }
            _ => names::help_of(name, "keys", candidates),
        };
        self.mistakes.add_with_help(entry.span, format!("unknown key `{name}` in {what}"), help);
    }

    fn missing(&self, key: &Key, node: &Node, what: &str) {
        let message = match key.name {
            "key" => format!("{what} needs a `key`"),
            _ => format!("{what} needs `{}`: {}", key.name, key.about),
        };
        let help = match key.takes {
            Shape::Table(_) | Shape::Named(..) => {
                format!("add `{} = {{ … }}`, or a section with a header", key.name)
            }
            _ if key.name == "key" => "add a key, such as `key = [\"PK\", \"SK\"]`".to_owned(),
            _ if key.name == "table" => {
                "add a section `[table]` with a key, such as `key = [\"PK\", \"SK\"]`".to_owned()
            }
            _ => format!("add `{} = …`, where the value is {}", key.name, expected(&key.takes)),
        };
        self.mistakes.add_with_help(node.span, message, help);
    }
}

/// Returns the alternative for the kind of a value.
pub(super) fn chosen(alternatives: &'static [Shape], node: &Node) -> Option<&'static Shape> {
    let fits = |shape: &&Shape| match (shape, &node.value) {
        (Shape::Text(_) | Shape::Form(..) | Shape::Word(_), Value::Text(_)) => true,
        (Shape::List(..), Value::List(_)) => true,
        (Shape::Named("table", _), Value::Table(_)) => are_several(node),
        (Shape::Table(construct), Value::Table(_)) => construct.id != "table" || !are_several(node),
        (Shape::Named(..), Value::Table(_)) => true,
        _ => false,
    };
    let mut fitting = alternatives.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(Shape::Table(first)), Some(other)) if first.id == "inline" && node.get("run").is_some() => {
            Some(other)
        }
        (first, _) => first,
    }
}

/// Returns what a key takes in a construct, whatever its kind is.
pub(super) fn value_of(construct: &'static Construct, name: &str) -> Option<&'static Shape> {
    let kinds: Vec<&Variant> = construct.kinds().iter().collect();
    find_key(construct, &kinds, name).or(construct.others)
}

/// Returns whether the table is a construct whose kind is the value of its key `type`.
fn is_typed(shape: &Shape) -> bool {
    matches!(shape, Shape::Table(Construct { variants: Variants::ByType(_), .. }))
}

/// Returns what messages call the key that decides the kind of a construct.
fn kind_name(construct: &Construct) -> &'static str {
    match construct.id {
        "pattern" | "inline" => "operation",
        "derivation" => "effect",
        "who" => "rule",
        _ => "cardinality",
    }
}

/// Returns whether an unknown key resembles one of the keys that decide the construct's kind.
fn is_misspelt(construct: &Construct, name: &str) -> bool {
    let further = construct.kinds().iter().flat_map(|kind| kind.keys);
    let known = construct.keys.iter().chain(further).any(|key| key.name == name);
    !known && nearest(name, construct.kinds().iter().map(|kind| kind.name)).is_some()
}

/// Returns what a key takes in a construct of one of these kinds.
fn find_key(construct: &Construct, kinds: &[&'static Variant], name: &str) -> Option<&'static Shape> {
    let own = construct.key(name).map(|key| &key.takes);
    let word = || match construct.variants {
        Variants::ByKey(words) => words.iter().find(|word| word.name == name).map(|word| &word.takes),
        _ => None,
    };
    let further =
        || kinds.iter().flat_map(|kind| kind.keys).find(|key| key.name == name).map(|key| &key.takes);
    own.or_else(word).or_else(further)
}

/// Describes the values of a shape, for messages.
pub(crate) fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Text(what) | Shape::Form(what, _) => format!("a string ({what})"),
        Shape::Bool => "`true` or `false`".to_owned(),
        Shape::Whole(least, most) if *most == u64::from(u32::MAX) => format!("an integer from {least}"),
        Shape::Whole(least, most) => format!("an integer from {least} to {most}"),
        Shape::Number => "a number".to_owned(),
        Shape::Word(words) => {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            names::list_or(&words)
        }
        Shape::Constant => "a value".to_owned(),
        Shape::List(_, Shape::Text(what)) => format!("a list of strings ({what} each)"),
        Shape::List(..) => "a list".to_owned(),
        Shape::Named(..) | Shape::Table(_) => "a table".to_owned(),
        Shape::Either(alternatives) => expected_either(alternatives),
    }
}

fn expected_either(alternatives: &[Shape]) -> String {
    let mut words: Vec<String> = alternatives.iter().map(expected).collect();
    words.dedup();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} or {last}", words.join(", ")) }
}
