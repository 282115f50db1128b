//! The units that are predicted for a request are those that the engine consumes, on every design.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

#[path = "predicted/accounts.rs"]
mod accounts;
#[path = "../../review/tests/review/generated.rs"]
mod generated;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use singlet_design::{
    BULK_GROUP_MAX, CLAIM_PAGE_ITEMS, Count, Design, Json, MERGED_PAGE_ITEMS_DEFAULT, Operation,
    PAGE_ITEMS_DEFAULT, Pattern, WALK_DEFAULT, first_request_items, from_text, load, schema, to_json,
};
use singlet_engine::values::EncodedItem;
use singlet_engine::{Database, ManualClock, Options};
use singlet_review::{Contribution, KeyLoad, Load, RULES, item_size, read_units, write_units};
use singlet_run::apply::{choose_environment, plan};
use singlet_run::explain::{RecordedOutcome, Recording};
use singlet_run::seed::{Sample, SeedOptions, Seeder, plant};
use singlet_run::{Arguments, Paging, Runner, SeededEntropy, Wait};
use singlet_store::Embedded;

/// 2025-01-20T15:30:00Z.
const NOW_MS: u64 = 1_737_387_000_000;
const ITEMS: u64 = 120;
/// The number of generated designs.
const GENERATED: u64 = 24;
/// Calls of each pattern, each with values of another item.
const CALLS: usize = 3;
/// Values that are tried for parameters that no item has.
const TEXTS: [&str; 7] =
    ["2025-01-01T00:00:00Z", "2025-01-01", "1", "true", "x", r#"[{"body": "a"}, {"body": "b"}]"#, "[]"];

/// The fields of a sample as JSON.
fn fields(sample: &Sample) -> BTreeMap<String, Json> {
    let item = EncodedItem::encode(&sample.item);
    let names = sample.entity.fields.iter().map(|field| field.name.clone());
    names.filter_map(|name| Some((name.clone(), to_json(item.view().get(&name)?)))).collect()
}

/// The entity that a pattern is about, if it is about one.
fn subject(pattern: &Pattern) -> Option<&str> {
    Some(match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => &get.entity.name,
        Operation::BatchGet(batch) => &batch.entity.name,
        Operation::Query(query) | Operation::Count(Count { query, .. }) => &query.entities.first()?.name,
        Operation::Scan(scan) => &scan.entity.name,
        Operation::Create(insert) | Operation::Put(insert) => &insert.entity.name,
        Operation::Update(update) => &update.entity.name,
        Operation::Delete(delete) => &delete.entity.name,
        Operation::Check(check) => &check.entity.name,
        _ => return None,
    })
}

/// Values for a pattern's parameters: from an item of its entity, else from any item, else made up. One call leaves out
/// those that are optional.
fn arguments(pattern: &Pattern, samples: &[Sample], call: usize) -> Arguments {
    let own: Vec<&Sample> =
        samples.iter().filter(|sample| Some(sample.entity.name.as_str()) == subject(pattern)).collect();
    let own = own.get(call * 7 % own.len().max(1)).map(|sample| fields(sample)).unwrap_or_default();
    let mut arguments = Arguments::new();
    for parameter in &pattern.parameters {
        let others =
            samples.iter().skip(call * 5).filter_map(|sample| fields(sample).remove(&parameter.name));
        let known = own.get(&parameter.name).cloned().or_else(|| others.into_iter().next());
        let made = || TEXTS.iter().find_map(|text| from_text(&parameter.kind, text).ok());
        let value = if parameter.required { known.or_else(made) } else { known.filter(|_| call != 1) };
        if let Some(value) = value {
            arguments.insert(parameter.name.clone(), value);
        }
    }
    arguments
}

/// Runs every pattern that callers can run on seeded data. Returns the number of patterns that did something, and of
/// all.
fn hold(name: &str, source: &str) -> (usize, usize) {
    let design = Arc::new(load(name, source).unwrap_or_else(|report| panic!("{report}")));
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let options = Options { clock: clock.clone(), ..Options::default() };
    let store = Embedded::new(Database::in_memory_with(options).unwrap(), "memory");
    let environment = choose_environment(&design, None).unwrap();
    plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
    let options = SeedOptions { items: ITEMS, seed: 3, now_ms: NOW_MS };
    plant(Seeder::new(&design, options), &store, &environment.name, &mut |_| {}).wait().unwrap();
    let samples: Vec<Sample> = Seeder::new(&design, options).map(Result::unwrap).collect();
    let mut worked = 0;
    let runner = Runner::new(Arc::clone(&design), Recording::new(store).with_writes(), &environment.name)
        .with_clock(clock)
        .with_entropy(Arc::new(SeededEntropy::new(9)));
    for pattern in design.callable() {
        let before = runner.store().recorded().len();
        for call in 0..CALLS {
            let _ = runner.run(&pattern.name, &arguments(pattern, &samples, call), &Paging::default()).wait();
        }
        let recorded = runner.store().recorded().split_off(before);
        for one in &recorded {
            let RecordedOutcome::Done(consumed) = &one.outcome else { continue };
            let predicted = &one.predicted;
            let said = format!("{name}: {}: {one}", pattern.name);
            assert_eq!((predicted.read, predicted.write), (consumed.read, consumed.write), "{said}");
            assert_eq!(predicted.indexes, consumed.indexes, "{said}");
            assert!(!predicted.at_least, "{said}");
        }
        worked += usize::from(recorded.iter().any(|one| matches!(one.outcome, RecordedOutcome::Done(_))));
    }
    (worked, design.callable().count())
}

fn designs_in(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let paths = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    paths.sort();
    paths.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn predicted_units_are_consumed_units_for_every_pattern_of_every_design() {
    let mut total = (0, 0);
    for folder in ["designs", "crates/design/tests/good"] {
        for (name, source) in designs_in(folder) {
            let (worked, patterns) = hold(&name, &source);
            total = (total.0 + worked, total.1 + patterns);
        }
    }
    assert!(total.0 * 10 >= total.1 * 7, "only {} of {} patterns did something", total.0, total.1);
}

/// Designs that have every kind of pattern, on top of what the generator for the review makes.
#[test]
fn predicted_units_are_consumed_units_on_generated_designs() {
    let mut total = (0, 0);
    for seed in 0..GENERATED {
        let source = accounts::with_accounts(&generated::generated_design(seed), seed);
        let (worked, patterns) = hold(&format!("generated {seed}"), &source);
        total = (total.0 + worked, total.1 + patterns);
    }
    assert!(total.0 * 10 >= total.1 * 7, "only {} of {} patterns did something", total.0, total.1);
}

/// Users with unique names.
const HEAD: &str = "design = \"units\"\n[table]\nkey = [\"PK\", \"SK\"]\n[entity.User]\nkey = [\"USER#{user_id}\", \"USER\"]\nunique = [\"name\"]\n[entity.User.fields]\nuser_id = \"id\"\nname = { type = \"string\", max = 40 }\nnick = { type = \"string\", max = 40, optional = true }\n";

fn design(text: &str) -> Design {
    load("units.toml", &format!("{HEAD}{text}")).unwrap_or_else(|report| panic!("{report}"))
}

/// A create with a unique value is a transaction of two writes, and both count twice.
#[test]
fn reservations_of_unique_values_are_in_the_estimate() {
    let load = Load::of(&design("[pattern.join]\ncreate = \"User\"\nrate = \"10/s\"\n"));
    let units: f64 = load.keys.iter().flat_map(|key| &key.writes).map(|write| write.units_per_second).sum();
    assert_eq!(units, 10.0 * (2.0 * write_units(100) + 2.0 * write_units(100)));
}

const NOTES: &str = r##"
[entity.Note]
key = ["NOTE#{note_id}", "NOTE"]
[entity.Note.fields]
note_id = "id"
user_id = { type = "key", ref = "User", must_exist = true }
[pattern.is_user]
check = "User"
"##;

/// A create that checks a reference is a transaction of a write and a check, and both count twice.
#[test]
fn checks_of_references_are_in_the_estimate() {
    let units = |pattern: &str| -> f64 {
        let load = Load::of(&design(&format!("{NOTES}[pattern.note]\ncreate = \"Note\"\n{pattern}")));
        load.keys.iter().flat_map(|key| &key.writes).map(|write| write.units_per_second).sum()
    };
    let both = 10.0 * (2.0 * write_units(100) + 2.0 * write_units(100));
    assert_eq!(units("rate = \"10/s\"\n"), both);
    // A step that checks the user takes the place of the reference's own check.
    let steps = "[pattern.both]\ntransaction = { user = \"is_user\", note = \"note\" }\nrate = \"10/s\"\n";
    assert_eq!(units(steps), both);
}

/// A get in a transaction is a strongly consistent read and a check. A step that writes the item makes the check itself.
#[test]
fn gets_in_transactions_are_in_the_estimate() {
    let units = |steps: &str| -> (f64, f64) {
        let pattern = format!("[pattern.both]\ntransaction = {{ {steps} }}\nrate = \"10/s\"\n");
        let load = Load::of(&design(&format!("{NOTES}{pattern}")));
        let sum = |units: &dyn Fn(&singlet_review::KeyLoad) -> f64| load.keys.iter().map(units).sum::<f64>();
        let reads = sum(&|key| key.reads.iter().map(|read| read.units_per_second).sum());
        (reads, sum(&|key| key.writes.iter().map(|write| write.units_per_second).sum()))
    };
    let (read, write) = (10.0 * read_units(100, true), 10.0 * 2.0 * write_units(100));
    let note = "note = { create = \"Note\", set = { user_id = \"{user.user_id}\" } }";
    assert_eq!(units(&format!("user = {{ get = \"User\" }}, {note}")), (read, 2.0 * write));
    assert_eq!(units(&format!("user = \"is_user\", {note}")), (read, 2.0 * write));
    let rename = "again = { update = \"User\", remove = [\"nick\"] }";
    // The changed item is read again for the answer.
    assert_eq!(units(&format!("user = {{ get = \"User\" }}, {note}, {rename}")), (2.0 * read, 2.0 * write));
}

/// The units of reads and writes that a pattern is estimated to use in one call, and those that it uses.
fn estimated_and_used(patterns: &str, calls: &[(&str, &str)]) -> ((f64, f64), (f64, f64)) {
    let text = format!("{NOTES}{patterns}rate = \"1/s\"\n");
    let load = Load::of(&design(&text));
    let sum = |side: fn(&KeyLoad) -> &Vec<Contribution>| -> f64 {
        load.keys.iter().flat_map(side).map(|one| one.units_per_second).sum()
    };
    let estimated = (sum(|key| &key.reads), sum(|key| &key.writes));
    let design = Arc::new(design(&text));
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    let environment = choose_environment(&design, None).unwrap();
    plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
    let runner = Runner::new(design, Recording::new(store).with_writes(), &environment.name);
    let mut before = 0;
    for (pattern, values) in calls {
        before = runner.store().recorded().len();
        let Json::Object(values) = values.parse::<Json>().unwrap() else { panic!("an object") };
        runner.run(pattern, &values.into_iter().collect::<Arguments>(), &Paging::default()).wait().unwrap();
    }
    let mut used = (0.0, 0.0);
    for one in runner.store().recorded().split_off(before) {
        if let RecordedOutcome::Done(consumed) = one.outcome {
            used = (used.0 + consumed.read, used.1 + consumed.write);
        }
    }
    (estimated, used)
}

const JOIN: (&str, &str) = ("join", r#"{"user_id": "u", "name": "A"}"#);

/// A step that runs for each element of a list costs as often as the list may have elements.
#[test]
fn steps_for_each_element_are_in_the_estimate_as_often_as_they_run() {
    let patterns = "[pattern.join]\ncreate = \"User\"\n[pattern.note]\ncreate = \"Note\"\n[pattern.notes]\n\
                    transaction.notes = { run = \"note\", each = \"note in notes\", max = 3, \
                    with = { note_id = \"{note}\" } }\n";
    let notes = ("notes", r#"{"user_id": "u", "notes": ["a", "b", "c"]}"#);
    let (estimated, used) = estimated_and_used(patterns, &[JOIN, notes]);
    assert_eq!(estimated, used);
    assert_eq!(used, (0.0, 2.0 * 3.0 + 2.0));
}

/// A write that must see its item reads it before, and a transaction is followed by a read of what it changed.
#[test]
fn reads_before_and_after_a_guarded_write_are_in_the_estimate() {
    let join = "[pattern.join]\ncreate = \"User\"\n[pattern.asked]\n";
    for (pattern, values) in [
        ("delete = \"User\"\n", r#"{"user_id": "u"}"#),
        ("update = \"User\"\nset = [\"name\"]\n", r#"{"user_id": "u", "name": "B"}"#),
        ("update = \"User\"\nremove = [\"nick\"]\n", r#"{"user_id": "u"}"#),
        ("put = \"User\"\n", r#"{"user_id": "u", "name": "A"}"#),
    ] {
        let (estimated, used) = estimated_and_used(&format!("{join}{pattern}"), &[JOIN, ("asked", values)]);
        assert_eq!(estimated, used, "{pattern}");
    }
}

/// Writes that check a reference use what is predicted for them.
#[test]
fn predicted_units_are_consumed_units_where_references_are_checked() {
    let patterns = "[pattern.note]\nput = \"Note\"\n[pattern.give]\nupdate = \"Note\"\nset = [\"user_id\"]\n";
    let notes = NOTES.split("[pattern").next().unwrap();
    assert_eq!(hold("notes", &format!("{HEAD}{notes}{patterns}")), (2, 2));
}

/// A count reads as much as a page of a query without a limit, unless its bound is lower.
#[test]
fn counts_are_in_the_estimate() {
    let (of_a_page, note_bytes) = read_units_of("count = \"Note\"");
    assert_eq!(of_a_page, [read_units(note_bytes * u64::from(PAGE_ITEMS_DEFAULT), false)]);
    assert_eq!(read_units_of("count = \"Note\"\nmax = 7").0, [read_units(note_bytes * 7, false)]);
}

#[test]
fn scans_are_in_the_estimate() {
    let load = Load::of(&design("[pattern.all]\nscan = \"User\"\nadmin = true\nrate = \"2/s\"\n"));
    let [(place, scan)] = load.scans.as_slice() else { panic!("{load:#?}") };
    assert_eq!((place.index.as_ref(), scan.calls_per_second), (None, 2.0));
    assert!(scan.units_per_second > 2.0, "{scan:?}");
}

/// Notes of users, asked for without a limit: by user, and of everybody that somebody follows.
const FOLLOWED_NOTES: &str = r#"
[entity.Note]
key    = ["USER#{user_id}", "NOTE#{note_id}"]
fields = { user_id = "key", note_id = "id", text = { type = "string", min = 900, max = 900 } }

[entity.Follow]
key    = ["USER#{user_id}", "FOLLOW#{other_id}"]
fields = { user_id = "key", other_id = "key" }

[pattern.notes]
query = "Note"

[pattern.follows]
query = "Follow"
"#;

/// The units of each read that a pattern makes of the notes once a second, and the bytes of a note.
fn read_units_of(pattern: &str) -> (Vec<f64>, u64) {
    let design = design(&format!("{FOLLOWED_NOTES}[pattern.asked]\n{pattern}\nrate = \"1/s\"\n"));
    let note = design.entities.iter().find(|entity| entity.name == "Note").unwrap();
    let reads = Load::of(&design).keys.into_iter().flat_map(|key| key.reads);
    (reads.map(|read| read.units_per_second).collect(), item_size(note).usual)
}

/// A page has as many items as the runner returns. One more tells whether there are others.
#[test]
fn a_page_without_a_limit_is_in_the_estimate_as_the_runner_reads_it() {
    let (units, note_bytes) = read_units_of("query = \"Note\"");
    let design = Arc::new(design(FOLLOWED_NOTES));
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    let environment = choose_environment(&design, None).unwrap();
    plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
    let runner = Runner::new(design, Recording::new(store), &environment.name);
    let arguments = Arguments::from([("user_id".to_owned(), Json::from("anna"))]);
    runner.run("notes", &arguments, &Paging::default()).wait().unwrap();
    let recorded = runner.store().recorded();
    let [Some(limit)] = recorded.iter().map(|one| one.body.get("Limit")).collect::<Vec<_>>()[..] else {
        panic!("{recorded:?}");
    };
    let items: u64 = limit.to_string().parse().unwrap();
    assert_eq!(items, u64::from(PAGE_ITEMS_DEFAULT) + 1);
    assert_eq!(units, [read_units(note_bytes * items, false)]);
}

/// A merge reads a little of each list that it follows, and without `max` it follows as many as the runner does.
#[test]
fn a_merge_without_a_bound_is_in_the_estimate_as_the_runner_reads_it() {
    let merge = "merge = { each = \"follows\", run = \"notes\", with = { user_id = \"{other_id}\" }, by = \"note_id\" }";
    let (units, note_bytes) = read_units_of(merge);
    let [_, of_notes] = units[..] else { panic!("{units:?}") };
    let items = u64::from(first_request_items(MERGED_PAGE_ITEMS_DEFAULT, WALK_DEFAULT));
    assert_eq!(of_notes, f64::from(WALK_DEFAULT) * read_units(note_bytes * items, false));
}

const EDIT: &str = "[pattern.edit]\nupdate = \"Note\"\nset = { text = \"{text}\" }\n";

/// The units that a pattern reads and writes in a second, at one call a second.
fn units_of(pattern: &str) -> (f64, f64) {
    let design = design(&format!("{FOLLOWED_NOTES}{EDIT}[pattern.asked]\n{pattern}\nrate = \"1/s\"\n"));
    let load = Load::of(&design);
    let sum = |side: fn(&KeyLoad) -> &Vec<Contribution>| -> f64 {
        load.keys.iter().flat_map(side).map(|one| one.units_per_second).sum()
    };
    (sum(|key| &key.reads), sum(|key| &key.writes))
}

/// The limits of the queries that one call of a pattern makes, and the number of its writes, with 200 notes.
fn requests_of(pattern: &str, arguments: &[(&str, Json)]) -> (Vec<u64>, usize) {
    let design = Arc::new(design(&format!(
        "{FOLLOWED_NOTES}{EDIT}[pattern.write]\ncreate = \"Note\"\n[pattern.asked]\n{pattern}\n"
    )));
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    let environment = choose_environment(&design, None).unwrap();
    plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
    let runner = Runner::new(design, Recording::new(store).with_writes(), &environment.name);
    for note in 0..200 {
        let text = "x".repeat(900);
        let values = [("user_id", "anna"), ("note_id", &format!("n{note:03}")), ("text", &text)];
        let values: Arguments = values.map(|(name, value)| (name.to_owned(), Json::from(value))).into();
        runner.run("write", &values, &Paging::default()).wait().unwrap();
    }
    let before = runner.store().recorded().len();
    let values: Arguments =
        arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    runner.run("asked", &values, &Paging::default()).wait().unwrap();
    let recorded = runner.store().recorded().split_off(before);
    let limits = recorded.iter().filter_map(|one| one.body.get("Limit")?.to_string().parse().ok());
    (limits.collect(), recorded.iter().filter(|one| one.operation == "UpdateItem").count())
}

#[test]
fn a_claim_is_in_the_estimate_as_the_runner_does_it() {
    let claim = "claim = { each = \"note in notes\", run = \"edit\" }";
    let (limits, writes) =
        requests_of(claim, &[("user_id", "anna".into()), ("text", "y".repeat(900).into())]);
    assert_eq!((limits.as_slice(), writes), (&[u64::from(CLAIM_PAGE_ITEMS) + 1][..], 1));
    let (_, note_bytes) = read_units_of("query = \"Note\"");
    let read = read_units(note_bytes * (u64::from(CLAIM_PAGE_ITEMS) + 1), false);
    assert_eq!(units_of(claim), (read, write_units(note_bytes)));
}

#[test]
fn a_batch_of_a_bulk_write_is_in_the_estimate_as_the_runner_does_it() {
    let bulk = "bulk = { each = \"note in notes\", run = \"edit\" }";
    let (limits, writes) = requests_of(bulk, &[("user_id", "anna".into()), ("text", "y".repeat(900).into())]);
    let group = u64::from(BULK_GROUP_MAX) + 1;
    assert_eq!((limits.as_slice(), writes), (&[group; 4][..], 100));
    let (_, note_bytes) = read_units_of("query = \"Note\"");
    let units = (4.0 * read_units(note_bytes * group, false), 100.0 * write_units(note_bytes));
    assert_eq!(units_of(bulk), units);
}

#[test]
fn a_gather_is_in_the_estimate_as_the_runner_reads_it() {
    let gather = "gather = { each = \"user in users\", run = \"notes\", with = { user_id = \"{user}\" }, group = \"note_id\", max = 3 }";
    let users = ["anna", "bo", "cy"].map(Json::from).to_vec();
    let (limits, _) = requests_of(gather, &[("users", Json::List(users))]);
    let items = u64::from(PAGE_ITEMS_DEFAULT) + 1;
    assert_eq!(limits, [items; 3]);
    let (_, note_bytes) = read_units_of("query = \"Note\"");
    assert_eq!(units_of(gather), (3.0 * read_units(note_bytes * items, false), 0.0));
}

/// The schema and the rule's page name the page sizes that the runner uses.
#[test]
fn the_default_page_sizes_in_texts_are_those_of_the_runner() {
    for default in [PAGE_ITEMS_DEFAULT, MERGED_PAGE_ITEMS_DEFAULT, WALK_DEFAULT] {
        let text = schema().to_string();
        let named = [format!("default {default}"), format!("default: as for `run`, or {default}")];
        assert!(named.iter().any(|words| text.contains(words)), "{default}");
    }
    let page = RULES.iter().find(|rule| rule.id == "unbounded-query").unwrap().page;
    assert!(page.contains(&format!("returns {PAGE_ITEMS_DEFAULT} items a page")), "{page}");
}
