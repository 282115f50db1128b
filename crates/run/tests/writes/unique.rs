//! Unique values belong to one item at a time.

use std::sync::Mutex;
use std::thread;

use singlet_engine::values::Item;
use singlet_run::{RunError, Wait};

use crate::audit::assert_true_to_fields;
use crate::designs::TASKS;
use crate::fixture::{Fixture, try_run};
use crate::meddler::Meddler;

fn create(fixture: &Fixture, id: &str, slug: &str) -> Result<(), RunError> {
    let arguments = format!(r#"{{"task_id": "{id}", "project": "p", "title": "x", "slug": "{slug}"}}"#);
    fixture.try_run("create", &arguments).map(|_| ())
}

#[test]
fn a_second_holder_is_refused_by_the_name_of_the_field() {
    let fixture = Fixture::new(TASKS);
    create(&fixture, "a", "s").unwrap();
    let error = create(&fixture, "b", "s").unwrap_err();
    assert!(matches!(&error, RunError::NotUnique { field, .. } if field == "slug"), "{error}");
    fixture.run("create", r#"{"task_id": "c", "project": "p", "title": "x", "number": 1}"#);
    let again = r#"{"task_id": "d", "project": "p", "title": "x", "number": 1}"#;
    let error = fixture.try_run("create", again).unwrap_err();
    assert!(matches!(&error, RunError::NotUnique { field, .. } if field == "project,number"), "{error}");
    fixture.run("create", r#"{"task_id": "d", "project": "q", "title": "x", "number": 1}"#);
    assert_true_to_fields(&fixture);
}

#[test]
fn changing_a_value_frees_the_old_one() {
    let fixture = Fixture::new(TASKS);
    create(&fixture, "a", "old").unwrap();
    fixture.run("edit", r#"{"task_id": "a", "slug": "new"}"#);
    create(&fixture, "b", "old").unwrap();
    let error = create(&fixture, "c", "new").unwrap_err();
    assert!(matches!(error, RunError::NotUnique { .. }), "{error}");
    fixture.run("edit", r#"{"task_id": "a", "slug": null}"#);
    create(&fixture, "c", "new").unwrap();
    assert_true_to_fields(&fixture);
}

#[test]
fn writing_the_same_value_again_keeps_it() {
    let fixture = Fixture::new(TASKS);
    create(&fixture, "a", "s").unwrap();
    fixture.run("edit", r#"{"task_id": "a", "slug": "s", "title": "y"}"#);
    fixture.run("put", r#"{"task_id": "a", "project": "p", "title": "z", "slug": "s"}"#);
    assert_true_to_fields(&fixture);
    fixture.run("put", r#"{"task_id": "a", "project": "p", "title": "z"}"#);
    create(&fixture, "b", "s").unwrap();
    assert_true_to_fields(&fixture);
}

#[test]
fn values_of_a_group_cannot_be_mistaken_for_each_other() {
    let fixture = Fixture::new(&TASKS.replace(r#"["project", "number"]"#, r#"["title", "status"]"#));
    for (id, title) in [("a", "1:a,3:new"), ("b", "1:a"), ("c", "a#new"), ("d", "a")] {
        fixture.run("create", &format!(r#"{{"task_id": "{id}", "project": "p", "title": "{title}"}}"#));
    }
    assert_true_to_fields(&fixture);
}

#[test]
fn long_values_are_unique_too() {
    let fixture = Fixture::new(TASKS);
    let long = "x".repeat(3000);
    create(&fixture, "a", &format!("{long}1")).unwrap();
    create(&fixture, "b", &format!("{long}2")).unwrap();
    let error = create(&fixture, "c", &format!("{long}1")).unwrap_err();
    assert!(matches!(error, RunError::NotUnique { .. }), "{error}");
    assert_true_to_fields(&fixture);
}

#[test]
fn a_reservation_expires_with_its_holder_though_the_time_changes_in_between() {
    let later = r#"{"task_id": "a", "due": "2030-01-01T00:00:00Z"}"#;
    let same = r#"{"task_id": "a", "project": "p", "title": "x", "slug": "s"}"#;
    for call in [("rename", r#"{"task_id": "a", "slug": "t"}"#), ("put", same)] {
        let fixture = Fixture::new(TASKS);
        create(&fixture, "a", "s").unwrap();
        let meddling = [("edit", later.to_owned())];
        let store = Meddler { fixture: &fixture, calls: Mutex::new(meddling.into()) };
        try_run(&fixture.runner_on(store), call.0, call.1).wait().unwrap();
        assert_true_to_fields(&fixture);
    }
}

/// A task that had a value, and one that took the value over after the first had expired.
fn taken_over(source: &str) -> Fixture {
    let fixture = Fixture::new(source);
    create_expired(&fixture, "old");
    create(&fixture, "new", "s").unwrap();
    fixture
}

/// A task with the value `s` whose time was over nine days ago.
fn create_expired(fixture: &Fixture, id: &str) {
    let due = "2025-01-01T00:00:00Z";
    let task = format!(r#"{{"task_id": "{id}", "project": "p", "title": "x", "slug": "s", "due": "{due}"}}"#);
    fixture.run("create", &task);
}

/// The task that has the value `s`, which exactly one has.
#[track_caller]
fn assert_held_by(fixture: &Fixture, id: &str) {
    let reservations =
        fixture.scan(None).into_iter().filter(|item| item.get("type") == Some(&"unique".into()));
    let holders: Vec<_> = reservations.filter_map(|item| item.get("holder").cloned()).collect();
    assert_eq!(holders, [format!("TASK#{id}").into()]);
}

#[test]
fn an_expired_item_leaves_its_value_to_the_item_that_took_it_over() {
    let fixture = taken_over(TASKS);
    fixture.run("delete", r#"{"task_id": "old"}"#);
    assert!(fixture.stored("Task", "task_id", "old").is_none());
    assert_held_by(&fixture, "new");
    assert_true_to_fields(&fixture);

    let fixture = taken_over(TASKS);
    fixture.run("put", r#"{"task_id": "old", "project": "p", "title": "again"}"#);
    assert_held_by(&fixture, "new");
    let same = r#"{"task_id": "old", "project": "p", "title": "again", "slug": "s"}"#;
    let error = fixture.try_run("put", same).unwrap_err();
    assert!(matches!(error, RunError::NotUnique { .. }), "{error}");
    assert_true_to_fields(&fixture);
}

#[test]
fn a_value_may_be_taken_over_or_given_back_between_read_and_write() {
    let take = ("create", r#"{"task_id": "new", "project": "p", "title": "x", "slug": "s"}"#.to_owned());
    let nothing = ("delete", r#"{"task_id": "nobody"}"#.to_owned());
    let give_back = ("delete", r#"{"task_id": "new"}"#.to_owned());
    // The third read is the one of the reservation.
    let calls = [vec![take.clone()], vec![take.clone(), nothing.clone(), give_back], vec![take, nothing]];
    for (meddling, holders) in calls.into_iter().zip([1, 0, 1]) {
        let fixture = Fixture::new(TASKS);
        create_expired(&fixture, "old");
        let store = Meddler { fixture: &fixture, calls: Mutex::new(meddling.into()) };
        try_run(&fixture.runner_on(store), "delete", r#"{"task_id": "old"}"#).wait().unwrap();
        assert!(fixture.stored("Task", "task_id", "old").is_none());
        let of_type = |item: &&Item| item.get("type") == Some(&"unique".into());
        assert_eq!(fixture.scan(None).iter().filter(of_type).count(), holders);
        assert_true_to_fields(&fixture);
    }
}

#[test]
fn one_transaction_deletes_an_expired_item_and_the_item_that_took_over_its_value() {
    let both = "transaction = { one = { run = \"delete\", with = { task_id = \"{one}\" } }, \
                other = { run = \"delete\", with = { task_id = \"{other}\" } } }";
    let source = format!("{TASKS}\n[pattern.delete_both]\n{both}\n");
    for arguments in [r#"{"one": "old", "other": "new"}"#, r#"{"one": "new", "other": "old"}"#] {
        let fixture = taken_over(&source);
        fixture.run("delete_both", arguments);
        assert_eq!(fixture.scan(None), []);
    }
}

#[test]
fn of_creates_that_race_for_one_value_one_wins() {
    for round in 0..20 {
        let fixture = Fixture::new(TASKS);
        let won: usize = thread::scope(|scope| {
            let racers: Vec<_> = (0..4)
                .map(|racer| {
                    let fixture = &fixture;
                    scope.spawn(move || match create(fixture, &format!("t{racer}"), "s") {
                        Ok(()) => 1,
                        Err(RunError::NotUnique { .. }) => 0,
                        Err(error) => panic!("{error}"),
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).sum()
        });
        assert_eq!(won, 1, "round {round}");
        assert_true_to_fields(&fixture);
    }
}
