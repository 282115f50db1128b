//! Several writes, all or none.

use singlet_design::Json;
use singlet_run::RunError;

use crate::audit::assert_true_to_fields;
use crate::designs::{KITCHEN, TASKS};
use crate::fixture::Fixture;

fn with_tasks(ids: &[&str]) -> Fixture {
    let fixture = Fixture::new(TASKS);
    for id in ids {
        let arguments =
            format!(r#"{{"task_id": "{id}", "project": "p", "title": "x", "owner": "an", "slug": "{id}"}}"#);
        fixture.run("create", &arguments);
    }
    fixture
}

#[test]
fn a_later_step_uses_the_id_that_an_earlier_one_made() {
    let fixture = Fixture::new(KITCHEN);
    let made = fixture.run("create_group_with_container", r#"{"name": "home", "place": {"room": "cellar"}}"#);
    let id = made.get("group").and_then(|group| group.get("group_id")).unwrap();
    assert_eq!(made.get("container").and_then(|container| container.get("group_id")), Some(id));
    assert_true_to_fields(&fixture);
}

#[test]
fn an_update_in_a_transaction_answers_with_the_whole_item() {
    let fixture = Fixture::new(KITCHEN);
    fixture.run("create_group", r#"{"group_id": "g", "name": "home"}"#);
    let made = fixture.run("create_container_and_count", r#"{"group_id": "g", "place": {"room": "cellar"}}"#);
    let group = made.get("group").unwrap();
    assert_eq!(group.get("containers"), Some(&Json::from(1)));
    assert_eq!(group.get("name"), Some(&Json::from("home")));
}

#[test]
fn a_transaction_that_fails_leaves_nothing() {
    let fixture = Fixture::new(KITCHEN);
    let arguments = r#"{"group_id": "nobody", "place": {"room": "cellar"}}"#;
    let error = fixture.try_run("create_container_and_count", arguments).unwrap_err();
    assert!(matches!(&error, RunError::Missing { entity } if entity == "Group"), "{error}");
    assert!(fixture.scan(None).is_empty());
}

#[test]
fn derived_keys_of_every_step_are_right() {
    let fixture = with_tasks(&["a", "b"]);
    let voted = fixture.run("vote_for_both", r#"{"first_id": "a", "second_id": "b", "by": 3}"#);
    assert_eq!(voted.get("second").and_then(|task| task.get("votes")), Some(&Json::from(3)));
    assert_true_to_fields(&fixture);
}

#[test]
fn one_item_in_two_steps_is_refused_by_name() {
    let fixture = with_tasks(&["a"]);
    let error =
        fixture.try_run("vote_for_both", r#"{"first_id": "a", "second_id": "a", "by": 3}"#).unwrap_err();
    assert!(error.to_string().contains("first and second"), "{error}");
    assert!(matches!(error, RunError::Limit(_)));
}

#[test]
fn a_check_that_does_not_hold_names_its_step() {
    let fixture = with_tasks(&["a", "b"]);
    let vote = r#"{"parent_id": "a", "task_id": "b", "by": 1}"#;
    fixture.run("vote_if_open", vote);
    fixture.run("finish", r#"{"task_id": "a"}"#);
    let error = fixture.try_run("vote_if_open", vote).unwrap_err();
    assert!(matches!(&error, RunError::Condition { pattern, .. } if pattern == "open"), "{error}");
    let error =
        fixture.try_run("vote_if_open", r#"{"parent_id": "z", "task_id": "b", "by": 1}"#).unwrap_err();
    assert!(matches!(error, RunError::Missing { .. }), "{error}");
}

#[test]
fn unique_values_go_from_hand_to_hand() {
    let fixture = with_tasks(&["a", "b"]);
    fixture.run("swap_slugs", r#"{"one_id": "a", "one_slug": "b", "other_id": "b", "other_slug": "a"}"#);
    assert_true_to_fields(&fixture);
    fixture.run("replace", r#"{"old_id": "a", "task_id": "c", "project": "p", "title": "x", "slug": "b"}"#);
    assert_true_to_fields(&fixture);
    let taken = r#"{"old_id": "c", "task_id": "d", "project": "p", "title": "x", "slug": "a"}"#;
    let error = fixture.try_run("replace", taken).unwrap_err();
    assert!(matches!(error, RunError::NotUnique { .. }), "{error}");
    assert_true_to_fields(&fixture);
}

#[test]
fn a_step_runs_once_for_each_element() {
    let fixture = Fixture::new(TASKS);
    let made = fixture.run("create_all", r#"{"task_ids": ["a", "b", "c"], "project": "p", "title": "x"}"#);
    assert_eq!(made.get("all").and_then(Json::as_list).map(<[Json]>::len), Some(3));
    assert_true_to_fields(&fixture);
    let error = fixture
        .try_run("create_all", r#"{"task_ids": ["d", "e"], "project": "p", "title": "x", "slug": "s"}"#)
        .unwrap_err();
    assert!(matches!(error, RunError::NotUnique { .. }), "{error}");
    let nothing = fixture.run("create_all", r#"{"task_ids": [], "project": "p", "title": "x"}"#);
    assert_eq!(nothing.get("all"), Some(&Json::List(Vec::new())));
}

#[test]
fn more_changes_than_a_transaction_takes_are_refused_before_anything_is_written() {
    let fixture = Fixture::new(TASKS);
    let ids: Vec<String> = (0..101).map(|id| format!("\"{id}\"")).collect();
    let arguments = format!(r#"{{"task_ids": [{}], "project": "p", "title": "x"}}"#, ids.join(","));
    assert!(matches!(fixture.try_run("create_all", &arguments), Err(RunError::Limit(_))));
    assert!(fixture.scan(None).is_empty());
}

#[test]
fn a_list_that_is_longer_than_its_step_takes_is_refused_by_name() {
    let fixture = Fixture::new(TASKS);
    let arguments = r#"{"task_ids": ["a", "b", "c"], "project": "p", "title": "x"}"#;
    let error = fixture.try_run("create_two", arguments).unwrap_err();
    assert!(matches!(&error, RunError::Parameter { parameter, .. } if parameter == "task_ids"), "{error}");
    assert!(fixture.scan(None).is_empty());
    fixture.run("create_two", r#"{"task_ids": ["a", "b"], "project": "p", "title": "x"}"#);
    assert_eq!(fixture.scan(None).len(), 2);
}
