//! The tables of keys in the reference are made from the description, and this test keeps them so.
//! `SINGLET_REWRITE=1 cargo test -p singlet-design --lib reference` writes them anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::{Construct, DESIGN, ENTITY, Key, PATTERN, Shape, Variants};
use crate::syntax::check::expected;

/// Every construct by its name in the schema.
fn constructs() -> Vec<&'static Construct> {
    let mut found = vec![&DESIGN];
    let mut at = 0;
    while let Some(construct) = found.get(at).copied() {
        let keys = construct.keys.iter().chain(construct.kinds().iter().flat_map(|kind| kind.keys));
        let shapes = keys.map(|key| &key.takes).chain(construct.kinds().iter().map(|kind| &kind.takes));
        for shape in shapes.chain(construct.others) {
            gather(shape, &mut found);
        }
        at += 1;
    }
    found
}

fn gather(shape: &'static Shape, found: &mut Vec<&'static Construct>) {
    match shape {
        Shape::Table(construct) if !found.iter().any(|known| known.id == construct.id) => {
            found.push(construct)
        }
        Shape::List(_, of) | Shape::Named(_, of) => gather(of, found),
        Shape::Either(alternatives) => alternatives.iter().for_each(|shape| gather(shape, found)),
        _ => {}
    }
}

/// The keys of a construct as a table of Markdown.
fn keys(construct: &Construct) -> String {
    let mut text = "| key | takes | |\n|---|---|---|\n".to_owned();
    for key in construct.keys {
        row(&mut text, key);
    }
    for kind in construct.kinds() {
        if let Variants::ByKey(_) = construct.variants {
            writeln!(text, "| `{}` | {} | {} |", kind.name, takes(&kind.takes), kind.about).unwrap();
            kind.keys.iter().for_each(|key| row(&mut text, key));
        }
    }
    text
}

/// The words of a pattern, and what goes with each.
fn kinds(construct: &Construct) -> String {
    let mut text = "| | | with |\n|---|---|---|\n".to_owned();
    for kind in construct.kinds() {
        let with: Vec<String> = kind.keys.iter().map(|key| format!("`{}`", key.name)).collect();
        writeln!(text, "| `{}` | {} | {} |", kind.name, kind.about, with.join(", ")).unwrap();
    }
    text
}

/// The keys that go with the words of a construct, each once.
fn further(construct: &Construct) -> String {
    let mut text = "| key | takes | |\n|---|---|---|\n".to_owned();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for key in construct.kinds().iter().flat_map(|kind| kind.keys) {
        if !seen.contains(&(key.name, key.about)) {
            seen.push((key.name, key.about));
            row(&mut text, key);
        }
    }
    text
}

fn row(text: &mut String, key: &Key) {
    let needed = if key.required { " (required)" } else { "" };
    writeln!(text, "| `{}`{needed} | {} | {} |", key.name, takes(&key.takes), key.about).unwrap();
}

fn takes(shape: &Shape) -> String {
    expected(shape).replace('|', "\\|")
}

fn table(name: &str) -> String {
    match name {
        "words of a pattern" => kinds(&PATTERN),
        "keys of reads and writes" => further(&PATTERN),
        "pattern" => keys(&Construct { variants: Variants::None, ..copy(&PATTERN) }),
        "entity" => keys(&ENTITY),
        name => match constructs().into_iter().find(|construct| construct.id == name) {
            Some(construct) => keys(construct),
            None => panic!("no construct `{name}`"),
        },
    }
}

fn copy(construct: &Construct) -> Construct {
    Construct {
        name: construct.name,
        id: construct.id,
        keys: construct.keys,
        variants: Variants::None,
        others: None,
    }
}

#[test]
fn the_tables_of_the_reference_are_those_of_the_language() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design-language.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut written = String::new();
    let mut tables = 0;
    for (position, piece) in page.split("<!-- table: ").enumerate() {
        if position == 0 {
            written.push_str(piece);
            continue;
        }
        tables += 1;
        let (name, rest) = piece.split_once(" -->").unwrap();
        let (_, rest) = rest.split_once("<!-- end -->").unwrap();
        write!(written, "<!-- table: {name} -->\n{}<!-- end -->{rest}", table(name)).unwrap();
    }
    assert!(tables > 5);
    if std::env::var_os("SINGLET_REWRITE").is_some() {
        fs::write(&path, &written).unwrap();
    } else {
        assert!(page == written, "the tables of docs/design-language.md are old: see the top of this file");
    }
}

#[test]
fn every_type_of_field_has_its_word() {
    let types: Vec<&str> = super::field::FIELD_TYPES.iter().map(|kind| kind.name).collect();
    let words: Vec<&str> = super::field::TYPE_WORDS.iter().map(|(word, _)| *word).collect();
    assert_eq!(types, words);
}
