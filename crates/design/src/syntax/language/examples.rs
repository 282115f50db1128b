//! Every key and word of the language has an example in docs/design-language.md, docs/derived.md or docs/callers.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::field::TYPE_WORDS;
use super::reference::{PAGES, constructs};
use super::{Construct, DESIGN, Shape, Variants};
use crate::syntax::{self, Mistakes, Node, Value};

/// The words of conditions and values, which no key takes as a whole.
const WORDS: [&str; 27] = [
    "and",
    "or",
    "not",
    "between",
    "in (",
    "exists(",
    "missing(",
    "begins_with(",
    "contains(",
    "size(",
    "true",
    "<>",
    "<=",
    ">=",
    " < ",
    " > ",
    " = ",
    "{now}",
    "{now + ",
    "{now - ",
    " * ",
    "?}",
    "30s",
    "ms",
    "days",
    "hours",
    "each = \"",
];
/// The formats of templates and values.
const FORMATS: [&str; 17] = [
    ":fold}",
    ":lower}",
    ":upper}",
    ":year}",
    ":month}",
    ":week}",
    ":day}",
    ":hour}",
    ":minute}",
    ":desc}",
    ":words}",
    ":trigrams}",
    ":5}",
    ":05.2}",
    ":+08.2}",
    ":06:desc}",
    "{shard:",
];

/// The examples of the reference, as designs. A block that begins with `design =` begins one, which the next continue.
fn examples() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = PAGES.map(|page| fs::read_to_string(docs.join(page)).unwrap()).concat();
    let mut designs: Vec<String> = Vec::new();
    for block in page.split("```toml\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let first = block.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
        match designs.last_mut() {
            Some(design) if !first.starts_with("design =") => design.push_str(block),
            _ => designs.push(block.to_owned()),
        }
    }
    designs
}

/// The keys and words that examples use.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Seen {
    /// Adds a key. Those that nearly everything can have are the same everywhere, and so are those of a pattern inside
    /// another one, of one of several tables, and of a table in an environment.
    fn key(&mut self, construct: &str, key: &str) {
        let construct = match (construct, key) {
            (_, "about" | "allow") => "everything",
            ("inline", _) => "pattern",
            ("named_table", _) => "table",
            ("environment_table", _) => "environment",
            (construct, _) => construct,
        };
        self.0.insert(format!("`{key}` of {construct}"));
    }

    fn word(&mut self, word: &str) {
        self.0.insert(format!("`{word}`"));
    }

    fn value(&mut self, node: &Node, shape: &'static Shape) {
        match (shape, &node.value) {
            (Shape::Word(words), Value::Text(text)) if words.iter().any(|(word, _)| word == text) => {
                self.word(text);
            }
            (Shape::List(_, of), Value::List(elements)) => {
                elements.iter().for_each(|element| self.value(element, of));
            }
            (Shape::Named(_, of), Value::Table(entries)) => {
                entries.iter().for_each(|entry| self.value(&entry.node, of));
            }
            (Shape::Either(shapes), _) => shapes.iter().for_each(|shape| self.value(node, shape)),
            (Shape::Table(construct), Value::Text(text)) => self.kind(construct, text),
            (Shape::Table(construct), Value::Table(_)) if allows(construct, node) => {
                self.table(construct, node)
            }
            _ => {}
        }
    }

    fn table(&mut self, construct: &'static Construct, node: &Node) {
        if let Some(kind) = node.text_of("type") {
            self.kind(construct, kind);
        }
        for entry in node.table().unwrap_or_default() {
            let kinds = construct.kinds().iter().flat_map(|kind| kind.keys);
            let keys = construct.keys.iter().chain(kinds).filter(|key| key.name == entry.name);
            let mut known: Vec<_> = keys.map(|key| (key.name, &key.takes)).collect();
            if let Variants::ByKey(kinds) = construct.variants {
                let kinds = kinds.iter().filter(|kind| kind.name == entry.name);
                known.extend(kinds.map(|kind| (kind.name, &kind.takes)));
            }
            if let (true, Some(others)) = (known.is_empty(), construct.others) {
                self.value(&entry.node, others);
            }
            for (name, takes) in known {
                self.key(construct.id, name);
                self.value(&entry.node, takes);
            }
        }
    }

    fn kind(&mut self, construct: &Construct, kind: &str) {
        if let Variants::ByType(kinds) = construct.variants
            && kinds.iter().any(|known| known.name == kind)
        {
            self.word(kind);
        }
    }
}

/// Whether a construct has every key of a table.
fn allows(construct: &Construct, node: &Node) -> bool {
    let known = |name: &str| {
        let keys = construct.keys.iter().chain(construct.kinds().iter().flat_map(|kind| kind.keys));
        let by_key = matches!(construct.variants, Variants::ByKey(kinds) if kinds.iter().any(|kind| kind.name == name));
        construct.others.is_some() || by_key || keys.into_iter().any(|key| key.name == name)
    };
    node.table().unwrap_or_default().iter().all(|entry| known(&entry.name))
}

/// Every key and word of the language, as in [`Seen`].
fn language() -> BTreeSet<String> {
    let mut all = Seen::default();
    for construct in constructs() {
        let kinds = construct.kinds();
        for key in construct.keys.iter().chain(kinds.iter().flat_map(|kind| kind.keys)) {
            all.key(construct.id, key.name);
            words(&key.takes, &mut |word| all.word(word));
        }
        if let Variants::ByKey(kinds) = construct.variants {
            kinds.iter().for_each(|kind| all.key(construct.id, kind.name));
        }
    }
    TYPE_WORDS.iter().for_each(|(word, _)| all.word(word));
    all.0
}

fn words(shape: &Shape, found: &mut dyn FnMut(&str)) {
    match shape {
        Shape::Word(words) => words.iter().for_each(|(word, _)| found(word)),
        Shape::List(_, of) | Shape::Named(_, of) => words(of, found),
        Shape::Either(shapes) => shapes.iter().for_each(|shape| words(shape, found)),
        _ => {}
    }
}

#[test]
fn every_key_and_word_has_an_example() {
    let examples = examples();
    let mut seen = Seen::default();
    for example in &examples {
        let mistakes = Mistakes::default();
        let root = syntax::read(example, &mistakes).unwrap();
        assert_eq!(mistakes.sorted(), []);
        seen.table(&DESIGN, &root);
    }
    let missing: Vec<String> = language().difference(&seen.0).cloned().collect();
    let text = examples.join("\n");
    let unwritten: Vec<&str> = WORDS.into_iter().chain(FORMATS).filter(|word| !text.contains(word)).collect();
    assert!(missing.is_empty() && unwritten.is_empty(), "without an example: {missing:?} {unwritten:?}");
}
