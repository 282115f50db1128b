//! Bounds of fields beside conditions: a refusal names what the caller can act on.

use singlet_run::RunError;

use crate::fixture::Fixture;

const LIBRARY: &str = r#"
design = "library"

[table]
key = ["PK", "SK"]

[entity.Book]
key = ["BOOK#{book_id}", "BOOK"]
[entity.Book.fields]
book_id = "key"
copies  = { type = "int", min = 0, max = 3, default = 1 }
readers = { type = "set", of = "string", max = 2, optional = true }

[pattern.add]
create = "Book"
[pattern.lend]
update = "Book"
add    = { copies = -1 }
if     = "copies > 0"
[pattern.return]
update = "Book"
add    = { copies = 1 }
if     = "copies < 3"
[pattern.lend_to]
update = "Book"
add    = { copies = -1, readers = "{reader}" }
if     = "copies > 0"
[pattern.reserve]
update = "Book"
add    = { copies = "{n}" }
if     = "copies + {n} >= 0"
[pattern.lose]
update = "Book"
add    = { copies = -1 }
[pattern.lend_two]
[pattern.lend_two.transaction]
one   = { run = "lend", with = { book_id = "{first}" } }
other = { run = "lend", with = { book_id = "{second}" } }
"#;

fn refused(fixture: &Fixture, pattern: &str, arguments: &str) -> RunError {
    fixture.try_run(pattern, arguments).unwrap_err()
}

#[test]
fn a_condition_that_fails_at_a_bound_is_named_instead_of_the_bound() {
    let fixture = Fixture::new(LIBRARY);
    fixture.run("add", r#"{"book_id": "b"}"#);
    let book = r#"{"book_id": "b"}"#;
    fixture.run("lend", book);
    let error = refused(&fixture, "lend", book);
    assert!(matches!(&error, RunError::Condition { condition, .. } if condition == "copies > 0"), "{error}");
    for _ in 0..3 {
        fixture.run("return", book);
    }
    let error = refused(&fixture, "return", book);
    assert!(matches!(&error, RunError::Condition { condition, .. } if condition == "copies < 3"), "{error}");
    let error = refused(&fixture, "reserve", r#"{"book_id": "b", "n": -4}"#);
    assert!(matches!(&error, RunError::Condition { .. }), "{error}");
}

#[test]
fn a_bound_without_a_condition_is_named() {
    let fixture = Fixture::new(LIBRARY);
    fixture.run("add", r#"{"book_id": "b", "copies": 0}"#);
    let error = refused(&fixture, "lose", r#"{"book_id": "b"}"#);
    assert!(matches!(&error, RunError::Parameter { parameter, .. } if parameter == "copies"), "{error}");
}

#[test]
fn a_full_set_is_named_only_if_the_condition_holds() {
    let fixture = Fixture::new(LIBRARY);
    fixture.run("add", r#"{"book_id": "b", "copies": 2, "readers": ["x", "y"]}"#);
    let to_z = r#"{"book_id": "b", "reader": ["z"]}"#;
    let error = refused(&fixture, "lend_to", to_z);
    assert!(matches!(&error, RunError::Parameter { parameter, .. } if parameter == "readers"), "{error}");
    fixture.run("lend", r#"{"book_id": "b"}"#);
    fixture.run("lend", r#"{"book_id": "b"}"#);
    let error = refused(&fixture, "lend_to", to_z);
    assert!(matches!(&error, RunError::Condition { .. }), "{error}");
}

#[test]
fn a_transaction_names_the_condition_of_the_step() {
    let fixture = Fixture::new(LIBRARY);
    fixture.run("add", r#"{"book_id": "a", "copies": 1}"#);
    fixture.run("add", r#"{"book_id": "b", "copies": 0}"#);
    let error = refused(&fixture, "lend_two", r#"{"first": "a", "second": "b"}"#);
    assert!(matches!(&error, RunError::Condition { pattern, .. } if pattern == "other"), "{error}");
}
