//! Computed fields follow from other fields in every write, and unique values from templates.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;

use proptest::prelude::*;
use singlet_design::Json;
use singlet_engine::values::AttributeValue;
use singlet_run::{RunError, Wait};

use crate::audit::assert_true_to_fields;
use crate::backend::cases;
use crate::fixture::Fixture;
use crate::laws::{Call, attempt};
use crate::meddler::Meddler;

const DRIVERS: &str = r#"
design = "drivers"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]
GSI2 = ["area", "driver_id"]

[entity.Driver]
key    = ["DRIVER#{driver_id}", "DRIVER"]
GSI1   = ["CELL#{cell}", "{driver_id}"]
unique = ["{email:lower}", ["{plate:upper:5}", "country"]]
[entity.Driver.fields]
driver_id = "key"
geohash   = "string"
cell      = { type = "string", value = "{geohash:5}" }
email     = "string"
plate     = { type = "string", optional = true }
country   = { type = "string", default = "vn" }
area      = { type = "string", value = "{country}-{town:fold}", optional = true }
town      = { type = "string", optional = true }
trips     = { type = "int", default = 0 }
score     = { type = "number", value = "{trips * 10 + 1}" }

[entity.Stop]
key = ["CELL#{cell}", "STOP#{geohash}"]
[entity.Stop.fields]
geohash = "string"
cell    = { type = "string", value = "{geohash:3}" }
name    = "string"

[pattern.join]
create = "Driver"
[pattern.replace]
put = "Driver"
[pattern.get]
get = "Driver"
[pattern.move]
update = "Driver"
set    = ["geohash", "town", "country", "email", "plate"]
[pattern.drive]
update = "Driver"
add    = { trips = 1 }
[pattern.leave]
delete = "Driver"
[pattern.in_cell]
query  = "Driver"
on     = "GSI1"
filter = "score >= {least} and begins_with(cell, 'w')"
[pattern.in_area]
query = "Driver"
on    = "GSI2"
[pattern.add_stop]
create = "Stop"
[pattern.stops]
query = "Stop"
[pattern.rename_stop]
update = "Stop"
set    = ["name"]
"#;

fn drivers() -> Fixture {
    Fixture::new(&DRIVERS.replace("{plate:upper:5}", "{plate:upper}"))
}

fn shown(item: &Json, field: &str) -> String {
    item.get(field).map(ToString::to_string).unwrap_or_default()
}

fn join(fixture: &Fixture, id: &str, geohash: &str, email: &str) -> Result<Json, RunError> {
    let call = format!(r#"{{"driver_id": "{id}", "geohash": "{geohash}", "email": "{email}"}}"#);
    fixture.try_run("join", &call).map(|outcome| outcome.to_json())
}

fn in_cell(fixture: &Fixture, cell: &str, least: u32) -> usize {
    let answer = fixture.run("in_cell", &format!(r#"{{"cell": "{cell}", "least": {least}}}"#));
    answer.get("items").unwrap().as_list().unwrap().len()
}

#[test]
fn a_computed_field_follows_in_every_write() {
    let fixture = drivers();
    let driver = join(&fixture, "an", "w3gvk1x", "An@x.vn").unwrap();
    assert_eq!((shown(&driver, "cell"), shown(&driver, "score")), ("\"w3gvk\"".into(), "1".into()));
    assert_eq!(shown(&driver, "area"), "", "its town is missing");
    assert_eq!(in_cell(&fixture, "w3gvk", 0), 1);
    let driver = fixture.run("drive", r#"{"driver_id": "an"}"#);
    assert_eq!((shown(&driver, "trips"), shown(&driver, "score")), ("1".into(), "11".into()));
    assert_eq!((in_cell(&fixture, "w3gvk", 12), in_cell(&fixture, "w3gvk", 11)), (0, 1));
    let driver = fixture.run("move", r#"{"driver_id": "an", "geohash": "w3gvz99", "town": "Đà Nẵng"}"#);
    assert_eq!(
        (shown(&driver, "cell"), shown(&driver, "area")),
        ("\"w3gvz\"".into(), "\"vn-da nang\"".into())
    );
    assert_eq!((in_cell(&fixture, "w3gvk", 0), in_cell(&fixture, "w3gvz", 0)), (0, 1));
    let there = fixture.run("in_area", r#"{"area": "vn-da nang"}"#);
    assert_eq!(there.get("items").unwrap().as_list().unwrap().len(), 1);
    let driver = fixture.run("move", r#"{"driver_id": "an", "town": null}"#);
    assert_eq!(shown(&driver, "area"), "");
    assert_true_to_fields(&fixture);
}

#[test]
fn nobody_gives_a_computed_field() {
    let fixture = drivers();
    let call = r#"{"driver_id": "an", "geohash": "w3gvk1x", "email": "a", "cell": "x"}"#;
    assert!(fixture.try_run("join", call).unwrap_err().to_string().contains("`cell`"));
    let pattern = fixture.runner.design().pattern("join").unwrap().clone();
    assert!(pattern.parameter("cell").is_none() && pattern.parameter("score").is_none());
}

#[test]
fn a_computed_field_can_be_part_of_the_tables_key() {
    let fixture = drivers();
    fixture.run("add_stop", r#"{"geohash": "w3gvk1x", "name": "a"}"#);
    fixture.run("rename_stop", r#"{"cell": "w3g", "geohash": "w3gvk1x", "name": "b"}"#);
    let stops = fixture.run("stops", r#"{"cell": "w3g"}"#);
    assert_eq!(stops.get("items").unwrap().as_list().unwrap().len(), 1);
    assert_true_to_fields(&fixture);
}

#[test]
fn a_unique_template_tells_no_case_apart() {
    let fixture = drivers();
    join(&fixture, "an", "w3gvk", "An@x.vn").unwrap();
    assert!(matches!(join(&fixture, "bo", "w3gvk", "aN@X.vn"), Err(RunError::NotUnique { .. })));
    join(&fixture, "bo", "w3gvk", "bo@x.vn").unwrap();
    fixture.run("move", r#"{"driver_id": "an", "email": "AN@x.vn"}"#);
    assert!(matches!(
        fixture.try_run("move", r#"{"driver_id": "bo", "email": "an@X.VN"}"#),
        Err(RunError::NotUnique { .. })
    ));
    let plate = |id: &str, plate: &str, country: &str| {
        let call = format!(r#"{{"driver_id": "{id}", "plate": "{plate}", "country": "{country}"}}"#);
        fixture.try_run("move", &call)
    };
    plate("an", "43a-1", "vn").unwrap();
    assert!(matches!(plate("bo", "43A-1", "vn"), Err(RunError::NotUnique { .. })));
    plate("bo", "43A-1", "la").unwrap();
    fixture.run("leave", r#"{"driver_id": "an"}"#);
    plate("bo", "43A-1", "vn").unwrap();
    assert_true_to_fields(&fixture);
}

#[test]
fn of_values_that_differ_only_in_case_one_wins_a_race() {
    for round in 0..10 {
        let fixture = drivers();
        let won: usize = thread::scope(|scope| {
            let racers: Vec<_> = ["A@x", "a@X", "a@x", "A@X"]
                .into_iter()
                .enumerate()
                .map(|(racer, email)| {
                    let fixture = &fixture;
                    scope.spawn(move || match join(fixture, &format!("d{racer}"), "w3gvk", email) {
                        Ok(_) => 1,
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

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(32), ..ProptestConfig::default() })]
    /// Whatever the writes, the fields, keys and reservations are what a rebuild would make.
    #[test]
    fn computed_fields_are_what_a_rebuild_would_make(
        calls in prop::collection::vec((0_u8..5, prop::sample::select(vec!["an", "bo"]), "w[a-c]{4,7}", prop::sample::select(vec!["A", "a", "b"])), 1..16),
    ) {
        let fixture = drivers();
        for (kind, id, geohash, email) in calls {
            let whole = format!(r#"{{"driver_id": "{id}", "geohash": "{geohash}", "email": "{email}", "town": "{geohash}"}}"#);
            let (pattern, call) = match kind {
                0 => ("join", whole),
                1 => ("replace", whole),
                2 => ("move", whole),
                3 => ("drive", format!(r#"{{"driver_id": "{id}"}}"#)),
                _ => ("leave", format!(r#"{{"driver_id": "{id}"}}"#)),
            };
            let _ = fixture.try_run(pattern, &call);
            assert_true_to_fields(&fixture);
        }
    }
}

/// A write of one of few drivers, with an address that others may have in other letters.
fn write_of_a_driver() -> impl Strategy<Value = Call> {
    let ids = prop::sample::select(vec!["an", "bo", "cy"]);
    let emails = prop::sample::select(vec!["A@x", "a@X", "a@x", "b@x", "B@X"]);
    let plates = prop::sample::select(vec!["\"43a\"", "\"43A\"", "null"]);
    (0_u8..8, ids, emails, plates).prop_map(|(kind, id, email, plate)| {
        let whole =
            format!(r#"{{"driver_id": "{id}", "geohash": "w3gvk", "email": "{email}", "plate": {plate}}}"#);
        match kind {
            0..3 => ("join", whole),
            3 => ("replace", whole),
            4..7 => ("move", whole),
            _ => ("leave", format!(r#"{{"driver_id": "{id}"}}"#)),
        }
    })
}

/// No two drivers share an address or a plate, whatever its letters, and each of theirs is reserved.
fn assert_unique(fixture: &Fixture) {
    let items = fixture.scan(None);
    for field in ["email", "plate"] {
        let values = items.iter().filter(|item| item.get("type") == Some(&"Driver".into()));
        let values = values.filter_map(|item| match item.get(field) {
            Some(AttributeValue::S(text)) => Some(text.to_lowercase()),
            _ => None,
        });
        let values: Vec<String> = values.collect();
        assert_eq!(values.iter().collect::<BTreeSet<_>>().len(), values.len(), "{field}: {values:?}");
    }
    assert_true_to_fields(fixture);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(32), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_by_a_template_stay_unique_though_callers_race(
        callers in prop::collection::vec(prop::collection::vec(write_of_a_driver(), 1..20), 2..5),
    ) {
        let fixture = drivers();
        thread::scope(|scope| {
            for calls in &callers {
                let fixture = &fixture;
                scope.spawn(move || calls.iter().for_each(|call| attempt(&fixture.runner, call).wait()));
            }
        });
        assert_unique(&fixture);
    }

    #[test]
    fn values_by_a_template_stay_unique_in_the_worst_interleaving(
        turns in prop::collection::vec((write_of_a_driver(), prop::collection::vec(write_of_a_driver(), 0..3)), 1..16),
    ) {
        let fixture = drivers();
        for (call, meddling) in turns {
            let store = Meddler { fixture: &fixture, calls: Mutex::new(meddling.into()) };
            attempt(&fixture.runner_on(store), &call).wait();
            assert_unique(&fixture);
        }
    }
}

/// Fields that hold the parts of others, and a search by them.
const WORDS: &str = r#"
design = "words"
[table]
key = ["PK", "SK"]
[entity.Text]
key = ["TEXT#{id}", "TEXT"]
[entity.Text.fields]
id       = "key"
title    = { type = "string", max = 40 }
tags     = { type = "list", of = { type = "string", max = 20 }, max = 5, default = [] }
words    = { type = "set", of = { type = "string", max = 40 }, max = 4, optional = true, value = "{title:words}" }
of_tags  = { type = "list", of = { type = "string", max = 20 }, max = 20, value = "{tags:words}" }
trigrams = { type = "list", of = { type = "string", max = 3 }, max = 40, value = "{title:trigrams}" }
[pattern.add]
create = "Text"
[pattern.retitle]
update = "Text"
set    = ["title", "tags"]
[pattern.tag]
update = "Text"
set    = { tags = "{text:words}" }
"#;

#[test]
fn lists_of_words_and_trigrams_follow_their_texts() {
    let fixture = Fixture::new(WORDS);
    let field = |name: &str| fixture.stored("Text", "id", "t").unwrap().get(name).cloned();
    let list = |texts: &[&str]| Some(AttributeValue::L(texts.iter().map(|text| (*text).into()).collect()));
    let set =
        |texts: &[&str]| Some(AttributeValue::Ss(texts.iter().map(|text| (*text).to_owned()).collect()));
    fixture.run("add", r#"{"id": "t", "title": "Gà – thịt gà", "tags": ["Món chính", "gà"]}"#);
    assert_eq!(field("words"), set(&["ga", "thit"]));
    assert_eq!(field("of_tags"), list(&["mon", "chinh", "ga"]));
    assert_eq!(field("trigrams"), list(&["__g", "_ga", "ga_", "__t", "_th", "thi", "hit", "it_"]));
    fixture.run("retitle", r#"{"id": "t", "title": "Bò"}"#);
    assert_eq!((field("words"), field("trigrams")), (set(&["bo"]), list(&["__b", "_bo", "bo_"])));
    fixture.run("tag", r#"{"id": "t", "text": "Phở bò"}"#);
    assert_eq!((field("tags"), field("of_tags")), (list(&["pho", "bo"]), list(&["pho", "bo"])));
    let long = r#"{"id": "u", "title": "one two three four five"}"#;
    let error = fixture.try_run("add", long).unwrap_err();
    assert!(error.to_string().contains("the words of `title`"), "{error}");
}

/// The reference shows a search by trigrams. It finds what it says.
#[test]
fn the_search_of_the_reference_tolerates_typos() {
    let page = include_str!("../../../../docs/design-language.md");
    let (_, example) = page.split_once("[entity.Dish]").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let head = "design = \"dishes\"\n[table]\nkey = [\"PK\", \"SK\"]\n[entity.Dish]";
    let fixture = Fixture::new(&format!("{head}{example}"));
    for (id, name) in [("1", "Thịt gà"), ("2", "Gà xào"), ("3", "Bánh mì")] {
        fixture.run("add_dish", &format!(r#"{{"dish_id": "{id}", "name": "{name}"}}"#));
    }
    for (text, expected) in
        [("ag tihjt", "1"), ("ga thit", "1"), ("xào gà", "2"), ("BANH MÍ", "3"), ("bahn mi", "3")]
    {
        let answer = fixture.run("find_dishes", &format!(r#"{{"name": "{text}"}}"#));
        let items =
            answer.get("dishes").and_then(|dishes| dishes.get("items")).and_then(Json::as_list).unwrap();
        assert_eq!(items[0].get("dish_id").and_then(Json::as_text), Some(expected), "{text}: {answer}");
    }
}
