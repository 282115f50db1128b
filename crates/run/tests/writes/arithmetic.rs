//! Conditions that calculate: rearranged for the store, or decided by the item under the condition that it stays so.

use std::sync::Mutex;
use std::thread;

use singlet_run::{RunError, Wait};

use crate::fixture::{Fixture, try_run};
use crate::meddler::Meddler;

const TICKETS: &str = r#"
design = "tickets"

[table]
key = ["PK", "SK"]

[entity.Show]
key = ["SHOW#{show_id}", "SHOW"]
[entity.Show.fields]
show_id  = "key"
cap      = "int"
sold     = { type = "int", default = 0 }
held     = { type = "int", default = 0 }
price    = { type = "number", default = 1 }
closes   = { type = "time", optional = true }
note     = { type = "string", optional = true }

[pattern.plan]
create = "Show"
[pattern.get]
get = "Show"
[pattern.buy]
update = "Show"
add    = { sold = "{n}" }
if     = "sold + {n} <= cap"
[pattern.buy_of_hundred]
update = "Show"
add    = { sold = "{n}" }
if     = "sold + {n} <= 100"
[pattern.hold]
update = "Show"
add    = { held = 1 }
if     = "closes - 30s > {now}"
[pattern.cancel]
delete = "Show"
if     = "sold + held = 0"
[pattern.replace]
put = "Show"
if  = "not (sold + held > 0) or sold * price < 10"
[pattern.has_room]
check = "Show"
if    = "2 * sold < cap"
[pattern.note]
update = "Show"
set    = { note = "{note}" }
[pattern.note_if_room]
transaction = { room = "has_room", show = "plan_other" }
[pattern.plan_other]
create = "Ticket"
[entity.Ticket]
key = ["SHOW#{show_id}", "TICKET#{cap}"]
[entity.Ticket.fields]
show_id  = "key"
cap      = "int"
"#;

fn tickets(cap: u32) -> Fixture {
    let fixture = Fixture::new(TICKETS);
    fixture.run("plan", &format!(r#"{{"show_id": "s", "cap": {cap}}}"#));
    fixture
}

fn sold(fixture: &Fixture) -> String {
    fixture.run("get", r#"{"show_id": "s"}"#).get("sold").unwrap().to_string()
}

#[test]
fn a_sum_of_a_field_and_a_parameter_is_compared_with_another_field() {
    let fixture = tickets(10);
    let buy = |n: u32| fixture.try_run("buy", &format!(r#"{{"show_id": "s", "n": {n}}}"#));
    assert!(buy(7).is_ok());
    assert!(matches!(buy(4), Err(RunError::Condition { .. })));
    assert!(buy(3).is_ok());
    assert_eq!(sold(&fixture), "10");
    let hundred = |n: u32| fixture.try_run("buy_of_hundred", &format!(r#"{{"show_id": "s", "n": {n}}}"#));
    assert!(matches!(hundred(91), Err(RunError::Condition { .. })));
    assert!(hundred(90).is_ok());
    assert!(matches!(fixture.try_run("buy", r#"{"show_id": "t", "n": 1}"#), Err(RunError::Missing { .. })));
}

#[test]
fn buyers_at_the_same_time_never_buy_more_than_there_are() {
    for pattern in ["buy", "buy_of_hundred"] {
        let fixture = tickets(100);
        let bought: u32 = thread::scope(|scope| {
            let buyers: Vec<_> = (1..=16)
                .map(|n| {
                    let fixture = &fixture;
                    let call = format!(r#"{{"show_id": "s", "n": {n}}}"#);
                    scope.spawn(move || match fixture.try_run(pattern, &call) {
                        Ok(_) => n,
                        Err(RunError::Condition { .. } | RunError::Contention { .. }) => 0,
                        Err(error) => panic!("{error}"),
                    })
                })
                .collect();
            buyers.into_iter().map(|buyer| buyer.join().unwrap()).sum()
        });
        assert_eq!(sold(&fixture), bought.to_string());
        assert!(bought <= 100 && bought > 84, "{pattern}: {bought}");
    }
}

#[test]
fn what_was_read_for_a_condition_must_not_have_changed() {
    let fixture = tickets(10);
    let rival = ("buy", r#"{"show_id": "s", "n": 9}"#.to_owned());
    let meddler = Meddler { fixture: &fixture, calls: Mutex::new([rival].into()) };
    let runner = fixture.runner_on(meddler);
    let buy = |n: u32| try_run(&runner, "buy", &format!(r#"{{"show_id": "s", "n": {n}}}"#)).wait();
    assert!(matches!(buy(2), Err(RunError::Condition { .. })), "the rival took the room");
    assert!(buy(1).is_ok());
    assert_eq!(sold(&fixture), "10");
}

#[test]
fn a_change_of_other_fields_does_not_disturb() {
    let fixture = tickets(10);
    let rival = ("note", r#"{"show_id": "s", "note": "x"}"#.to_owned());
    let meddler = Meddler { fixture: &fixture, calls: Mutex::new([rival].into()) };
    let runner = fixture.runner_on(meddler);
    try_run(&runner, "buy", r#"{"show_id": "s", "n": 10}"#).wait().unwrap();
    let show = fixture.run("get", r#"{"show_id": "s"}"#);
    assert_eq!((sold(&fixture), show.get("note").unwrap().as_text()), ("10".to_owned(), Some("x")));
}

#[test]
fn every_kind_of_write_can_calculate_in_its_condition() {
    let fixture = tickets(10);
    let run = |pattern: &str, more: &str| fixture.try_run(pattern, &format!(r#"{{"show_id": "s"{more}}}"#));
    assert!(matches!(run("hold", ""), Err(RunError::Condition { .. })), "there is no time to compare with");
    assert!(run("replace", r#", "cap": 4, "sold": 2, "closes": "2025-01-20T15:31:00Z""#).is_ok());
    assert!(run("hold", "").is_ok());
    fixture.clock.advance_ms(30_000);
    assert!(matches!(run("hold", ""), Err(RunError::Condition { .. })));
    assert!(matches!(run("cancel", ""), Err(RunError::Condition { .. })));
    assert!(matches!(run("has_room", ""), Err(RunError::Condition { .. })), "half of 4 is sold");
    assert!(run("replace", r#", "cap": 5, "sold": 2, "price": 100"#).is_ok(), "2 times 1 is less than 10");
    assert!(run("has_room", "").is_ok());
    assert!(matches!(run("replace", r#", "cap": 5"#), Err(RunError::Condition { .. })));
    assert!(run("note_if_room", r#", "cap": 1"#).is_ok());
    run("buy", r#", "n": -2"#).unwrap();
    run("cancel", "").unwrap();
    assert_eq!(fixture.scan(None).len(), 1, "only the ticket is left");
}
