//! `{now}` is the time of the call wherever a value can stand.

use singlet_run::{Arguments, Outcome, Paging, Wait};

use crate::fixture::Fixture;

const VISITS: &str = r#"
design = "visits"

[table]
key = ["PK", "SK"]

[entity.Place]
key = ["PLACES#{town}", "PLACE#{place}"]
[entity.Place.fields]
town  = "key"
place = "key"

[entity.Visit]
key = ["VISITS#{place}", "{at}#{visitor}"]
[entity.Visit.fields]
place   = "key"
visitor = "key"
at      = "time"
day     = { type = "date", optional = true }
second  = { type = "epoch", optional = true }

[pattern.add_place]
put = "Place"
[pattern.plan_visit]
create = "Visit"
[pattern.places]
query = "Place"
[pattern.visits]
query = "Visit"
range = "at"
limit = 10

[pattern.arrive]
transaction = { visit = { run = "plan_visit", with = { at = "{now}", day = "{now}", second = "{now}" } } }
[pattern.arrive_together]
transaction = { visits = { run = "plan_visit", each = { visitor = "visitors" }, with = { at = "{now}" } } }
[pattern.board]
parts = { past = { run = "visits", with = { to = "{now}" } }, coming = { run = "visits", with = { from = "{now}" } } }
[pattern.board_of_boards]
parts = { board = "board" }
[pattern.past_of_town]
merge = { each = "places", run = "visits", with = { to = "{now}" }, by = "at", limit = 2 }
"#;

fn visits() -> Fixture {
    let visits = Fixture::new(VISITS);
    for place in ["tower", "garden"] {
        visits.run("add_place", &format!(r#"{{"town": "Huế", "place": "{place}"}}"#));
        for (visitor, at) in [
            ("anna", "2025-01-18T10:00:00Z"),
            ("binh", "2025-01-19T10:00:00Z"),
            ("chi", "2025-01-20T15:30:00Z"),
            ("dung", "2025-01-20T15:30:01Z"),
            ("early", "2026-01-01T00:00:00Z"),
        ] {
            let arguments = format!(r#"{{"place": "{place}", "visitor": "{visitor}", "at": "{at}"}}"#);
            visits.run("plan_visit", &arguments);
        }
    }
    visits
}

/// The visitors in an answer, in its order.
fn visitors(outcome: &Outcome) -> Vec<String> {
    let Outcome::Items { records, .. } = outcome else { panic!("{outcome:?}") };
    let visitor = |json: singlet_design::Json| json.get("visitor").unwrap().as_text().unwrap().to_owned();
    records.iter().map(|record| visitor(record.to_json())).collect()
}

#[test]
fn a_part_bounded_by_now_leaves_out_what_is_to_come() {
    let visits = visits();
    let arguments = Arguments::from([("place".to_owned(), "tower".into())]);
    for pattern in ["board", "board_of_boards"] {
        let limit = Paging { limit: Some(10), cursor: None };
        let answer = visits.runner.run(pattern, &arguments, &limit).wait().unwrap();
        let mut parts = match answer {
            Outcome::Parts(parts) => parts,
            other => panic!("{other:?}"),
        };
        if let [(_, Outcome::Parts(inner))] = parts.as_slice() {
            parts = inner.clone();
        }
        assert_eq!(visitors(&parts[0].1), ["anna", "binh", "chi"], "{pattern}");
        assert_eq!(visitors(&parts[1].1), ["chi", "dung", "early"], "{pattern}");
    }
}

#[test]
fn a_step_writes_the_time_of_the_call_as_its_field_holds_it() {
    let visits = Fixture::new(VISITS);
    let answer = visits.run("arrive", r#"{"place": "tower", "visitor": "anna"}"#);
    let visit = answer.get("visit").unwrap();
    assert_eq!(visit.get("at").unwrap().as_text(), Some("2025-01-20T15:30:00.000Z"));
    assert_eq!(visit.get("day").unwrap().as_text(), Some("2025-01-20"));
    assert_eq!(visit.get("second").unwrap().to_string(), "1737387000");
    visits.run("arrive_together", r#"{"place": "garden", "visitors": ["anna", "binh"]}"#);
    assert_eq!(
        visits.run("visits", r#"{"place": "garden"}"#).get("items").unwrap().as_list().unwrap().len(),
        2
    );
}

#[test]
fn a_merge_bounded_by_now_pages_on_while_time_passes() {
    let visits = visits();
    let arguments = Arguments::from([("town".to_owned(), "Huế".into())]);
    let mut seen = Vec::new();
    let mut paging = Paging { limit: Some(1), cursor: None };
    loop {
        let page = visits.runner.run("past_of_town", &arguments, &paging).wait().unwrap();
        seen.extend(visitors(&page));
        let Outcome::Items { cursor: Some(cursor), .. } = page else { break };
        paging.cursor = Some(cursor.to_string());
        visits.clock.advance_ms(10);
    }
    assert_eq!(seen, ["anna", "anna", "binh", "binh", "chi", "chi"]);
}

#[test]
fn the_pages_of_a_part_are_bounded_by_the_time_of_its_first_page() {
    let visits = visits();
    let arguments = Arguments::from([("place".to_owned(), "tower".into())]);
    let first = Paging { limit: Some(1), cursor: None };
    let Outcome::Parts(parts) = visits.runner.run("board", &arguments, &first).wait().unwrap() else {
        panic!()
    };
    let Outcome::Items { cursor, .. } = &parts[0].1 else { panic!() };
    let (mut cursor, mut seen) = (cursor.clone(), visitors(&parts[0].1));
    while let Some(next) = cursor {
        visits.clock.advance_ms(60_000);
        let paging = Paging { limit: Some(1), cursor: Some(next.to_string()) };
        let page = visits.runner.run("visits", &arguments, &paging).wait().unwrap();
        seen.extend(visitors(&page));
        let Outcome::Items { cursor: next, .. } = page else { panic!() };
        cursor = next;
    }
    assert_eq!(seen, ["anna", "binh", "chi"]);
}

#[test]
fn no_caller_says_what_now_is() {
    let visits = visits();
    for pattern in ["board", "arrive"] {
        let arguments = r#"{"place": "tower", "visitor": "anna", "now": "2027-01-01T00:00:00Z"}"#;
        let refused = visits.try_run(pattern, arguments).unwrap_err();
        assert!(refused.to_string().contains("`now` isn't a parameter"), "{refused}");
        assert!(visits.runner.design().pattern(pattern).unwrap().parameter("now").is_none());
    }
}
