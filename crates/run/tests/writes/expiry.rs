//! An expired item is gone for writes as it is for reads, whichever client wrote its time to live.

use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_run::{RunError, Wait};
use singlet_store::{PutItem, ReturnItem, Store};

use crate::fixture::{Fixture, NOW_MS};

const NOTES: &str = r#"
design = "notes"

[table]
key = ["PK", "SK"]
ttl = "expires_at"

[entity.Note]
key    = ["NOTE#{id}", "NOTE"]
fields = { id = "key", text = "string" }

[entity.Comment]
key    = ["NOTE#{id}", "COMMENT#{number}"]
fields = { id = { type = "key", ref = "Note", must_exist = true }, number = "key" }

[pattern.create]
create = "Note"
[pattern.get]
get = "Note"
[pattern.edit]
update = "Note"
set = ["text"]
[pattern.delete]
delete = "Note"
[pattern.is_there]
check = "Note"
[pattern.comment]
create = "Comment"
"#;

/// A note whose entity never expires, and to which another client gave a time to live.
fn note_until(second: u64) -> Fixture {
    let notes = Fixture::new(NOTES);
    let text = [("PK", "NOTE#n"), ("SK", "NOTE"), ("type", "Note"), ("id", "n"), ("text", "x")];
    let mut item = Item::from(text);
    item.insert("expires_at", AttributeValue::N(Number::from(second)));
    let put = PutItem { table: "notes".to_owned(), item, condition: None, returned: ReturnItem::None };
    notes.runner.store().put(put).wait().unwrap();
    notes
}

#[test]
fn a_time_to_live_of_another_client_hides_an_item_from_reads_and_writes_alike() {
    for second in [NOW_MS / 1000 - 100, NOW_MS / 1000] {
        let notes = note_until(second);
        let id = r#"{"id": "n"}"#;
        assert_eq!(notes.run("get", id).to_string(), "null");
        let edited = notes.try_run("edit", r#"{"id": "n", "text": "y"}"#);
        assert!(matches!(edited, Err(RunError::Missing { .. })), "{edited:?}");
        let checked = notes.try_run("is_there", id);
        assert!(matches!(checked, Err(RunError::Missing { .. })), "{checked:?}");
        let comment = notes.try_run("comment", r#"{"id": "n", "number": "1"}"#);
        assert!(matches!(comment, Err(RunError::NoReference { .. })), "{comment:?}");
        notes.run("create", r#"{"id": "n", "text": "new"}"#);
        assert_eq!(notes.run("get", id).to_string(), r#"{"id":"n","text":"new"}"#);
        assert_eq!(note_until(second).run("delete", id).to_string(), "null");
    }
}

#[test]
fn an_item_is_there_until_its_second_has_passed() {
    let notes = note_until(NOW_MS / 1000 + 1);
    assert_eq!(notes.run("get", r#"{"id": "n"}"#).to_string(), r#"{"id":"n","text":"x"}"#);
    let created = notes.try_run("create", r#"{"id": "n", "text": "new"}"#);
    assert!(matches!(created, Err(RunError::Exists { .. })), "{created:?}");
    notes.run("edit", r#"{"id": "n", "text": "y"}"#);
}
