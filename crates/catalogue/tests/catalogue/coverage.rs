//! Nothing that the seed documents ask for is forgotten: every row has a pattern with a test, another test, or a reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::designs;

/// The parts of the product that bring what is still missing.
const PARTS: [&str; 11] = [
    "rules",
    "archive",
    "plan",
    "migration",
    "cache",
    "language",
    "api",
    "load",
    "cassandra",
    "mongodb",
    "webhooks",
];
/// How many rows each seed has.
const COUNTS: [(&str, usize); 4] = [("SC", 44), ("NI", 15), ("NM", 15), ("SM", 18)];

struct Row {
    asks: String,
    coming: Option<String>,
    with: Option<String>,
    shown_by: Vec<String>,
}

fn rows() -> BTreeMap<String, Row> {
    let source = std::fs::read_to_string(designs::folder().join("catalogue/rows.toml")).unwrap();
    let text = |row: &toml::Table, key: &str| row.get(key).map(|value| value.as_str().unwrap().to_owned());
    let table: toml::Table = source.parse().unwrap();
    let rows = table.iter().map(|(id, row)| {
        let row = row.as_table().unwrap();
        let known = ["asks", "coming", "with", "shown_by"];
        let unknown: Vec<_> = row.keys().filter(|key| !known.contains(&key.as_str())).collect();
        assert_eq!(unknown, Vec::<&String>::new(), "{id}");
        let files = row.get("shown_by").and_then(|files| files.as_array()).into_iter().flatten();
        (
            id.clone(),
            Row {
                asks: text(row, "asks").unwrap(),
                coming: text(row, "coming"),
                with: text(row, "with"),
                shown_by: files.map(|file| file.as_str().unwrap().to_owned()).collect(),
            },
        )
    });
    rows.collect()
}

/// Tags of all patterns, with the patterns that carry them.
fn tags() -> BTreeMap<String, Vec<String>> {
    let mut tags: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in designs::NAMES {
        for pattern in &designs::design(name, "").patterns {
            for tag in &pattern.tags {
                tags.entry(tag.clone()).or_default().push(format!("{name}: {}", pattern.name));
            }
        }
    }
    tags
}

#[test]
fn every_row_is_listed_under_its_number() {
    let expected: BTreeSet<String> =
        COUNTS.iter().flat_map(|(seed, count)| (1..=*count).map(move |n| format!("{seed}-{n:02}"))).collect();
    assert_eq!(rows().into_keys().collect::<BTreeSet<_>>(), expected);
    assert!(rows().values().all(|row| !row.asks.is_empty()));
}

#[test]
fn every_row_has_a_pattern_or_a_reason() {
    let tags = tags();
    for (id, row) in rows() {
        assert!(
            tags.contains_key(&id) || !row.shown_by.is_empty() || row.coming.is_some(),
            "{id} ({}) has neither a pattern, nor another test, nor a reason",
            row.asks
        );
    }
}

#[test]
fn every_file_that_shows_a_row_exists() {
    for (id, row) in rows() {
        for file in row.shown_by {
            assert!(designs::folder().join("..").join(&file).is_file(), "{id}: there is no {file}");
        }
    }
}

#[test]
fn every_reason_is_a_sentence_and_names_the_part_that_brings_the_rest() {
    for (id, row) in rows() {
        assert_eq!(row.coming.is_some(), row.with.is_some(), "{id}: `coming` and `with` go together");
        assert!(row.coming.is_none_or(|reason| reason.ends_with('.')), "{id}: not a sentence");
        assert!(row.with.is_none_or(|part| PARTS.contains(&part.as_str())), "{id}: no such part");
    }
}

#[test]
fn every_row_of_the_page_of_deviations_is_a_row() {
    let page = std::fs::read_to_string(designs::folder().join("../docs/seeds.md")).unwrap();
    let rows = rows();
    let named = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let ids = named.flat_map(|cell| cell.split([',', ' '])).filter(|word| {
        let number = word.split_once('-').map(|(_, number)| number.parse::<u32>());
        matches!(number, Some(Ok(_)))
    });
    for id in ids {
        assert!(rows.contains_key(id), "docs/seeds.md: {id} is no row");
    }
}

#[test]
fn every_tag_is_a_row() {
    let rows = rows();
    for (tag, patterns) in tags() {
        assert!(rows.contains_key(&tag), "{tag} of {patterns:?} is no row");
    }
}

#[test]
fn every_row_with_a_pattern_has_a_test() {
    // Designs that come from no document have tests, but no rows.
    let tested: BTreeSet<String> = crate::TESTS
        .iter()
        .map(|name| name.split('_').take(2).collect::<Vec<_>>().join("-").to_uppercase())
        .filter(|id| {
            COUNTS.iter().any(|(seed, _)| id.strip_prefix(seed).is_some_and(|rest| rest.starts_with('-')))
        })
        .collect();
    let served: BTreeSet<String> = tags().into_keys().collect();
    assert_eq!(tested, served);
}
