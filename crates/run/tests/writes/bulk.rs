//! Bulk writes: each element of a list once, in batches.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

use proptest::prelude::*;
use singlet_design::Json;
use singlet_engine::values::{AttributeValue, Number};
use singlet_run::{Arguments, BulkReport, Outcome, Paging, RunError, Runner, Wait};
use singlet_store::Store;

use crate::backend::cases;
use crate::broken::Broken;
use crate::fixture::Fixture;

const NOTES: &str = r##"
design = "notes"
[table]
key = ["PK", "SK"]
[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Note]
key  = ["NOTE#{note_id}", "NOTE"]
GSI1 = ["USER#{user_id}#{shard:note_id/3}", "{note_id}"]
[entity.Note.fields]
note_id = "id"
user_id = "key"
text    = { type = "string", max = 20, optional = true }
visits  = { type = "int", default = 0 }
tags    = { type = "list", max = 9, default = [], of = { type = "object", fields = { tag_id = "id", name = "string" } } }

[entity.Count]
key    = ["USER#{user_id}", "COUNT"]
fields = { user_id = "key", deleted = { type = "int", default = 0 } }

[pattern.write]
create = "Note"
[pattern.open]
create = "Count"
[pattern.visit_note]
update = "Note"
add    = { visits = 1 }
[pattern.delete_note]
delete = "Note"
[pattern.count_deleted]
update = "Count"
add    = { deleted = 1 }
[pattern.delete_and_count]
transaction = { note = "delete_note", count = "count_deleted" }
[pattern.notes_of]
query  = "Note"
on     = "GSI1"
filter = "visits < {most}"
limit  = 5
[pattern.all_notes_of]
query  = "Note"
on     = "GSI1"

[pattern.write_all]
bulk = { each = "note in notes", run = "write", with = { note_id = "{note.id}", text = "{note.text}", tags = "{note.tags}" } }
[pattern.visit_all]
bulk = { each = "note in all_notes_of", run = "visit_note" }
[pattern.visit_some]
bulk = { each = "note in notes_of", run = "visit_note" }
[pattern.delete_all]
bulk = { each = "note in all_notes_of", run = "delete_note" }
[pattern.delete_and_count_all]
bulk = { each = "note in all_notes_of", run = "delete_and_count", with = { note_id = "{note.note_id}", user_id = "{note.user_id}" } }
[pattern.visit_given]
bulk = { each = "id in ids", run = "visit_note", with = { note_id = "{id}" } }
"##;

fn notes(count: usize) -> Fixture {
    let fixture = Fixture::new(NOTES);
    for note in 0..count {
        fixture.run("write", &format!(r#"{{"note_id": "n{note:04}", "user_id": "u"}}"#));
    }
    fixture
}

fn arguments(text: &str) -> Arguments {
    let Json::Object(members) = text.parse::<Json>().unwrap() else { panic!("an object") };
    members.into_iter().collect()
}

fn batch<S: Store>(
    runner: &Runner<S>,
    pattern: &str,
    text: &str,
    paging: &Paging,
) -> Result<BulkReport, RunError> {
    match runner.run(pattern, &arguments(text), paging).wait()? {
        Outcome::Bulk(report) => Ok(report),
        other => panic!("no report: {other:?}"),
    }
}

/// Runs all batches, each of the next of these sizes. Returns the number of elements that were written and failed.
fn to_the_end(fixture: &Fixture, pattern: &str, text: &str, limits: &[u32]) -> (u64, usize) {
    let (mut done, mut failed) = (0, 0);
    let mut cursor = None;
    for limit in limits.iter().cycle().take(10_000) {
        let paging = Paging { limit: Some(*limit), cursor };
        let report = batch(&fixture.runner, pattern, text, &paging).unwrap();
        assert!(report.done + report.failed.len() as u64 <= u64::from(*limit));
        done += report.done;
        failed += report.failed.len();
        match report.cursor {
            Some(next) => cursor = Some(next.to_string()),
            None => return (done, failed),
        }
    }
    panic!("the list doesn't end");
}

fn visits(fixture: &Fixture, note: &str) -> Option<i64> {
    match fixture.stored("Note", "note_id", note)?.get("visits") {
        Some(AttributeValue::N(visits)) => visits.to_i64(),
        other => panic!("{other:?}"),
    }
}

const USER: &str = r#"{"user_id": "u"}"#;

#[test]
fn a_list_of_any_length_is_written_in_batches_of_100() {
    let fixture = notes(0);
    let list: Vec<String> =
        (0..250).map(|note| format!(r#"{{"id": "n{note}", "text": "t{note}"}}"#)).collect();
    let text = format!(r#"{{"user_id": "u", "notes": [{}]}}"#, list.join(","));
    let first = batch(&fixture.runner, "write_all", &text, &Paging::default()).unwrap();
    assert_eq!((first.done, first.failed.len(), first.stopped.is_none()), (100, 0, true));
    assert_eq!(to_the_end(&fixture, "write_all", &text, &[100]), (150, 100), "100 of them are there already");
    assert_eq!(fixture.scan(None).len(), 250);
    let stored = fixture.stored("Note", "note_id", "n249").unwrap();
    assert_eq!(stored.get("text"), Some(&"t249".into()));
}

#[test]
fn ids_of_nested_objects_are_made() {
    let fixture = notes(0);
    let text =
        r#"{"user_id": "u", "notes": [{"id": "n1", "tags": [{"name": "x"}]}, {"text": "without an id"}]}"#;
    assert_eq!(to_the_end(&fixture, "write_all", text, &[100]), (2, 0));
    let Some(AttributeValue::L(tags)) = fixture.stored("Note", "note_id", "n1").unwrap().get("tags").cloned()
    else {
        panic!("no tags");
    };
    let [AttributeValue::M(tag)] = tags.as_slice() else { panic!("{tags:?}") };
    assert!(tag.get("tag_id").is_some());
}

#[test]
fn every_item_of_a_sharded_query_is_deleted() {
    let fixture = notes(130);
    assert_eq!(to_the_end(&fixture, "delete_all", USER, &[100]), (130, 0));
    assert!(fixture.scan(None).is_empty());
}

#[test]
fn each_element_can_be_a_transaction() {
    let fixture = notes(30);
    fixture.run("open", USER);
    assert_eq!(to_the_end(&fixture, "delete_and_count_all", USER, &[100]), (30, 0));
    let count = fixture.stored("Count", "user_id", "u").unwrap();
    assert_eq!(count.get("deleted"), Some(&AttributeValue::N(Number::from(30))));
}

#[test]
fn elements_that_fail_are_listed_and_the_batch_goes_on() {
    let fixture = notes(3);
    let call = r#"{"ids": ["n0000", "nobody", "n0002"]}"#;
    let report = batch(&fixture.runner, "visit_given", call, &Paging::default()).unwrap();
    let json = report.to_json().to_string();
    assert_eq!(json, r#"{"done":2,"failed":[{"element":"nobody","error":"Note isn't there"}]}"#);
    assert_eq!((visits(&fixture, "n0000"), visits(&fixture, "n0002")), (Some(1), Some(1)));
}

#[test]
fn an_item_that_fails_is_named_by_its_key() {
    let fixture = notes(1);
    let store = Broken { fixture: &fixture, writes_left: AtomicI64::new(i64::MAX) };
    let runner = fixture.runner_on(store);
    // Without the counter, the transaction of the only element fails.
    let report = batch(&runner, "delete_and_count_all", USER, &Paging::default()).unwrap();
    let json = report.to_json().to_string();
    assert_eq!(json, r#"{"done":0,"failed":[{"element":{"note_id":"n0000"},"error":"Count isn't there"}]}"#);
}

#[test]
fn a_failing_store_ends_the_batch_and_the_cursor_goes_on_without_repeating_or_missing_any() {
    let fixture = notes(90);
    let store = Broken { fixture: &fixture, writes_left: AtomicI64::new(50) };
    let broken = fixture.runner_on(store).with_cursor_key([3; 32]);
    let whole = fixture.runner_on(fixture.runner.store()).with_cursor_key([3; 32]);
    let first = batch(&broken, "visit_all", USER, &Paging::default()).unwrap();
    assert_eq!((first.done, first.failed.len()), (50, 0));
    assert!(
        first.stopped.as_deref().is_some_and(|reason| reason.contains("the network is gone")),
        "{first:?}"
    );
    let paging = Paging { cursor: first.cursor.map(|cursor| cursor.to_string()), ..Paging::default() };
    // Nothing was done, so the same call can be made again.
    assert!(matches!(batch(&broken, "visit_all", USER, &paging), Err(RunError::Store(_))));
    let second = batch(&whole, "visit_all", USER, &paging).unwrap();
    assert_eq!((second.done, second.cursor.is_none()), (40, true));
    for note in 0..90 {
        assert_eq!(visits(&fixture, &format!("n{note:04}")), Some(1), "{note}");
    }
}

#[test]
fn what_failed_in_a_group_that_was_begun_is_listed() {
    let fixture = notes(30);
    let store = Broken { fixture: &fixture, writes_left: AtomicI64::new(10) };
    let report = batch(&fixture.runner_on(store), "visit_all", USER, &Paging::default()).unwrap();
    assert_eq!((report.done, report.failed.len()), (10, 15), "a group has 25 elements");
    assert!(report.stopped.is_some() && report.cursor.is_some());
}

#[test]
fn a_cursor_of_a_bulk_write_is_its_own() {
    let fixture = notes(9);
    let paging = Paging { limit: Some(4), cursor: None };
    let cursor = batch(&fixture.runner, "visit_all", USER, &paging).unwrap().cursor.unwrap().to_string();
    let paging = Paging { limit: None, cursor: Some(cursor) };
    for pattern in ["delete_all", "all_notes_of"] {
        let refused = fixture.runner.run(pattern, &arguments(USER), &paging).wait();
        assert!(matches!(refused, Err(RunError::Cursor(_))), "{pattern}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_item_is_visited_once_though_others_write_and_batches_have_any_size(
        count in 0_usize..70,
        limits in prop::collection::vec(1_u32..40, 1..4),
        others in prop::collection::vec((any::<bool>(), 0_usize..70), 0..40),
    ) {
        let fixture = notes(count);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for (adds, note) in others.iter().cycle().take(200) {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    // Between the notes that are counted.
                    let (pattern, rest) = if *adds { ("write", r#", "user_id": "u""#) } else { ("delete_note", "") };
                    let _ = fixture.try_run(pattern, &format!(r#"{{"note_id": "n{note:04}x"{rest}}}"#));
                }
            });
            to_the_end(&fixture, "visit_all", USER, &limits);
            is_over.store(true, Ordering::Relaxed);
        });
        for note in 0..count {
            prop_assert_eq!(visits(&fixture, &format!("n{note:04}")), Some(1), "{}", note);
        }
        for item in fixture.scan(None) {
            let visits = item.get("visits").cloned();
            prop_assert!(visits == Some(Number::from(0).into()) || visits == Some(Number::from(1).into()), "{:?}", item);
        }
    }

    #[test]
    fn each_element_of_a_list_is_written_once_with_any_batches(
        count in 0_usize..120,
        limits in prop::collection::vec(1_u32..60, 1..4),
    ) {
        let fixture = notes(count);
        let ids: Vec<String> = (0..count).map(|note| format!("\"n{note:04}\"")).collect();
        let (done, failed) = to_the_end(&fixture, "visit_given", &format!(r#"{{"ids": [{}]}}"#, ids.join(",")), &limits);
        prop_assert_eq!((done, failed), (count as u64, 0));
        for note in 0..count {
            prop_assert_eq!(visits(&fixture, &format!("n{note:04}")), Some(1));
        }
    }

    #[test]
    fn a_filtered_list_is_walked_to_its_end(visited in prop::collection::vec(any::<bool>(), 0..60), limit in 1_u32..30) {
        let fixture = notes(visited.len());
        for (note, _) in visited.iter().enumerate().filter(|(_, visited)| **visited) {
            fixture.run("visit_note", &format!(r#"{{"note_id": "n{note:04}"}}"#));
        }
        to_the_end(&fixture, "visit_some", r#"{"user_id": "u", "most": 1}"#, &[limit]);
        for note in 0..visited.len() {
            prop_assert_eq!(visits(&fixture, &format!("n{note:04}")), Some(1));
        }
    }
}
