//! Single writes keep every derived attribute right.

use singlet_design::Json;
use singlet_engine::values::{AttributeValue, Item};
use singlet_run::{Outcome, RunError};

use crate::audit::assert_true_to_fields;
use crate::designs::{KITCHEN, TASKS};
use crate::fixture::{Fixture, NOW_MS};

const TASK: &str = r#"{"task_id": "t1", "project": "p", "title": "Thịt gà", "owner": "an", "flagged": true,
    "due": "2030-03-04T05:06:07+07:00", "rank": 3, "slug": "s1", "number": 1}"#;

fn with_task() -> Fixture {
    let fixture = Fixture::new(TASKS);
    fixture.run("create", TASK);
    fixture
}

fn task(fixture: &Fixture) -> Item {
    fixture.stored("Task", "task_id", "t1").unwrap()
}

fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn a_created_item_has_every_key_that_its_fields_make() {
    let fixture = with_task();
    let item = task(&fixture);
    assert_eq!(text(&item, "PK"), "TASK#t1");
    assert_eq!(text(&item, "GSI1PK"), "OWNER#an");
    assert_eq!(text(&item, "GSI1SK"), "000000#t1");
    assert_eq!(text(&item, "GSI2SK"), "2030-03#thit ga");
    assert_eq!(text(&item, "GSI3SK"), "new#2025-01-20T15:30:00.000Z");
    assert_eq!(text(&item, "due"), "2030-03-03T22:06:07.000Z");
    assert_eq!(item.get("expires_at"), Some(&AttributeValue::from(1_898_805_967_i64 + 864_000)));
    assert_true_to_fields(&fixture);
}

#[test]
fn creating_what_is_there_is_refused_and_changes_nothing() {
    let fixture = with_task();
    let before = fixture.scan(None);
    let error = fixture.try_run("create", r#"{"task_id": "t1", "project": "q", "title": "x"}"#).unwrap_err();
    assert!(matches!(error, RunError::Exists { .. }), "{error}");
    assert_eq!(fixture.scan(None), before);
}

#[test]
fn a_part_that_is_not_given_is_read_and_the_key_made_anew() {
    let fixture = with_task();
    let written = fixture.run("vote", r#"{"task_id": "t1", "by": 7}"#);
    assert_eq!(written.get("votes"), Some(&Json::from(7)));
    assert_eq!(text(&task(&fixture), "GSI1SK"), "000007#t1");
    fixture.run("edit", r#"{"task_id": "t1", "title": "Ốc"}"#);
    assert_eq!(text(&task(&fixture), "GSI2SK"), "2030-03#oc");
    assert_true_to_fields(&fixture);
}

#[test]
fn a_flag_takes_the_item_into_the_sparse_index_and_out_of_it() {
    let fixture = with_task();
    fixture.run("edit", r#"{"task_id": "t1", "flagged": false}"#);
    assert!(fixture.scan(Some("GSI2")).is_empty());
    assert_true_to_fields(&fixture);
    fixture.run("vote_and_flag", r#"{"task_id": "t1"}"#);
    assert_eq!(fixture.scan(Some("GSI2")).len(), 1);
    assert_true_to_fields(&fixture);
    fixture.run("finish", r#"{"task_id": "t1"}"#);
    assert!(fixture.scan(Some("GSI2")).is_empty() && fixture.scan(Some("GSI3")).is_empty());
    assert_true_to_fields(&fixture);
}

#[test]
fn removing_an_optional_part_takes_the_item_out_of_its_index() {
    let fixture = with_task();
    fixture.run("unassign", r#"{"task_id": "t1"}"#);
    assert!(fixture.scan(Some("GSI1")).is_empty());
    fixture.run("edit", r#"{"task_id": "t1", "rank": null, "due": null}"#);
    assert!(fixture.scan(Some("ByStatus")).is_empty());
    assert!(task(&fixture).get("expires_at").is_none());
    assert_true_to_fields(&fixture);
}

#[test]
fn an_update_of_what_is_not_there_is_refused() {
    let fixture = Fixture::new(TASKS);
    for (pattern, arguments) in [
        ("vote", r#"{"task_id": "t1", "by": 1}"#),
        ("tag", r#"{"task_id": "t1", "tags": ["a"]}"#),
        ("edit", r#"{"task_id": "t1", "title": "x"}"#),
        ("delete_finished", r#"{"task_id": "t1"}"#),
    ] {
        let error = fixture.try_run(pattern, arguments).unwrap_err();
        assert!(matches!(error, RunError::Missing { .. }), "{pattern}: {error}");
    }
    assert!(fixture.scan(None).is_empty());
}

#[test]
fn a_condition_that_does_not_hold_is_told_from_a_missing_item() {
    let fixture = with_task();
    fixture.run("finish", r#"{"task_id": "t1"}"#);
    let error = fixture.try_run("finish", r#"{"task_id": "t1"}"#).unwrap_err();
    assert!(matches!(error, RunError::Condition { .. }), "{error}");
    fixture.run("edit", r#"{"task_id": "t1", "status": "doing"}"#);
    let error = fixture.try_run("delete_finished", r#"{"task_id": "t1"}"#).unwrap_err();
    assert!(matches!(error, RunError::Condition { .. }), "{error}");
}

#[test]
fn an_update_without_any_change_is_refused() {
    let fixture = with_task();
    let error = fixture.try_run("edit", r#"{"task_id": "t1"}"#).unwrap_err();
    assert!(matches!(error, RunError::Parameter { .. }), "{error}");
}

#[test]
fn a_required_field_cannot_be_taken_away() {
    let fixture = with_task();
    let error = fixture.try_run("edit", r#"{"task_id": "t1", "title": null}"#).unwrap_err();
    assert!(matches!(error, RunError::Parameter { .. }), "{error}");
}

#[test]
fn a_sum_may_not_pass_the_bounds_of_its_field() {
    let fixture = with_task();
    for by in ["-1", "1000000"] {
        let error = fixture.try_run("vote", &format!(r#"{{"task_id": "t1", "by": {by}}}"#)).unwrap_err();
        assert!(matches!(&error, RunError::Parameter { parameter, .. } if parameter == "votes"), "{error}");
    }
    fixture.run("tag", r#"{"task_id": "t1", "tags": ["a", "b"]}"#);
    fixture.run("tag", r#"{"task_id": "t1", "tags": ["b", "c"]}"#);
    let error = fixture.try_run("tag", r#"{"task_id": "t1", "tags": ["d"]}"#).unwrap_err();
    assert!(matches!(&error, RunError::Parameter { parameter, .. } if parameter == "tags"), "{error}");
    fixture.run("untag", r#"{"task_id": "t1", "tags": ["a", "b", "c"]}"#);
    assert!(!task(&fixture).contains("tags"));
}

#[test]
fn a_value_that_could_forge_a_key_is_refused() {
    let fixture = with_task();
    let error = fixture.try_run("edit", r#"{"task_id": "t1", "owner": "an#x"}"#).unwrap_err();
    assert!(matches!(&error, RunError::Parameter { parameter, .. } if parameter == "owner"), "{error}");
    assert_true_to_fields(&fixture);
}

#[test]
fn deleting_is_idempotent_and_answers_with_what_was_there() {
    let fixture = with_task();
    let gone = fixture.run("delete", r#"{"task_id": "t1"}"#);
    assert_eq!(gone.get("slug"), Some(&Json::from("s1")));
    assert!(fixture.scan(None).is_empty());
    assert!(matches!(fixture.try_run("delete", r#"{"task_id": "t1"}"#), Ok(Outcome::Deleted(None))));
}

#[test]
fn an_expired_item_is_as_good_as_gone() {
    let fixture = with_task();
    fixture.run("edit", r#"{"task_id": "t1", "due": "2025-01-20T15:31:00Z"}"#);
    fixture.clock.set_ms(NOW_MS + 11 * 86_400_000);
    let error = fixture.try_run("vote", r#"{"task_id": "t1", "by": 1}"#).unwrap_err();
    assert!(matches!(error, RunError::Missing { .. }), "{error}");
    fixture.run("create", r#"{"task_id": "t2", "project": "p", "title": "x", "slug": "s1", "number": 1}"#);
    fixture.run("create", r#"{"task_id": "t1", "project": "p", "title": "x", "slug": "s2"}"#);
    assert!(!task(&fixture).contains("expires_at"));
}

/// DynamoDB's deleter leaves times alone that are more than five years past. The item stays, and is gone all the same.
#[test]
fn an_item_that_expired_years_ago_is_as_good_as_gone() {
    let fixture = with_task();
    fixture.run("create", r#"{"task_id": "t2", "project": "p", "title": "x"}"#);
    fixture.run("edit", r#"{"task_id": "t1", "due": "2014-01-01T00:00:00Z"}"#);
    let missing = |pattern: &str, arguments: &str| {
        let error = fixture.try_run(pattern, arguments).unwrap_err();
        assert!(matches!(error, RunError::Missing { .. } | RunError::Condition { .. }), "{pattern}: {error}");
    };
    missing("vote", r#"{"task_id": "t1", "by": 1}"#);
    missing("rename", r#"{"task_id": "t1", "slug": "s2"}"#);
    missing("vote_if_open", r#"{"parent_id": "t1", "task_id": "t2", "by": 1}"#);
    fixture.run("edit", r#"{"task_id": "t2", "slug": "s1", "number": 1}"#);
    fixture.run("create", r#"{"task_id": "t1", "project": "p", "title": "x"}"#);
}

#[test]
fn deleting_an_expired_item_shows_nothing_of_it() {
    let fixture = with_task();
    fixture.run("edit", r#"{"task_id": "t1", "due": "2014-01-01T00:00:00Z"}"#);
    let deleted = fixture.try_run("delete", r#"{"task_id": "t1"}"#).unwrap();
    assert!(matches!(deleted, Outcome::Deleted(None)), "{deleted:?}");
}

#[test]
fn a_change_inside_an_object_changes_the_keys_made_of_it() {
    let fixture = Fixture::new(KITCHEN);
    fixture.run("create_container", r#"{"container_id": "c", "group_id": "g", "place": {"room": "cellar"}}"#);
    let moved = fixture.run("move_container", r#"{"container_id": "c", "room": "attic"}"#);
    assert_eq!(moved.get("place"), Some(&Json::from([("room", "attic")])));
    let item = fixture.stored("Container", "container_id", "c").unwrap();
    assert_eq!(text(&item, "GSI1SK"), "CONTAINER#attic#c");
    assert_true_to_fields(&fixture);
}
