//! After any sequence of patterns, with any interleaving of callers, the table is what a rebuild would make it.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

use proptest::prelude::*;
use singlet_engine::values::{AttributeValue, Number};
use singlet_run::{RunError, Runner, Wait};
use singlet_store::Store;

use crate::audit::assert_true_to_fields;
use crate::backend::cases;
use crate::designs::{KITCHEN, TASKS};
use crate::fixture::{Fixture, try_run};
use crate::meddler::Meddler;

/// Few items, so that callers meet.
const IDS: [&str; 3] = ["a", "b", "c"];
/// One item that nearly everybody is after.
const HOT: [&str; 5] = ["a", "a", "a", "a", "b"];

/// A pattern with its arguments.
pub(crate) type Call = (&'static str, String);

/// A call of any write, over few ids and values so that callers meet.
fn call(ids: &'static [&'static str]) -> impl Strategy<Value = Call> {
    let id = prop::sample::select(ids);
    let member = |name: &'static str, values: &'static [&'static str]| {
        prop::option::weighted(0.5, prop::sample::select(values))
            .prop_map(move |value| value.map(|value| format!(r#", "{name}": {value}"#)).unwrap_or_default())
    };
    let members = (
        member("status", &[r#""new""#, r#""doing""#, r#""done""#]),
        member("flagged", &["true", "false"]),
        member("owner", &[r#""an""#, r#""bo""#, "null"]),
        member("due", &[r#""2030-01-31T23:59:59.999Z""#, r#""2030-02-01T00:00:00Z""#, "null"]),
        member("rank", &["1", "2", "null"]),
        member("slug", &[r#""s""#, r#""t""#, r#""u""#, "null"]),
        member("number", &["1", "2", "null"]),
    )
        .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g].concat());
    let text = (prop::sample::select(vec!["p", "q"]), prop::sample::select(vec!["Phở", "cơm"]));
    (0..16_u8, id.clone(), id, members, text).prop_map(|(kind, id, other, members, (project, title))| {
        let whole = format!(r#"{{"task_id": "{id}", "project": "{project}", "title": "{title}"{members}}}"#);
        let one = format!(r#"{{"task_id": "{id}"}}"#);
        match kind {
            0..3 => ("create", whole),
            3 => ("put", whole),
            4..6 => ("edit", format!(r#"{{"task_id": "{id}", "title": "{title}"{members}}}"#)),
            6 => ("rename", format!(r#"{{"task_id": "{id}", "slug": "{other}"}}"#)),
            7 => ("edit", format!(r#"{{"task_id": "{id}", "project": "{project}"{members}}}"#)),
            8 => ("vote", format!(r#"{{"task_id": "{id}", "by": 1}}"#)),
            9 => ("vote_and_flag", one),
            10 => ("unassign", one),
            11 => ("finish", one),
            12 => ("delete", one),
            13 => ("vote_for_both", format!(r#"{{"first_id": "{id}", "second_id": "{other}", "by": 2}}"#)),
            14 => {
                let ids = format!(r#""one_id": "{id}", "other_id": "{other}""#);
                ("swap_slugs", format!(r#"{{{ids}, "one_slug": "s", "other_slug": "t"}}"#))
            }
            _ => ("replace", whole.replacen('{', &format!(r#"{{"old_id": "{other}", "#), 1)),
        }
    })
}

/// Errors that callers may get; anything else is a fault.
pub(crate) async fn attempt<S: Store>(runner: &Runner<S>, (pattern, arguments): &Call) {
    match try_run(runner, pattern, arguments).await {
        Ok(_)
        | Err(
            RunError::Exists { .. }
            | RunError::Missing { .. }
            | RunError::NotUnique { .. }
            | RunError::Condition { .. }
            | RunError::Contention { .. },
        ) => {}
        // One item in two steps.
        Err(RunError::Limit(_)) if ["vote_for_both", "swap_slugs", "replace"].contains(pattern) => {}
        Err(error) => panic!("{pattern} {arguments}: {error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_caller_leaves_what_a_rebuild_would_make(calls in prop::collection::vec(call(&IDS), 1..40)) {
        let fixture = Fixture::new(TASKS);
        for call in &calls {
            fixture.clock.advance_ms(1);
            attempt(&fixture.runner, call).wait();
            assert_true_to_fields(&fixture);
        }
    }

    #[test]
    fn callers_that_get_in_between_leave_what_a_rebuild_would_make(
        turns in prop::collection::vec((call(&HOT), prop::collection::vec(call(&HOT), 0..3)), 1..24),
    ) {
        let fixture = Fixture::new(TASKS);
        for (call, meddling) in turns {
            fixture.clock.advance_ms(1);
            fixture.try_run("create", r#"{"task_id": "a", "project": "p", "title": "x"}"#).ok();
            let store = Meddler { fixture: &fixture, calls: Mutex::new(meddling.into()) };
            attempt(&fixture.runner_on(store), &call).wait();
            assert_true_to_fields(&fixture);
        }
    }

    #[test]
    fn callers_at_once_leave_what_a_rebuild_would_make(
        callers in prop::collection::vec(prop::collection::vec(call(&IDS), 1..25), 2..5),
    ) {
        let fixture = Fixture::new(TASKS);
        thread::scope(|scope| {
            for calls in &callers {
                let fixture = &fixture;
                scope.spawn(move || calls.iter().for_each(|call| {
                    fixture.clock.advance_ms(1);
                    attempt(&fixture.runner, call).wait();
                }));
            }
        });
        assert_true_to_fields(&fixture);
    }
}

/// An operation on one of five foods.
fn food_call() -> impl Strategy<Value = (&'static str, String)> {
    let pattern = prop::sample::select(vec!["add_food", "add_food", "change_food", "remove_food"]);
    (pattern, 0..5_u8, 0..9_u8).prop_map(|(pattern, id, amount)| {
        let key = format!(r#""container_id": "c", "food_id": "{id}""#);
        let rest = match pattern {
            "add_food" => format!(r#", "name": "food {id}""#),
            "change_food" => format!(r#", "amount": {amount}"#),
            _ => String::new(),
        };
        (pattern, format!("{{{key}{rest}}}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn elements_stay_whole_single_and_within_bounds(
        callers in prop::collection::vec(prop::collection::vec(food_call(), 1..20), 2..5),
    ) {
        let fixture = Fixture::new(KITCHEN);
        let container = r#"{"container_id": "c", "group_id": "g", "place": {"room": "cellar"}, "foods": []}"#;
        fixture.run("create_container", container);
        thread::scope(|scope| {
            for calls in &callers {
                let fixture = &fixture;
                scope.spawn(move || calls.iter().for_each(|(pattern, arguments)| {
                    match fixture.try_run(pattern, arguments) {
                        Ok(_) | Err(RunError::Exists { .. } | RunError::Missing { .. } | RunError::Contention { .. }) => {}
                        // The list is full.
                        Err(RunError::Limit(_)) if *pattern == "add_food" => {}
                        Err(error) => panic!("{pattern} {arguments}: {error}"),
                    }
                }));
            }
        });
        let stored = fixture.stored("Container", "container_id", "c").unwrap();
        let Some(AttributeValue::L(foods)) = stored.get("foods") else { panic!("no list: {stored:?}") };
        let mut ids = BTreeSet::new();
        for food in foods {
            let AttributeValue::M(food) = food else { panic!("no object: {food:?}") };
            let Some(AttributeValue::S(id)) = food.get("food_id") else { panic!("without key: {food:?}") };
            prop_assert_eq!(food.get("name"), Some(&format!("food {id}").into()));
            prop_assert!(ids.insert(id.clone()), "{} is there twice", id);
        }
        prop_assert!(foods.len() <= 4);
    }
}

#[test]
fn no_vote_is_lost_though_the_counter_stands_in_a_key() {
    let fixture = Fixture::new(TASKS);
    fixture.run("create", r#"{"task_id": "a", "project": "p", "title": "x", "owner": "an"}"#);
    let counted = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    match fixture.try_run("vote", r#"{"task_id": "a", "by": 1}"#) {
                        Ok(_) => _ = counted.fetch_add(1, Ordering::Relaxed),
                        Err(RunError::Contention { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let votes = AttributeValue::N(Number::from(counted.into_inner()));
    assert_eq!(fixture.stored("Task", "task_id", "a").unwrap().get("votes"), Some(&votes));
    assert_true_to_fields(&fixture);
}
