//! Fields with a default and changed types: items that lack a field have its default in keys as well.

use std::sync::Arc;

use singlet_design::{Design, Json};
use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_run::{Wait, derive};
use singlet_store::{PutItem, ReturnItem, Store};

use super::checks::{apply, apply_outdated, load, planned, refused, run, warned};

const DESIGN: &str = r#"
design = "support"

[table]
name = "support-{environment}"
key  = ["PK", "SK"]
ttl  = "gone_at"

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Ticket]
key = ["TICKET#{ticket_id}", "TICKET"]

[entity.Ticket.fields]
ticket_id = "key"
rank      = { type = "int", min = 0, max = 99 }

[pattern.save]
put = "Ticket"

[pattern.change_rank]
update = "Ticket"
set    = ["rank"]
"#;

/// The state that later versions of the design give to tickets.
const STATE: &str = "state = { type = \"string\", default = \"open\" }\n\n[pattern.save]";

/// The design with more lines about the ticket and with more fields.
fn with(entity: &str, fields: &str) -> Arc<Design> {
    let key = "key = [\"TICKET#{ticket_id}\", \"TICKET\"]\n";
    let source = DESIGN.replace(key, &format!("{key}{entity}\n"));
    load(&source.replace("\n[pattern.save]", fields))
}

fn save(store: &impl Store, design: &Arc<Design>, more: &str) {
    for number in ["1", "2"] {
        call(store, design, "save", &format!(r#"{{"ticket_id": "{number}", "rank": {number}{more}}}"#));
    }
}

fn call(store: &impl Store, design: &Arc<Design>, pattern: &str, values: &str) {
    let Json::Object(values) = values.parse::<Json>().unwrap() else { panic!("an object") };
    let values: Vec<(&str, Json)> =
        values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    run(store, design, pattern, &values);
}

/// The tickets that a design can't find, and why.
#[track_caller]
fn refused_tickets(store: &impl Store, design: &Design, reason: &str) -> u64 {
    let (entities, text) = refused(store, design);
    assert!(text.contains(reason), "{text}");
    let [(entity, items)] = entities.as_slice() else { panic!("{text}") };
    assert_eq!(entity, "Ticket");
    *items
}

pub(crate) fn a_new_index_entry_on_a_default_names_the_items_from_before_the_field(store: &impl Store) {
    let old = with("", "\n[pattern.save]");
    let new = with("GSI1 = [\"STATE#{state}\", \"{ticket_id}\"]", STATE);
    apply(store, &old);
    save(store, &old, "");
    assert_eq!(refused_tickets(store, &new, "it is new in the index GSI1"), 2);

    // The same if the field came first, and the index later.
    let field_only = with("", STATE);
    apply(store, &field_only);
    assert_eq!(refused_tickets(store, &new, "it is new in the index GSI1"), 2);
    save(store, &new, "");
    apply(store, &new);
}

pub(crate) fn an_entry_with_a_condition_on_a_default_names_the_items_that_it_holds_for(store: &impl Store) {
    let old = with("", "\n[pattern.save]");
    let entry = "GSI1 = { key = [\"RANKS\", \"{rank:02}\"], when = { state = \"open\" } }";
    apply(store, &old);
    save(store, &old, "");
    assert_eq!(refused_tickets(store, &with(entry, STATE), "it is new in the index GSI1"), 2);
    apply(store, &with(entry, &STATE.replace("\"open\"", "\"shut\"")));
}

pub(crate) fn a_new_index_on_a_field_with_a_default_names_the_items_that_lack_it(store: &impl Store) {
    let old = with("", "\n[pattern.save]");
    let index = "GSI1 = [\"GSI1PK\", \"GSI1SK\"]\n";
    let source = with("", STATE).source.replace(index, &format!("{index}Plain = [\"state\", \"rank\"]\n"));
    let new = load(&source);
    apply(store, &old);
    save(store, &old, "");
    assert_eq!(refused_tickets(store, &new, "it is new in the index Plain"), 2);
    apply_outdated(store, &new);
    call(store, &new, "change_rank", r#"{"ticket_id": "1", "rank": 11}"#);
    call(store, &new, "change_rank", r#"{"ticket_id": "2", "rank": 12}"#);
    apply(store, &new);
}

pub(crate) fn a_new_unique_field_with_a_default_names_the_items_that_reserved_nothing(store: &impl Store) {
    let (old, new) = (with("", "\n[pattern.save]"), with("unique = [[\"rank\", \"state\"]]", STATE));
    apply(store, &old);
    save(store, &old, "");
    assert_eq!(refused_tickets(store, &new, "`rank, state` must be unique now"), 2);

    apply_outdated(store, &new);
    call(store, &new, "change_rank", r#"{"ticket_id": "1", "rank": 11}"#);
    call(store, &new, "change_rank", r#"{"ticket_id": "2", "rank": 12}"#);
    apply(store, &new);
}

pub(crate) fn a_changed_default_in_a_key_names_the_items_that_rely_on_it(store: &impl Store) {
    assert_changed_default_is_refused(store, "GSI1 = [\"STATE#{state}\", \"{ticket_id}\"]");
}

pub(crate) fn a_changed_default_in_a_condition_names_the_items_that_rely_on_it(store: &impl Store) {
    let entry = "GSI1 = { key = [\"RANKS\", \"{rank:02}\"], when = { state = \"open\" } }";
    assert_changed_default_is_refused(store, entry);
}

pub(crate) fn a_changed_default_of_a_unique_field_names_the_items_that_rely_on_it(store: &impl Store) {
    assert_changed_default_is_refused(store, "unique = [[\"ticket_id\", \"state\"]]");
}

#[track_caller]
fn assert_changed_default_is_refused(store: &impl Store, entity: &str) {
    let (old, new) = (with(entity, STATE), with(entity, &STATE.replace("\"open\"", "\"new\"")));
    apply(store, &old);
    for number in ["1", "2"] {
        save_without_state(store, &old, number);
    }
    let reason = "the default of `state`: `\"open\"` -> `\"new\"`";
    assert_eq!(refused_tickets(store, &new, reason), 2);
    assert!(warned(store, &new, "save").contains(reason));
    // A state of its own doesn't change with the default.
    save(store, &old, ", \"state\": \"shut\"");
    apply(store, &new);
}

/// A ticket with the keys of the state `open`, and without the state: another client wrote it.
fn save_without_state(store: &impl Store, design: &Arc<Design>, number: &str) {
    call(store, design, "save", &format!(r#"{{"ticket_id": "{number}", "rank": 1}}"#));
    let mut item = Item::from([("ticket_id", number), ("state", "open")]);
    item.insert("rank", AttributeValue::N(Number::from(1)));
    derive::complete(design.entity("Ticket").unwrap(), &mut item).unwrap();
    item.remove("state");
    let put = PutItem { table: "support-dev".to_owned(), item, condition: None, returned: ReturnItem::None };
    store.put(put).wait().unwrap();
}

pub(crate) fn a_changed_value_of_a_computed_field_names_the_items_that_hold_the_old_one(store: &impl Store) {
    let field =
        |value: &str| format!("label = {{ type = \"string\", value = \"{value}\" }}\n\n[pattern.save]");
    let (short, long) = (field("{ticket_id}-{rank}"), field("{ticket_id}/{rank}"));
    let unchanged =
        field("{ticket_id}-{rank}").replace("type = \"string\"", "type = \"string\", about = \"x\"");
    for entry in ["GSI1 = [\"LABEL#{label}\", \"{ticket_id}\"]", "unique = [\"label\"]", ""] {
        let [old, new, same] = [&short, &long, &unchanged].map(|fields| with(entry, fields));
        apply_outdated(store, &old);
        save(store, &old, "");
        apply(store, &old);
        apply(store, &same);
        apply(store, &old);
        let reason = "the value of `label`: `{ticket_id}-{rank}` -> `{ticket_id}/{rank}`";
        assert_eq!(refused_tickets(store, &new, reason), 2, "{entry}");
        apply_outdated(store, &new);
        save(store, &new, "");
        apply(store, &new);
    }
}

pub(crate) fn a_default_that_no_key_contains_may_change(store: &impl Store) {
    let old = with("", STATE);
    apply(store, &old);
    save(store, &old, "");
    let new = with("", &STATE.replace("\"open\"", "\"new\""));
    assert!(planned(store, &new).is_empty());
}

pub(crate) fn a_changed_type_in_a_key_names_the_items_with_values_of_the_old_type(store: &impl Store) {
    assert_changed_type_is_refused(store, "GSI1 = [\"RANK#{rank}\", \"{ticket_id}\"]");
}

pub(crate) fn a_changed_type_in_a_condition_names_the_items_with_values_of_the_old_type(store: &impl Store) {
    let entry = "GSI1 = { key = [\"RANKS\", \"{ticket_id}\"], when = { rank = [1, 2] } }";
    assert_changed_type_is_refused(store, entry);
}

pub(crate) fn a_changed_type_of_a_unique_field_names_the_items_with_values_of_the_old_type(
    store: &impl Store,
) {
    assert_changed_type_is_refused(store, "unique = [\"rank\"]");
}

pub(crate) fn a_time_that_becomes_a_date_names_the_items_with_times(store: &impl Store) {
    let entry = "GSI1 = [\"DUE\", \"{due}\"]";
    let old = with(entry, "due = \"time\"\n\n[pattern.save]");
    apply(store, &old);
    save(store, &old, r#", "due": "2026-01-05T00:00:00Z""#);
    let new = load(&old.source.replace("due = \"time\"", "due = \"date\""));
    assert_eq!(refused_tickets(store, &new, "the type of `due`: `time` -> `date`"), 2);
    save(store, &new, r#", "due": "2026-01-05""#);
    apply(store, &new);
}

#[track_caller]
fn assert_changed_type_is_refused(store: &impl Store, entity: &str) {
    let old = with(entity, "\n[pattern.save]");
    let source = old.source.replace("type = \"int\", min = 0, max = 99", "type = \"string\"");
    let new = load(&source.replace("[1, 2]", "[\"1\", \"2\"]"));
    apply(store, &old);
    save(store, &old, "");
    assert_eq!(refused_tickets(store, &new, "the type of `rank`: `number` -> `string`"), 2);
}
