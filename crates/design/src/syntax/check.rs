//! Holds a tree against the description of the language: unknown keys, wrong kinds of values, what is missing.

use super::language::{Construct, DESIGN, Key, Shape, Variant, Variants};
use super::mistakes::Mistakes;
use super::tree::{Entry, Node, Value};
use crate::names::{self, nearest};

/// Checks a whole file.
pub(super) fn check_file(root: &Node, mistakes: &Mistakes) {
    Checker { mistakes }.construct(&DESIGN, root, "a design");
}

/// Checks a value; `what` is what messages call it.
pub(crate) fn check(shape: &Shape, node: &Node, what: &str, mistakes: &Mistakes) {
    Checker { mistakes }.value(shape, node, what);
}

/// Whether the `table` of a design holds several tables.
pub(crate) fn are_several(table: &Node) -> bool {
    table.table().is_some_and(|entries| {
        !entries.is_empty() && entries.iter().all(|entry| matches!(entry.node.value, Value::Table(_)))
    })
}

/// Words that other systems have for ours.
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
}

impl Checker<'_> {
    fn value(&self, shape: &Shape, node: &Node, what: &str) {
        match (shape, &node.value) {
            (Shape::Either(alternatives), _) => self.either(alternatives, node, what),
            (Shape::Text(_) | Shape::Form(..), Value::Text(_)) | (Shape::Bool, Value::Bool(_)) => {}
            (Shape::Word(words), Value::Text(text)) => self.word(words, text, node, what),
            (Shape::Whole(least, most), Value::Number(_)) => {
                if !node.whole().is_some_and(|number| (*least..=*most).contains(&number)) {
                    self.mistakes.add(node.span, format!("{what} takes {}", expected(shape)));
                }
            }
            (Shape::Whole(..) | Shape::Number | Shape::Constant, Value::OddNumber) => {
                self.mistakes
                    .add(node.span, "a number has at most 38 digits and lies between -1E126 and 1E126");
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
                    self.mistakes.add(node.span, format!("{what} is empty"));
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
                let message = format!("{what} takes {}, not {}", expected(shape), node.kind());
                self.mistakes.add(node.span, message);
            }
        }
    }

    /// Takes the alternative that the kind of value tells.
    fn either(&self, alternatives: &'static [Shape], node: &Node, what: &str) {
        let fits = |shape: &&Shape| match (shape, &node.value) {
            (Shape::Text(_) | Shape::Form(..) | Shape::Word(_), Value::Text(_)) => true,
            (Shape::List(..), Value::List(_)) => true,
            (Shape::Named("table", _), Value::Table(_)) => are_several(node),
            (Shape::Table(construct), Value::Table(_)) => construct.id != "table" || !are_several(node),
            (Shape::Named(..), Value::Table(_)) => true,
            _ => false,
        };
        match alternatives.iter().find(fits) {
            Some(shape) => self.value(shape, node, what),
            None => {
                let message = format!("{what} takes {}, not {}", expected_either(alternatives), node.kind());
                self.mistakes.add(node.span, message);
            }
        }
        // A type that is told by its word alone may need more than the word.
        for alternative in alternatives {
            if let (Shape::Table(Construct { variants: Variants::ByType(kinds), .. }), Some(word)) =
                (alternative, node.text())
            {
                let kind = kinds.iter().find(|kind| kind.name == word);
                for key in kind.iter().flat_map(|kind| kind.keys).filter(|key| key.required) {
                    let message = format!("{what} of type `{word}` needs `{}`: {}", key.name, key.about);
                    let help = format!("write {{ type = \"{word}\", {} = … }}", key.name);
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
                Some((_, word)) => format!("it is called `{word}`"),
                None => names::help_of(text, words.iter().map(|(word, _)| *word)),
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
                // An entity's indexes are known only when the tables are: they are looked at then.
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

    /// The kinds that the construct may be: one, or all of them after a mistake.
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
                    // A word that is only misspelt is noted as such.
                    [] if entries.iter().any(|entry| is_misspelt(construct, &entry.name)) => {}
                    [] => {
                        let words: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
                        let what_not =
                            if construct.id == "pattern" { "what it does" } else { "how many there are" };
                        let message = format!("{what} doesn't say {what_not}");
                        self.mistakes.add_with_help(
                            node.span,
                            message,
                            format!("it needs {}", names::list_or(&words)),
                        );
                    }
                    [(first, _), .., (_, last)] => {
                        let message = format!("`{}` and `{}` can't stand together", first.name, last.name);
                        self.mistakes.add_with_help(
                            last.span,
                            message,
                            format!("{} is one of them only", construct.name),
                        );
                    }
                }
                kinds.iter().collect()
            }
        }
    }

    fn unknown(&self, construct: &Construct, kinds: &[&Variant], entry: &Entry, what: &str) {
        let name = entry.name.as_str();
        let homes: Vec<&str> = construct
            .kinds()
            .iter()
            .filter(|kind| kind.keys.iter().any(|key| key.name == name))
            .map(|kind| kind.name)
            .collect();
        if let ([kind], false) = (kinds, homes.is_empty()) {
            let message = format!("`{name}` doesn't go with `{}`", kind.name);
            self.mistakes.add_with_help(entry.span, message, format!("it goes with {}", names::list(&homes)));
            return;
        }
        let own = construct.keys.iter().chain(kinds.iter().flat_map(|kind| kind.keys)).map(|key| key.name);
        let words = match construct.variants {
            Variants::ByKey(words) => words,
            _ => &[],
        };
        let candidates = own.chain(words.iter().map(|word| word.name));
        let help = match (construct.id, &entry.node.value) {
            ("table", Value::Table(_)) => {
                "if there are several tables, each is a [table.NAME] with a `key` of its own".to_owned()
            }
            _ => names::help_of(name, candidates),
        };
        self.mistakes.add_with_help(entry.span, format!("{what} has no key `{name}`"), help);
    }

    fn missing(&self, key: &Key, node: &Node, what: &str) {
        let message = format!("{what} needs `{}`: {}", key.name, key.about);
        let help = match key.takes {
            Shape::Table(_) | Shape::Named(..) => {
                format!("write `{} = {{ … }}`, or a header for it", key.name)
            }
            _ if key.name == "table" => "write [table] and its key: `key = [\"PK\", \"SK\"]`".to_owned(),
            _ => format!("write `{} = …` with {}", key.name, expected(&key.takes)),
        };
        self.mistakes.add_with_help(node.span, message, help);
    }
}

/// Whether a key is none that the construct knows, but like one of the words that tell its kind.
fn is_misspelt(construct: &Construct, name: &str) -> bool {
    let further = construct.kinds().iter().flat_map(|kind| kind.keys);
    let known = construct.keys.iter().chain(further).any(|key| key.name == name);
    !known && nearest(name, construct.kinds().iter().map(|kind| kind.name)).is_some()
}

/// What a key takes in a construct of one of these kinds.
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

/// What a shape takes, in words.
pub(crate) fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Text(what) | Shape::Form(what, _) => format!("a text ({what})"),
        Shape::Bool => "true or false".to_owned(),
        Shape::Whole(least, most) if *most == u64::from(u32::MAX) => format!("a whole number from {least}"),
        Shape::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Shape::Number => "a number".to_owned(),
        Shape::Word(words) => {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            names::list_or(&words)
        }
        Shape::Constant => "a value".to_owned(),
        Shape::List(_, Shape::Text(what)) => format!("a list ({what} each)"),
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
