//! Items from before a field was there have its default: in answers, in conditions, and as what is added to.

use singlet_design::Json;
use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_run::{RunError, Wait};
use singlet_store::{PutItem, ReturnItem, Store};

use crate::audit::assert_true_to_fields;
use crate::fixture::Fixture;

const DOCUMENTS: &str = r#"
design = "documents"

[table]
key = ["PK", "SK"]
[index]
ByOwner = ["OwnerPK", "OwnerSK"]
Narrow  = { key = ["OwnerPK", "OwnerSK"], project = ["version"] }

[entity.Document]
key     = ["DOCUMENT#{id}", "DOCUMENT"]
ByOwner = ["OWNER#{owner}", "{id}"]
Narrow  = ["OWNER#{owner}", "{id}"]
[entity.Document.fields]
id      = "key"
owner   = "key"
text    = { type = "string", default = "" , optional = true }
version = { type = "int", min = 1, max = 12, default = 10 }
state   = { type = "string", enum = ["open", "shut"], default = "open" }
size    = { type = "object", default = { pages = 1 }, fields = { pages = "int" } }

[pattern.create]
create = "Document"
[pattern.get]
get = "Document"
[pattern.show_state]
get = "Document"
show = ["state"]
[pattern.of_owner]
query = "Document"
on = "ByOwner"
[pattern.narrow]
query = "Document"
on = "Narrow"
[pattern.in_state]
query = "Document"
on = "ByOwner"
filter = "state = {state}"
[pattern.not_in_state]
query = "Document"
on = "ByOwner"
filter = "not (state = {state})"
[pattern.other_state]
query = "Document"
on = "ByOwner"
filter = "state <> {state} and version > 1"
[pattern.all_open]
scan = "Document"
filter = "state in ('open') and size.pages = 1"
[pattern.revise]
update = "Document"
add = { version = "{by}" }
[pattern.replace_at]
update = "Document"
set = { text = "{text}" }
if = "version = {version}"
[pattern.delete_at]
delete = "Document"
if = "version = {version}"
[pattern.put_at]
put = "Document"
if = "version = {known}"
[pattern.shut]
update = "Document"
set = { state = "shut" }
if = "state = 'open' and exists(version)"
[pattern.is_open]
check = "Document"
if = "state = 'open'"
[pattern.revise_if_open]
transaction = { open = "is_open", revised = { run = "revise", with = { id = "{other}", by = 1 } } }
"#;

/// Documents that were written before they had a version, a state and a size.
fn old_documents(ids: &[&str]) -> Fixture {
    let documents = Fixture::new(DOCUMENTS);
    for id in ids {
        let key = format!("DOCUMENT#{id}");
        let item: Item = [
            ("PK", key.as_str()),
            ("SK", "DOCUMENT"),
            ("OwnerPK", "OWNER#anna"),
            ("OwnerSK", id),
            ("type", "Document"),
            ("id", id),
            ("owner", "anna"),
        ]
        .into_iter()
        .collect();
        let put =
            PutItem { table: "documents".to_owned(), item, condition: None, returned: ReturnItem::None };
        documents.runner.store().put(put).wait().unwrap();
    }
    documents
}

fn ids(answer: &Json) -> Vec<String> {
    let items = answer.get("items").unwrap().as_list().unwrap();
    items.iter().map(|item| item.get("id").unwrap().as_text().unwrap().to_owned()).collect()
}

#[test]
fn an_old_item_reads_as_if_it_had_the_default() {
    let documents = old_documents(&["d1"]);
    let expected = r#"{"id":"d1","owner":"anna","version":10,"state":"open","size":{"pages":1}}"#;
    assert_eq!(documents.run("get", r#"{"id": "d1"}"#).to_string(), expected);
    assert_eq!(documents.run("show_state", r#"{"id": "d1"}"#).to_string(), r#"{"state":"open"}"#);
    let list = documents.run("of_owner", r#"{"owner": "anna"}"#);
    assert_eq!(list.get("items").unwrap().as_list().unwrap()[0].to_string(), expected);
    let narrow = documents.run("narrow", r#"{"owner": "anna"}"#);
    let carried = r#"{"id":"d1","owner":"anna","version":10}"#;
    assert_eq!(
        narrow.get("items").unwrap().as_list().unwrap()[0].to_string(),
        carried,
        "as far as it is carried"
    );
}

#[test]
fn conditions_and_filters_hold_for_the_default() {
    let documents = old_documents(&["d1", "d2", "d3"]);
    documents.run("shut", r#"{"id": "d2"}"#);
    let list = |pattern: &str, state: &str| {
        ids(&documents.run(pattern, &format!(r#"{{"owner": "anna", "state": "{state}"}}"#)))
    };
    assert_eq!(list("in_state", "open"), ["d1", "d3"]);
    assert_eq!(list("in_state", "shut"), ["d2"]);
    assert_eq!(list("not_in_state", "open"), ["d2"]);
    assert_eq!(list("not_in_state", "shut"), ["d1", "d3"]);
    assert_eq!(list("other_state", "open"), ["d2"]);
    assert_eq!(list("other_state", "shut"), ["d1", "d3"]);
    let mut open = ids(&documents.run("all_open", "{}"));
    open.sort();
    assert_eq!(open, ["d1", "d3"]);

    let wrong = documents.try_run("replace_at", r#"{"id": "d1", "text": "x", "version": 9}"#);
    assert!(matches!(wrong, Err(RunError::Condition { .. })), "{wrong:?}");
    documents.run("replace_at", r#"{"id": "d1", "text": "x", "version": 10}"#);
    documents.run("delete_at", r#"{"id": "d1", "version": 10}"#);
    documents.run("revise_if_open", r#"{"id": "d3", "other": "d2"}"#);
    let shut = documents.try_run("revise_if_open", r#"{"id": "d2", "other": "d3"}"#);
    assert!(matches!(shut, Err(RunError::Condition { .. })), "{shut:?}");
}

#[test]
fn where_nothing_is_no_default_holds() {
    let documents = old_documents(&[]);
    let put = documents.try_run("put_at", r#"{"id": "d1", "owner": "anna", "known": 10}"#);
    assert!(put.is_err(), "{put:?}");
    let deleted = documents.try_run("delete_at", r#"{"id": "d1", "version": 10}"#);
    assert!(deleted.is_err(), "{deleted:?}");
    let missing = documents.try_run("replace_at", r#"{"id": "d1", "text": "x", "version": 10}"#);
    assert!(matches!(missing, Err(RunError::Missing { .. })), "{missing:?}");
}

#[test]
fn adding_starts_from_the_default_and_keeps_the_bounds() {
    let documents = old_documents(&["d1", "d2"]);
    let revised = documents.run("revise", r#"{"id": "d1", "by": 1}"#);
    assert_eq!(revised.get("version").unwrap().to_string(), "11");
    assert_eq!(documents.run("revise", r#"{"id": "d1", "by": -3}"#).get("version").unwrap().to_string(), "8");
    for by in ["3", "-10"] {
        let refused = documents.try_run("revise", &format!(r#"{{"id": "d2", "by": {by}}}"#));
        assert!(matches!(refused, Err(RunError::Parameter { .. })), "{by}: {refused:?}");
    }
    documents.run("create", r#"{"id": "d3", "owner": "anna"}"#);
    assert_eq!(documents.run("revise", r#"{"id": "d3", "by": 1}"#).get("version").unwrap().to_string(), "11");
}

const TICKETS: &str = r#"
design = "tickets"

[table]
key = ["PK", "SK"]
ttl = "expires_at"
[index]
ByState = ["StatePK", "StateSK"]
Open    = ["OpenPK", "OpenSK"]
Plain   = ["state", "points"]

[entity.Ticket]
key     = ["TICKET#{id}", "TICKET"]
ByState = ["STATE#{state}", "{rank:02}#{id}"]
Open    = { key = ["OPEN", "{rank:02}#{id}"], when = { state = "open" } }
unique  = [["desk", "rank"]]
ttl     = "10 days after closed"
[entity.Ticket.fields]
id     = "key"
rank   = { type = "int", min = 1, max = 99 }
state  = { type = "string", enum = ["open", "shut"], default = "open" }
desk   = { type = "string", default = "front" }
closed = { type = "time", default = "2030-01-01T00:00:00Z" }
points = { type = "int", optional = true }
text   = { type = "string", optional = true }

[pattern.create]
create = "Ticket"
[pattern.score]
update = "Ticket"
set = ["points"]
[pattern.scores]
query = "Ticket"
on = "Plain"
[pattern.rank]
update = "Ticket"
set = ["rank"]
[pattern.write]
update = "Ticket"
set = ["text"]
[pattern.shut]
update = "Ticket"
set = { state = "shut" }
[pattern.close]
update = "Ticket"
set = ["closed"]
[pattern.delete]
delete = "Ticket"
[pattern.copy_desk]
transaction = { old = { run = "write", with = { text = "copied" } }, new = { run = "create", with = { id = "{copy}", rank = 7, text = "{old.desk}" } } }
[pattern.in_state]
query = "Ticket"
on = "ByState"
[pattern.open]
query = "Ticket"
on = "Open"
"#;

/// A ticket that was written when tickets had no more than a rank.
fn old_ticket(rank: u64) -> Fixture {
    let tickets = Fixture::new(TICKETS);
    let mut item = Item::from([("PK", "TICKET#t1"), ("SK", "TICKET"), ("type", "Ticket"), ("id", "t1")]);
    item.insert("rank", AttributeValue::N(Number::from(rank)));
    let put = PutItem { table: "tickets".to_owned(), item, condition: None, returned: ReturnItem::None };
    tickets.runner.store().put(put).wait().unwrap();
    tickets
}

#[test]
fn an_update_makes_keys_and_reservations_of_an_old_item_from_its_defaults() {
    let tickets = old_ticket(1);
    tickets.run("rank", r#"{"id": "t1", "rank": 2}"#);
    assert_eq!(ids(&tickets.run("in_state", r#"{"state": "open"}"#)), ["t1"]);
    assert_eq!(ids(&tickets.run("open", "{}")), ["t1"]);
    let taken = tickets.try_run("create", r#"{"id": "t2", "rank": 2}"#);
    assert!(matches!(taken, Err(RunError::NotUnique { .. })), "{taken:?}");
    tickets.run("close", r#"{"id": "t1", "closed": "2031-01-01T00:00:00Z"}"#);
    assert_true_to_fields(&tickets);
    tickets.run("shut", r#"{"id": "t1"}"#);
    assert_eq!(ids(&tickets.run("open", "{}")), [""; 0]);
    assert_eq!(ids(&tickets.run("in_state", r#"{"state": "shut"}"#)), ["t1"]);
    assert_true_to_fields(&tickets);
    tickets.run("delete", r#"{"id": "t1"}"#);
    assert!(tickets.scan(None).is_empty(), "its reservation is given back");
}

#[test]
fn an_old_item_gives_back_no_value_that_it_never_reserved() {
    let tickets = old_ticket(1);
    tickets.run("create", r#"{"id": "t2", "rank": 1}"#);
    tickets.run("rank", r#"{"id": "t1", "rank": 2}"#);
    assert_true_to_fields(&tickets);

    let tickets = old_ticket(1);
    tickets.run("create", r#"{"id": "t2", "rank": 1}"#);
    tickets.run("delete", r#"{"id": "t1"}"#);
    assert_true_to_fields(&tickets);
}

#[test]
fn an_update_that_touches_no_key_leaves_the_defaults_out() {
    let tickets = old_ticket(1);
    tickets.run("write", r#"{"id": "t1", "text": "x"}"#);
    let stored = tickets.stored("Ticket", "id", "t1").unwrap();
    assert!(!stored.contains("state") && !stored.contains("desk"), "{stored:?}");
}

#[test]
fn an_index_on_fields_themselves_gets_an_old_item_with_its_default() {
    let tickets = old_ticket(1);
    tickets.run("score", r#"{"id": "t1", "points": 3}"#);
    assert_eq!(ids(&tickets.run("scores", r#"{"state": "open"}"#)), ["t1"]);
    tickets.run("shut", r#"{"id": "t1"}"#);
    tickets.run("score", r#"{"id": "t1", "points": 4}"#);
    assert_eq!(ids(&tickets.run("scores", r#"{"state": "shut"}"#)), ["t1"]);
}

#[test]
fn later_steps_of_a_transaction_take_the_defaults_of_an_old_item() {
    let tickets = old_ticket(1);
    tickets.run("copy_desk", r#"{"id": "t1", "copy": "t2"}"#);
    let copy = tickets.stored("Ticket", "id", "t2").unwrap();
    assert_eq!(copy.get("text"), Some(&"front".into()), "{copy:?}");
}
