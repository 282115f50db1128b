//! Merges and gathers over lists: a query for each element.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use singlet_design::Json;
use singlet_run::{Outcome, Paging, RunError, Wait};

use crate::backend::cases;
use crate::fixture::{Data, beside, given, member};

const LIBRARY: &str = r##"
design = "library"
[table]
key = ["PK", "SK"]

[entity.Document]
key    = ["DOCUMENT#{document_id}", "DOCUMENT"]
fields = { document_id = "key", title = "string" }

[entity.Word]
key    = ["WORD#{word}", "{rank:03}#{document_id}"]
fields = { word = "key", document_id = { type = "key", ref = "Document" }, rank = { type = "int", min = 0, max = 999, default = 0 } }

[entity.Wanted]
key    = ["USER#{user_id}", "{word}"]
fields = { user_id = "key", word = "key" }

[pattern.documents]
query   = "Word"
limit   = 50
resolve = { document = "document_id" }
[pattern.few_documents]
query = "Word"
limit = 2
[pattern.words_of_user]
query = "Wanted"
limit = 7

[pattern.search]
gather = { each = "word in words", run = "documents", with = { word = "{word}" }, group = "document_id", limit = 3 }
[pattern.search_few]
gather = { each = "word in words", run = "few_documents", with = { word = "{word}" }, group = "document_id" }
[pattern.search_of_user]
gather = { each = "want in words_of_user", run = "documents", with = { word = "{want.word}" }, group = "document_id" }
[pattern.best_of]
merge = { each = "word in words", run = "documents", with = { word = "{word}" }, by = "rank", max = 5 }
[pattern.best_of_objects]
merge = { each = "one in wanted", run = "documents", with = { word = "{one.word}" }, by = "rank" }
"##;

fn library(hits: &[(&str, &str, u32)]) -> Data {
    let data = Data::new(LIBRARY);
    for (word, document, rank) in hits {
        add(&data, word, document, *rank);
    }
    data
}

fn add(data: &Data, word: &str, document: &str, rank: u32) {
    data.put("Word", &[("word", word), ("document_id", document), ("rank", &rank.to_string())]);
}

/// The documents and their hits on all pages.
fn found(data: &Data, pattern: &str, arguments: &[(&str, &str)], limits: &[u32]) -> Vec<(String, i64)> {
    let mut cursor = None;
    let mut groups = Vec::new();
    for limit in limits.iter().cycle().take(10_000) {
        let paging = Paging { limit: Some(*limit), cursor };
        let page = data.runner.run(pattern, &given(arguments), &paging).wait().unwrap();
        let Outcome::Gathered { records, cursor: next, .. } = page else { panic!("{page:?}") };
        assert!(records.len() <= *limit as usize);
        for record in &records {
            let hits = record.to_json().get("hits").and_then(|hits| hits.to_string().parse().ok());
            groups.push((member(record, "document_id"), hits.unwrap()));
        }
        match next {
            Some(next) => cursor = Some(next.to_string()),
            None => return groups,
        }
    }
    panic!("the list doesn't end");
}

fn pairs(groups: &[(String, i64)]) -> Vec<(&str, i64)> {
    groups.iter().map(|(value, hits)| (value.as_str(), *hits)).collect()
}

#[test]
fn groups_with_the_most_hits_come_first_and_equals_in_the_order_of_the_value() {
    let data = library(&[("a", "d3", 0), ("a", "d1", 0), ("b", "d1", 0), ("b", "d2", 0), ("c", "d9", 0)]);
    let groups = found(&data, "search", &[("words", r#"["a", "b", "x"]"#)], &[10]);
    assert_eq!(pairs(&groups), [("d1", 2), ("d2", 1), ("d3", 1)]);
}

#[test]
fn an_item_of_a_group_is_as_the_query_returns_it_with_its_hits() {
    let data = library(&[("a", "d1", 4), ("b", "d1", 2)]);
    data.put("Document", &[("document_id", "d1"), ("title", "One")]);
    let page = data.json("search", &[("words", r#"["a", "b"]"#)]);
    let document = r#"{"document_id":"d1","title":"One"}"#;
    assert_eq!(
        page,
        format!(r#"{{"items":[{{"word":"a","document_id":"d1","rank":4,"document":{document},"hits":2}}]}}"#)
    );
}

#[test]
fn an_element_counts_once_though_it_comes_twice_or_finds_a_value_twice() {
    let data = library(&[("a", "d1", 0), ("a", "d1", 1), ("a", "d2", 0), ("b", "d2", 0)]);
    let groups = found(&data, "search", &[("words", r#"["a", "b", "a", "a"]"#)], &[10]);
    assert_eq!(pairs(&groups), [("d2", 2), ("d1", 1)]);
}

#[test]
fn more_hits_than_a_page_of_the_query_are_told() {
    let data = library(&[("a", "d1", 0), ("a", "d2", 0), ("a", "d3", 0), ("b", "d3", 0)]);
    let page = data.json("search_few", &[("words", r#"["a", "b"]"#)]);
    assert!(page.ends_with(r#""more":true}"#), "{page}");
    let page = data.json("search_few", &[("words", r#"["b"]"#)]);
    assert!(!page.contains("more"), "{page}");
}

#[test]
fn the_list_can_be_the_items_of_a_query() {
    let data = library(&[("a", "d1", 0), ("b", "d1", 0), ("b", "d2", 0), ("c", "d2", 0)]);
    for word in ["a", "b"] {
        data.put("Wanted", &[("user_id", "me"), ("word", word)]);
    }
    let groups = found(&data, "search_of_user", &[("user_id", "me")], &[1]);
    assert_eq!(pairs(&groups), [("d1", 2), ("d2", 1)]);
}

#[test]
fn queries_of_a_given_list_are_merged_in_one_order() {
    let data = library(&[("a", "d1", 5), ("a", "d2", 7), ("b", "d3", 6), ("c", "d4", 1)]);
    let words = [("words", r#"["b", "a"]"#)];
    assert_eq!(data.pages("best_of", &words, 1, "document_id"), ["d1", "d3", "d2"]);
    let wanted = [("wanted", r#"[{"word": "a"}, {"word": "c"}]"#)];
    assert_eq!(data.pages("best_of_objects", &wanted, 2, "document_id"), ["d4", "d1", "d2"]);
}

#[test]
fn a_cursor_belongs_to_the_given_list() {
    let data = library(&[("a", "d1", 5), ("a", "d2", 7), ("b", "d3", 6)]);
    for pattern in ["best_of", "search"] {
        let first = Paging { limit: Some(1), cursor: None };
        let page = data.runner.run(pattern, &given(&[("words", r#"["a", "b"]"#)]), &first).wait().unwrap();
        let cursor = page.to_json().get("cursor").and_then(Json::as_text).map(str::to_owned);
        assert!(cursor.is_some(), "{pattern}");
        let next = Paging { limit: None, cursor };
        let refused = data.runner.run(pattern, &given(&[("words", r#"["a", "c"]"#)]), &next).wait();
        assert!(matches!(refused, Err(RunError::Cursor(_))), "{pattern}: {refused:?}");
    }
}

#[test]
fn a_longer_list_than_the_maximum_is_refused() {
    let words = [("words", r#"["1", "2", "3", "4", "5", "6"]"#)];
    let refused = library(&[]).run("best_of", &words);
    let Err(RunError::Parameter { parameter, reason }) = refused else { panic!("{refused:?}") };
    assert_eq!((parameter.as_str(), reason.as_str()), ("words", "has 6 elements; best_of takes at most 5"));
}

/// Hits of four words on a few documents.
fn hits() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0_u8..4, 0_u8..20), 0..60)
}

fn words_of(words: &BTreeSet<u8>) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"w{word}\"")).collect();
    format!("[{}]", words.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_a_gather_give_each_group_once_and_in_order_though_others_write(
        hits in hits(),
        words in prop::collection::btree_set(0_u8..4, 0..4),
        limits in prop::collection::vec(1_u32..7, 1..4),
        others in prop::collection::vec((0_u8..4, 0_u8..30), 1..30),
    ) {
        let data = Data::new(LIBRARY);
        let mut expected: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
        for (word, document) in &hits {
            add(&data, &format!("w{word}"), &format!("d{document:02}"), 0);
            if words.contains(word) {
                expected.entry(*document).or_default().insert(*word);
            }
        }
        let mut expected: Vec<(String, i64)> =
            expected.into_iter().map(|(document, words)| (format!("d{document:02}"), words.len() as i64)).collect();
        expected.sort_by_key(|(document, hits)| (-hits, document.clone()));
        // Others write hits of documents that nothing else counts.
        let found = beside(
            &others,
            |_, (word, document)| add(&data, &format!("w{word}"), &format!("x{document:02}"), 0),
            || found(&data, "search", &[("words", &words_of(&words))], &limits),
        );
        let counted: Vec<(String, i64)> =
            found.into_iter().filter(|(document, _)| document.starts_with('d')).collect();
        prop_assert_eq!(counted, expected);
    }

    #[test]
    fn pages_of_a_merge_over_a_given_list_give_each_item_once_and_in_order_though_others_write(
        hits in hits(),
        words in prop::collection::btree_set(0_u8..4, 0..4),
        limit in 1_u32..9,
        others in prop::collection::vec((0_u8..4, 0_u8..30), 1..30),
    ) {
        let data = Data::new(LIBRARY);
        let mut expected: BTreeSet<(u32, String)> = BTreeSet::new();
        for (rank, (word, document)) in (0..).zip(&hits) {
            add(&data, &format!("w{word}"), &format!("d{document:02}"), rank);
            if words.contains(word) {
                expected.insert((rank, format!("d{document:02}")));
            }
        }
        let found = beside(
            &others,
            |turn, (word, document)| add(&data, &format!("w{word}"), &format!("x{document:02}"), turn as u32),
            || data.pages("best_of", &[("words", &words_of(&words))], limit, "document_id"),
        );
        let found: Vec<String> = found.into_iter().filter(|document| document.starts_with('d')).collect();
        let expected: Vec<String> = expected.into_iter().map(|(_, document)| document).collect();
        prop_assert_eq!(found, expected);
    }
}
