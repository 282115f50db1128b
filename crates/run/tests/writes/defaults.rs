//! Items from before a field was there have its default: in answers, in conditions, and as what is added to.

use singlet_design::Json;
use singlet_engine::values::Item;
use singlet_run::{RunError, Wait};
use singlet_store::{PutItem, ReturnItem, Store};

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
