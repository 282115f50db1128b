//! Conditions that compare parameters with each other.

use singlet_run::RunError;

use crate::fixture::Fixture;

const BANK: &str = r#"
design = "bank"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Account]
key  = ["ACCOUNT#{account_id}", "ACCOUNT"]
GSI1 = ["BRANCH#{branch}", "{account_id}"]
[entity.Account.fields]
account_id = "key"
branch     = { type = "string", default = "main" }
balance    = { type = "number", default = 0 }
opened     = { type = "date", default = "2025-01-01" }

[pattern.open]
put = "Account"
if  = "{balance} >= 0"
[pattern.take]
update = "Account"
add    = { balance = "{-amount}" }
if     = "balance >= {amount} and {account_id} <> {to} and {amount} > 0"
[pattern.limit]
update = "Account"
set    = { branch = "{branch}" }
if     = "balance >= {least} and balance <= {most} and {least} <= {most}"
[pattern.of_branch]
query  = "Account"
on     = "GSI1"
filter = "opened >= {since} and opened <= {until} and {since} < {until?}"
[pattern.moved]
update = "Account"
set    = { opened = "{day}" }
if     = "not ({day} > '2025-06-01') and opened < {day}"
"#;

fn bank() -> Fixture {
    let fixture = Fixture::new(BANK);
    fixture.run("open", r#"{"account_id": "a", "balance": 100}"#);
    fixture
}

#[track_caller]
fn refused(fixture: &Fixture, pattern: &str, arguments: &str) {
    let error = fixture.try_run(pattern, arguments).unwrap_err();
    assert!(matches!(error, RunError::Condition { .. }), "{error}");
}

#[test]
fn two_parameters_are_compared_with_each_other() {
    let fixture = bank();
    fixture.run("take", r#"{"account_id": "a", "to": "b", "amount": 30}"#);
    refused(&fixture, "take", r#"{"account_id": "a", "to": "a", "amount": 30}"#);
    refused(&fixture, "take", r#"{"account_id": "a", "to": "b", "amount": -5}"#);
    fixture.run("limit", r#"{"account_id": "a", "branch": "x", "least": 9, "most": 100}"#);
    refused(&fixture, "limit", r#"{"account_id": "a", "branch": "x", "least": 100, "most": 9}"#);
}

#[test]
fn a_parameter_is_compared_with_a_constant_by_the_type_of_its_field() {
    let fixture = bank();
    fixture.run("moved", r#"{"account_id": "a", "day": "2025-05-31"}"#);
    refused(&fixture, "moved", r#"{"account_id": "a", "day": "2025-06-02"}"#);
    // A put has no item to look at, and its condition holds all the same.
    fixture.run("open", r#"{"account_id": "b", "balance": 0}"#);
    refused(&fixture, "open", r#"{"account_id": "c", "balance": -1}"#);
}

#[test]
fn a_filter_compares_parameters_unless_an_optional_one_is_left_out() {
    let fixture = bank();
    let found =
        |arguments: &str| fixture.run("of_branch", arguments).to_string().contains("\"account_id\":\"a\"");
    assert!(found(r#"{"branch": "main", "since": "2024-01-01", "until": "2026-01-01"}"#));
    assert!(!found(r#"{"branch": "main", "since": "2025-01-01", "until": "2025-01-01"}"#));
}
