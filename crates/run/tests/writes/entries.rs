//! Entries of maps that a parameter names, and plain lists that grow at their end.

use std::sync::Mutex;
use std::thread;

use singlet_design::Json;
use singlet_run::{RunError, Wait};

use crate::fixture::{Fixture, try_run};
use crate::meddler::Meddler;

const POLLS: &str = r#"
design = "polls"

[table]
key = ["PK", "SK"]

[entity.Poll]
key = ["POLL#{poll_id}", "POLL"]
[entity.Poll.fields]
poll_id = "key"
votes   = { type = "map", of = { type = "int", min = 0 }, max = 3, optional = true }
notes   = { type = "map", of = "string", default = {} }
history = { type = "list", of = "string", max = 4, default = ["made"] }
log     = { type = "list", of = "number", optional = true }

[pattern.open]
create = "Poll"
[pattern.get]
get = "Poll"
[pattern.vote]
update = "Poll"
add    = { "votes.{kind}" = "{n}" }
[pattern.note]
update = "Poll"
set    = { "notes.{name}" = "{note}" }
[pattern.forget]
update = "Poll"
remove = ["notes.{name}"]
[pattern.tell]
update = "Poll"
add    = { history = "{entry}", log = "{size * 2}" }
[pattern.tell_two]
update = "Poll"
add    = { history = ["a", "b"] }
[pattern.untell]
update   = "Poll"
subtract = { history = "{entry}" }
[pattern.vote_anyway]
upsert = "Poll"
add    = { "votes.{kind}" = 1, history = "voted" }
"#;

fn polls() -> Fixture {
    let fixture = Fixture::new(POLLS);
    fixture.run("open", r#"{"poll_id": "p"}"#);
    fixture
}

fn shown(poll: &Json, field: &str) -> String {
    poll.get(field).map(ToString::to_string).unwrap_or_default()
}

#[test]
fn a_parameter_names_the_entry_and_a_missing_map_is_made() {
    let fixture = polls();
    let vote = |kind: &str, n: i32| {
        fixture.try_run("vote", &format!(r#"{{"poll_id": "p", "kind": "{kind}", "n": {n}}}"#))
    };
    vote("yes", 2).unwrap();
    vote("yes", 1).unwrap();
    assert_eq!(shown(&vote("no", 1).unwrap().to_json(), "votes"), r#"{"no":1,"yes":3}"#);
    assert!(vote("yes", -4).unwrap_err().to_string().contains("votes.yes"), "the bound of the values holds");
    vote("maybe", 1).unwrap();
    assert!(vote("other", 1).unwrap_err().to_string().contains("at most 3"), "the map is full");
    vote("maybe", 1).unwrap();
    for kind in ["a.b", "a[0]", ""] {
        let refused = vote(kind, 1).unwrap_err();
        assert!(refused.to_string().contains("`kind`"), "{refused}");
    }
}

#[test]
fn entries_are_set_and_removed() {
    let fixture = polls();
    fixture.run("note", r#"{"poll_id": "p", "name": "an", "note": "x"}"#);
    let poll = fixture.run("note", r#"{"poll_id": "p", "name": "bo", "note": "y"}"#);
    assert_eq!(shown(&poll, "notes"), r#"{"an":"x","bo":"y"}"#);
    let poll = fixture.run("forget", r#"{"poll_id": "p", "name": "an"}"#);
    assert_eq!(shown(&poll, "notes"), r#"{"bo":"y"}"#);
}

#[test]
fn voters_who_make_the_map_at_the_same_time_all_count() {
    let fixture = polls();
    thread::scope(|scope| {
        for voter in 0..16 {
            let fixture = &fixture;
            let kind = if voter % 2 == 0 { "yes" } else { "no" };
            let call = format!(r#"{{"poll_id": "p", "kind": "{kind}", "n": 1}}"#);
            scope.spawn(move || fixture.run("vote", &call));
        }
    });
    assert_eq!(shown(&fixture.run("get", r#"{"poll_id": "p"}"#), "votes"), r#"{"no":8,"yes":8}"#);
}

#[test]
fn a_map_that_somebody_makes_in_between_is_kept() {
    let fixture = polls();
    let rival = ("vote", r#"{"poll_id": "p", "kind": "no", "n": 5}"#.to_owned());
    let meddler = Meddler { fixture: &fixture, calls: Mutex::new([rival].into()) };
    let runner = fixture.runner_on(meddler);
    let poll = try_run(&runner, "vote", r#"{"poll_id": "p", "kind": "yes", "n": 1}"#).wait().unwrap();
    assert_eq!(shown(&poll.to_json(), "votes"), r#"{"no":5,"yes":1}"#);
}

#[test]
fn a_list_grows_at_its_end_within_its_bound() {
    let fixture = polls();
    let tell = |entry: &str| {
        fixture.try_run("tell", &format!(r#"{{"poll_id": "p", "entry": "{entry}", "size": 3}}"#))
    };
    tell("x").unwrap();
    let poll = tell("y").unwrap().to_json();
    assert_eq!(
        (shown(&poll, "history"), shown(&poll, "log")),
        (r#"["made","x","y"]"#.into(), "[6,6]".into())
    );
    let refused = fixture.try_run("tell_two", r#"{"poll_id": "p"}"#).unwrap_err();
    assert!(refused.to_string().contains("`history` would have 5 entries; at most 4 fit"), "{refused}");
    tell("x").unwrap();
    assert!(matches!(tell("z"), Err(RunError::Parameter { .. })));
    let poll = fixture.run("untell", r#"{"poll_id": "p", "entry": "x"}"#);
    assert_eq!(shown(&poll, "history"), r#"["made","y"]"#, "all equal elements are removed");
    let poll = fixture.run("untell", r#"{"poll_id": "p", "entry": "x"}"#);
    assert_eq!(shown(&poll, "history"), r#"["made","y"]"#);
    fixture.run("tell_two", r#"{"poll_id": "p"}"#);
}

#[test]
fn an_upsert_makes_the_maps_and_lists_of_a_new_item() {
    let fixture = Fixture::new(POLLS);
    let call = r#"{"poll_id": "p", "kind": "yes"}"#;
    fixture.run("vote_anyway", call);
    let poll = fixture.run("vote_anyway", call);
    assert_eq!(shown(&poll, "votes"), r#"{"yes":2}"#);
    assert_eq!(shown(&poll, "history"), r#"["made","voted","voted"]"#);
}

#[test]
fn elements_that_are_removed_are_not_lost_to_a_rival() {
    let fixture = polls();
    let rival = ("tell", r#"{"poll_id": "p", "entry": "new", "size": 1}"#.to_owned());
    let meddler = Meddler { fixture: &fixture, calls: Mutex::new([rival].into()) };
    let runner = fixture.runner_on(meddler);
    let poll = try_run(&runner, "untell", r#"{"poll_id": "p", "entry": "made"}"#).wait().unwrap();
    assert_eq!(shown(&poll.to_json(), "history"), r#"["new"]"#);
}
