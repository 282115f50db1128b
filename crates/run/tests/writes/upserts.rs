//! `upsert` changes an item, or creates it, and loses nothing while others do the same.

use std::sync::Mutex;
use std::thread;

use proptest::prelude::*;
use singlet_run::{RunError, Wait};

use crate::audit::assert_true_to_fields;
use crate::backend::cases;
use crate::fixture::{Fixture, try_run};
use crate::meddler::Meddler;

const USAGE: &str = r#"
design = "usage"

[table]
key = ["PK", "SK"]
ttl = "expires_at"

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Usage]
key    = ["ACCOUNT#{account}", "USAGE#{minute}"]
GSI1   = ["STATE#{state}", "{calls:06}#{account}"]
ttl    = "1 hour after seen_at"
unique = ["slot"]
[entity.Usage.fields]
account = "key"
minute  = "time"
state   = { type = "string", enum = ["open", "closed"], default = "open" }
calls   = { type = "int", min = 0, max = 999_999 }
bytes   = { type = "number", default = 10 }
users   = { type = "set", of = "string", optional = true, max = 20 }
plan    = "string"
slot    = { type = "string", optional = true }
seen_at = "time"
made    = "created"
changed = "updated"

[pattern.record]
upsert = "Usage"
add    = { calls = "{n}", bytes = "{size}", users = "{users}" }
set    = { seen_at = "{now}" }
first  = { plan = "{plan}" }
if     = "state = 'open'"
[pattern.close]
update = "Usage"
set    = { state = "closed" }
[pattern.reserve]
upsert = "Usage"
add    = { calls = 1 }
set    = ["slot"]
first  = { plan = "none", seen_at = "{now}" }
[pattern.get]
get = "Usage"
[pattern.remove]
delete = "Usage"
[pattern.twice.transaction]
here  = { run = "record", with = { minute = "{first}" } }
there = { run = "record", with = { minute = "{second}", calls = "{here.calls * 1}" } }
"#;

const MINUTE: &str = r#""account": "a", "minute": "2025-01-20T15:30:00Z""#;

fn record(n: u32) -> String {
    format!(r#"{{{MINUTE}, "n": {n}, "size": 1, "users": ["u{n}"], "plan": "p{n}"}}"#)
}

fn usage() -> Fixture {
    Fixture::new(&USAGE.replace(r#", calls = "{here.calls * 1}""#, ""))
}

#[test]
fn an_upsert_creates_once_and_changes_from_then_on() {
    let fixture = usage();
    let shown = |usage: &singlet_design::Json, field: &str| usage.get(field).unwrap().to_string();
    let new = fixture.run("record", &record(2));
    assert_eq!((shown(&new, "calls"), shown(&new, "bytes")), ("2".to_owned(), "11".to_owned()));
    assert_eq!(shown(&new, "plan"), "\"p2\"");
    fixture.clock.advance_ms(1000);
    let changed = fixture.run("record", &record(3));
    assert_eq!((shown(&changed, "calls"), shown(&changed, "bytes")), ("5".to_owned(), "12".to_owned()));
    assert_eq!(shown(&changed, "plan"), "\"p2\"", "only a new item gets it");
    assert_eq!(shown(&changed, "made"), shown(&new, "made"));
    assert_ne!(shown(&changed, "changed"), shown(&new, "changed"));
    assert_eq!(shown(&changed, "users"), r#"["u2","u3"]"#);
    assert_true_to_fields(&fixture);
}

#[test]
fn the_condition_of_an_upsert_is_about_an_existing_item() {
    let fixture = usage();
    fixture.run("record", &record(1));
    fixture.run("close", &format!("{{{MINUTE}}}"));
    assert!(matches!(fixture.try_run("record", &record(1)), Err(RunError::Condition { .. })));
}

#[test]
fn an_expired_item_is_replaced_by_a_new_one() {
    let fixture = usage();
    fixture.run("record", &record(7));
    fixture.clock.advance_ms(2 * 3_600_000);
    let usage = fixture.run("record", &record(1));
    assert_eq!(usage.get("calls").unwrap().to_string(), "1");
    assert_eq!(usage.get("plan").unwrap().as_text(), Some("p1"));
}

#[test]
fn bounds_hold_for_the_first_amount_too() {
    let fixture = usage();
    let call = format!(r#"{{{MINUTE}, "n": -1, "size": 1, "users": [], "plan": "p"}}"#);
    let refused = fixture.try_run("record", &call).unwrap_err();
    assert!(refused.to_string().contains("`calls`"), "{refused}");
    assert!(fixture.scan(None).is_empty());
}

#[test]
fn sixteen_upserts_at_once_lose_no_increment() {
    for round in 0..5 {
        let fixture = usage();
        thread::scope(|scope| {
            for n in 1..=16 {
                let fixture = &fixture;
                scope.spawn(move || fixture.run("record", &record(n)));
            }
        });
        let usage = fixture.run("get", &format!("{{{MINUTE}}}"));
        assert_eq!(usage.get("calls").unwrap().to_string(), "136", "round {round}");
        assert_eq!(usage.get("bytes").unwrap().to_string(), "26");
        assert_eq!(usage.get("users").unwrap().as_list().unwrap().len(), 16);
        assert_true_to_fields(&fixture);
    }
}

#[test]
fn upserts_in_one_transaction_create_and_change() {
    let fixture = usage();
    let call = r#"{"account": "a", "first": "2025-01-20T15:30:00Z", "second": "2025-01-20T15:31:00Z", "n": 2, "size": 1, "users": ["u"], "plan": "p"}"#;
    fixture.run("record", &record(1));
    fixture.run("twice", call);
    fixture.run("twice", call);
    let calls = |minute: u32| {
        let call = format!(r#"{{"account": "a", "minute": "2025-01-20T15:{minute}:00Z"}}"#);
        fixture.run("get", &call).get("calls").unwrap().to_string()
    };
    assert_eq!((calls(30), calls(31)), ("5".to_owned(), "4".to_owned()));
    assert_true_to_fields(&fixture);
}

#[test]
fn unique_values_of_a_new_item_are_reserved() {
    let fixture = usage();
    let reserve = |account: &str| {
        let call = format!(r#"{{"account": "{account}", "minute": "2025-01-20T15:30:00Z", "slot": "x"}}"#);
        fixture.try_run("reserve", &call)
    };
    assert!(reserve("a").is_ok());
    assert!(reserve("a").is_ok(), "its own");
    assert!(matches!(reserve("b"), Err(RunError::NotUnique { .. })));
    assert_true_to_fields(&fixture);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(48), ..ProptestConfig::default() })]
    /// A rival who creates, changes or deletes the item between a look at it and the write.
    #[test]
    fn no_interleaving_loses_an_increment(
        rivals in prop::collection::vec((prop::sample::select(vec!["record", "record", "remove"]), 1_u32..9), 0..4),
        starts in any::<bool>(),
        n in 1_u32..9,
    ) {
        let fixture = usage();
        if starts {
            fixture.run("record", &record(1));
        }
        let call = |pattern: &'static str, n: u32| match pattern {
            "record" => (pattern, record(n)),
            other => (other, format!("{{{MINUTE}}}")),
        };
        let calls = rivals.iter().map(|(pattern, n)| call(pattern, *n)).collect();
        let meddler = Meddler { fixture: &fixture, calls: Mutex::new(calls) };
        let runner = fixture.runner_on(meddler);
        let answer = try_run(&runner, "record", &record(n)).wait().unwrap().to_json();
        let met = rivals.len() - runner.store().calls.lock().unwrap().len();
        // The rivals came in order, and this call last.
        let mut calls = u32::from(starts);
        for (pattern, n) in rivals.iter().take(met) {
            calls = if *pattern == "record" { calls + n } else { 0 };
        }
        prop_assert_eq!(answer.get("calls").unwrap().to_string(), (calls + n).to_string());
        assert_true_to_fields(&fixture);
    }
}
