//! After any sequence of patterns, with any interleaving of callers, the table is what a rebuild would make it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

use proptest::prelude::*;
use singlet_design::run::RunError;
use singlet_engine::values::{AttributeValue, Number};

use crate::audit::assert_true_to_fields;
use crate::designs::TASKS;
use crate::fixture::Fixture;

/// A pattern with its arguments, over few ids and values so that callers meet.
fn call() -> impl Strategy<Value = (&'static str, String)> {
    let id = prop::sample::select(vec!["a", "b", "c"]);
    let member = |name: &'static str, values: &'static [&'static str]| {
        prop::option::weighted(0.35, prop::sample::select(values))
            .prop_map(move |value| value.map(|value| format!(r#", "{name}": {value}"#)).unwrap_or_default())
    };
    let members = (
        member("status", &[r#""new""#, r#""doing""#, r#""done""#]),
        member("flagged", &["true", "false"]),
        member("owner", &[r#""an""#, r#""bo""#, "null"]),
        member("due", &[r#""2030-01-31T23:59:59.999Z""#, r#""2030-02-01T00:00:00Z""#, "null"]),
        member("rank", &["1", "2", "null"]),
        member("slug", &[r#""s""#, r#""t""#, "null"]),
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
            4..7 => ("edit", format!(r#"{{"task_id": "{id}", "title": "{title}"{members}}}"#)),
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

/// What callers may be told; anything else is a fault.
fn attempt(fixture: &Fixture, (pattern, arguments): &(&str, String)) {
    match fixture.try_run(pattern, arguments) {
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
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_caller_leaves_what_a_rebuild_would_make(calls in prop::collection::vec(call(), 1..40)) {
        let fixture = Fixture::new(TASKS);
        for call in &calls {
            fixture.clock.advance_ms(1);
            attempt(&fixture, call);
            assert_true_to_fields(&fixture);
        }
    }

    #[test]
    fn callers_at_once_leave_what_a_rebuild_would_make(
        callers in prop::collection::vec(prop::collection::vec(call(), 1..25), 2..5),
    ) {
        let fixture = Fixture::new(TASKS);
        thread::scope(|scope| {
            for calls in &callers {
                let fixture = &fixture;
                scope.spawn(move || calls.iter().for_each(|call| {
                    fixture.clock.advance_ms(1);
                    attempt(fixture, call);
                }));
            }
        });
        assert_true_to_fields(&fixture);
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
