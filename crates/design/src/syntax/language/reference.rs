//! The tables of keys in the pages about the language are generated from its description.
//! `SINGLET_REWRITE=1 cargo test -p singlet-design --lib reference` regenerates them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::{Construct, DESIGN, ENTITY, Key, PATTERN, Shape, Variants};
use crate::limits::{LIMITS, number};
use crate::names;

/// The pages.
pub(super) const PAGES: [&str; 3] = ["design-language.md", "derived.md", "callers.md"];

const HEADER: &str = "| key | type | meaning |\n|---|---|---|\n";

/// Returns every construct that can be reached from the file.
pub(super) fn constructs() -> Vec<&'static Construct> {
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

/// Returns the keys of a construct as a Markdown table.
fn keys(construct: &Construct) -> String {
    let mut text = HEADER.to_owned();
    for key in construct.keys {
        row(&mut text, key, if key.required { " (required)" } else { "" });
    }
    for kind in construct.kinds() {
        if let Variants::ByKey(_) = construct.variants {
            writeln!(text, "| `{}` | {} | {} |", kind.name, takes(&kind.takes), kind.about).unwrap();
            for key in kind.keys {
                let required = if key.required { "required with" } else { "with" };
                row(&mut text, key, &format!(" ({required} `{}`)", kind.name));
            }
        }
    }
    text
}

/// Returns the operations of a pattern with the keys of each.
fn kinds(construct: &Construct) -> String {
    let mut text = "| operation | what it does | further keys |\n|---|---|---|\n".to_owned();
    for kind in construct.kinds() {
        let with: Vec<String> = kind.keys.iter().map(|key| format!("`{}`", key.name)).collect();
        writeln!(text, "| `{}` | {} | {} |", kind.name, kind.about, with.join(", ")).unwrap();
    }
    text
}

/// Returns the keys of all kinds of a construct, each once, with the kinds that have it.
fn further(construct: &Construct) -> String {
    let mut text = "| key | with | type | meaning |\n|---|---|---|---|\n".to_owned();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for key in construct.kinds().iter().flat_map(|kind| kind.keys) {
        let is_same = |other: &Key| (other.name, other.about) == (key.name, key.about);
        if !seen.contains(&(key.name, key.about)) {
            seen.push((key.name, key.about));
            let kinds = construct.kinds().iter().filter(|kind| kind.keys.iter().any(is_same));
            let kinds: Vec<String> = kinds.map(|kind| format!("`{}`", kind.name)).collect();
            let (kinds, takes) = (kinds.join(", "), takes(&key.takes));
            writeln!(text, "| `{}` | {kinds} | {takes} | {} |", key.name, key.about).unwrap();
        }
    }
    text
}

fn row(text: &mut String, key: &Key, note: &str) {
    writeln!(text, "| `{}`{note} | {} | {} |", key.name, takes(&key.takes), key.about).unwrap();
}

/// Describes the values of a shape briefly.
fn takes(shape: &Shape) -> String {
    match shape {
        Shape::Text(what) | Shape::Form(what, _) => format!("string: {}", without_article(what)),
        Shape::Bool => "boolean".to_owned(),
        Shape::Whole(least, most) if *most == u64::from(u32::MAX) => format!("integer from {least}"),
        Shape::Whole(least, most) => format!("integer from {least} to {most}"),
        Shape::Number => "number".to_owned(),
        Shape::Word(words) => names::list_or(&words.iter().map(|(word, _)| *word).collect::<Vec<_>>()),
        Shape::Constant => "any value".to_owned(),
        Shape::List(_, Shape::Text(what)) => format!("list of {}s", without_article(what)),
        Shape::List(..) => "list".to_owned(),
        Shape::Named(..) | Shape::Table(_) => "table".to_owned(),
        Shape::Either(alternatives) => {
            let mut alternatives: Vec<String> = alternatives.iter().map(takes).collect();
            alternatives.dedup();
            alternatives.join(", or ")
        }
    }
}

fn without_article(what: &str) -> &str {
    what.strip_prefix("a ").or_else(|| what.strip_prefix("an ")).unwrap_or(what)
}

fn table(name: &str) -> String {
    match name {
        "limits" => limits(),
        "operations of a pattern" => kinds(&PATTERN),
        "keys of reads and writes" => further(&PATTERN),
        "pattern" => keys(&Construct { variants: Variants::None, ..copy(&PATTERN) }),
        "entity" => keys(&ENTITY),
        name => match constructs().into_iter().find(|construct| construct.id == name) {
            Some(construct) => keys(construct),
            None => panic!("no construct `{name}`"),
        },
    }
}

fn limits() -> String {
    let mut text = "| limit | at most |\n|---|---|\n".to_owned();
    for (what, max) in LIMITS {
        writeln!(text, "| {what} | {} |", number(*max)).unwrap();
    }
    text
}

fn copy(construct: &Construct) -> Construct {
    Construct { id: construct.id, keys: construct.keys, variants: Variants::None, others: None }
}

#[test]
fn the_tables_of_the_reference_are_those_of_the_language() {
    let tables: usize = PAGES.iter().map(|page| check_page(page)).sum();
    assert!(tables > 5);
}

/// Checks or rewrites a page. Returns the number of its tables.
fn check_page(name: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
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
    if std::env::var_os("SINGLET_REWRITE").is_some() {
        fs::write(&path, &written).unwrap();
    } else {
        assert!(page == written, "the tables of docs/{name} are out of date: see the top of this file");
    }
    tables
}

#[test]
fn every_type_of_field_has_its_word() {
    let types: Vec<&str> = super::field::FIELD_TYPES.iter().map(|kind| kind.name).collect();
    let words: Vec<&str> = super::field::TYPE_WORDS.iter().map(|(word, _)| *word).collect();
    assert_eq!(types, words);
}
