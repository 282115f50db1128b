//! References that must exist: the write checks them in its own transaction.

use singlet_design::Json;
use singlet_run::explain::{Recorded, RecordedOutcome, Recording};
use singlet_run::{RunError, Wait};

use crate::fixture::{Fixture, NOW_MS, try_run};

const FORUM: &str = r##"
design = "forum"

[table]
key = ["PK", "SK"]
ttl = "gone_at"

[entity.User]
key = ["USER#{user_id}", "USER"]
ttl = "until"
[entity.User.fields]
user_id = "id"
until   = { type = "epoch", optional = true }

[entity.Topic]
key = ["TOPIC#{topic_id}", "TOPIC"]
[entity.Topic.fields]
topic_id  = "id"
author_id = { type = "key", ref = "User", must_exist = true }
editor_id = { type = "key", ref = "User", must_exist = true, optional = true }
title     = { type = "string", max = 80, default = "-" }

[entity.Comment]
key = ["TOPIC#{topic_id}", "COMMENT#{comment_id}"]
[entity.Comment.fields]
topic_id   = { type = "key", ref = "Topic", must_exist = true }
comment_id = "id"
answers    = { type = "key", ref = "Comment", must_exist = true, optional = true }
text       = { type = "string", max = 80, default = "-" }

[pattern.join]
create = "User"
[pattern.leave]
delete = "User"
[pattern.is_user]
check = "User"
[pattern.open]
create = "Topic"
[pattern.save]
put = "Topic"
[pattern.change]
update = "Topic"
set    = ["author_id", "editor_id", "title"]
[pattern.comment]
create = "Comment"
[pattern.answer]
update = "Comment"
set    = ["answers", "text"]

[pattern.join_and_open]
transaction = { user = "join", topic = { run = "open", with = { author_id = "{user.user_id}" } } }
[pattern.open_as_user]
transaction = { topic = "open", user = { run = "is_user", with = { user_id = "{author_id}" } } }
[pattern.open_and_leave]
transaction = { topic = "open", user = { run = "leave", with = { user_id = "{author_id}" } } }
[pattern.open_many]
transaction = { topics = { run = "open", each = { topic_id = "topic_ids" }, max = 99 } }
[pattern.open_for_many]
transaction = { topics = { run = "open", each = { author_id = "author_ids" }, max = 100 } }
"##;

fn forum() -> Fixture {
    let fixture = Fixture::new(FORUM);
    fixture.run("join", r#"{"user_id": "an"}"#);
    fixture
}

#[track_caller]
fn refused(fixture: &Fixture, pattern: &str, arguments: &str, expected: &str) {
    let before = fixture.scan(None);
    let error = fixture.try_run(pattern, arguments).unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert_eq!(fixture.scan(None), before);
}

/// The write requests of the patterns.
fn requests(fixture: &Fixture, pattern: &str, arguments: &str) -> Vec<Recorded> {
    let store = Recording::new(fixture.runner.store()).with_writes();
    let runner = fixture.runner_on(store);
    try_run(&runner, pattern, arguments).wait().unwrap();
    runner.store().recorded()
}

/// The actions of the only transaction, by their words.
fn actions(fixture: &Fixture, pattern: &str, arguments: &str) -> Vec<String> {
    let requests = requests(fixture, pattern, arguments);
    let writes: Vec<&Recorded> = requests.iter().filter(|one| !one.operation.contains("Get")).collect();
    let [only] = writes.as_slice() else { panic!("{requests:#?}") };
    match only.body.get("TransactItems") {
        Some(Json::List(items)) => {
            items.iter().map(|item| item.as_object().unwrap()[0].0.clone()).collect::<Vec<_>>()
        }
        _ => vec![only.operation.to_owned()],
    }
}

#[test]
fn a_write_that_refers_to_nothing_is_refused_by_field_entity_and_value() {
    let fixture = forum();
    refused(&fixture, "open", r#"{"author_id": "mai"}"#, "`author_id`: there is no User `mai`");
    refused(&fixture, "save", r#"{"author_id": "mai"}"#, "`author_id`: there is no User `mai`");
    let editor = r#"{"author_id": "an", "editor_id": "mai"}"#;
    refused(&fixture, "open", editor, "`editor_id`: there is no User `mai`");
    fixture.run("open", r#"{"topic_id": "t", "author_id": "an"}"#);
    let changed = r#"{"topic_id": "t", "editor_id": "mai"}"#;
    refused(&fixture, "change", changed, "`editor_id`: there is no User `mai`");
    fixture.run("change", r#"{"topic_id": "t", "editor_id": "an"}"#);
    let taken = fixture.try_run("open", r#"{"topic_id": "t", "author_id": "mai"}"#).unwrap_err();
    assert!(matches!(taken, RunError::Exists { .. }), "{taken}");
}

#[test]
fn the_check_is_part_of_the_transaction_that_writes_and_costs_what_is_predicted() {
    let fixture = forum();
    let requests = requests(&fixture, "open", r#"{"author_id": "an"}"#);
    let [write] = requests.as_slice() else { panic!("{requests:#?}") };
    let RecordedOutcome::Done(consumed) = &write.outcome else { panic!("{write}") };
    // A put and a check of small items, each twice because of the transaction.
    assert_eq!((write.predicted.write, consumed.write), (4.0, 4.0), "{write}");
    assert!(write.to_string().contains("ConditionCheck"), "{write}");
}

#[test]
fn one_item_is_checked_once_and_only_where_the_reference_is_written() {
    let fixture = forum();
    let both = r#"{"topic_id": "t", "author_id": "an", "editor_id": "an"}"#;
    assert_eq!(actions(&fixture, "open", both), ["Put", "ConditionCheck"]);
    let title = r#"{"topic_id": "t", "title": "x"}"#;
    assert_eq!(actions(&fixture, "change", title), ["UpdateItem"]);
    let none = r#"{"topic_id": "t", "editor_id": null}"#;
    assert_eq!(actions(&fixture, "change", none), ["UpdateItem"]);
    let given = r#"{"topic_id": "t", "editor_id": "an"}"#;
    assert_eq!(actions(&fixture, "change", given), ["Update", "ConditionCheck"]);
}

/// The key of a comment has the topic too, which the answer shares.
#[test]
fn a_key_of_several_fields_is_given_by_the_fields_of_the_item() {
    let fixture = forum();
    fixture.run("open", r#"{"topic_id": "t", "author_id": "an"}"#);
    fixture.run("open", r#"{"topic_id": "u", "author_id": "an"}"#);
    fixture.run("comment", r#"{"topic_id": "t", "comment_id": "1"}"#);
    fixture.run("comment", r#"{"topic_id": "t", "comment_id": "2", "answers": "1"}"#);
    let elsewhere = r#"{"topic_id": "u", "comment_id": "3", "answers": "1"}"#;
    refused(&fixture, "comment", elsewhere, "`answers`: there is no Comment `1`");
    let later = r#"{"topic_id": "t", "comment_id": "2", "answers": "9"}"#;
    refused(&fixture, "answer", later, "`answers`: there is no Comment `9`");
}

#[test]
fn an_item_that_the_write_itself_makes_needs_no_check() {
    let fixture = forum();
    fixture.run("open", r#"{"topic_id": "t", "author_id": "an"}"#);
    let own = r#"{"topic_id": "t", "comment_id": "1", "answers": "1"}"#;
    assert_eq!(actions(&fixture, "comment", own), ["Put", "ConditionCheck"], "the topic's check only");
    assert_eq!(actions(&fixture, "join_and_open", r#"{"user_id": "mai"}"#), ["Put", "Put"]);
}

#[test]
fn a_check_of_the_same_item_takes_the_place_of_the_reference() {
    let fixture = forum();
    let words = actions(&fixture, "open_as_user", r#"{"author_id": "an"}"#);
    assert_eq!(words, ["Put", "ConditionCheck"]);
    let error = fixture.try_run("open_as_user", r#"{"author_id": "mai"}"#).unwrap_err();
    assert!(matches!(&error, RunError::Missing { entity } if entity == "User"), "{error}");
}

#[test]
fn a_reference_to_what_the_transaction_deletes_is_refused() {
    let fixture = forum();
    let said = "`author_id` refers to the User `an`, which the same transaction deletes";
    refused(&fixture, "open_and_leave", r#"{"author_id": "an"}"#, said);
}

#[test]
fn checks_count_towards_the_hundred_actions_of_a_transaction() {
    let fixture = forum();
    let list = |count: usize, text: &str| {
        let all: Vec<String> = (0..count).map(|number| format!("\"{text}{number}\"")).collect();
        all.join(", ")
    };
    let one_author = format!(r#"{{"author_id": "an", "topic_ids": [{}]}}"#, list(99, "t"));
    assert_eq!(actions(&fixture, "open_many", &one_author).len(), 100);
    for number in 0..51 {
        fixture.run("join", &format!(r#"{{"user_id": "u{number}"}}"#));
    }
    let many_authors = format!(r#"{{"author_ids": [{}]}}"#, list(51, "u"));
    let error = fixture.try_run("open_for_many", &many_authors).unwrap_err();
    assert!(error.to_string().contains("would make 102 changes"), "{error}");
}

#[test]
fn an_item_past_its_time_to_live_is_not_there() {
    let fixture = forum();
    let past = NOW_MS / 1000 - 1;
    fixture.run("join", &format!(r#"{{"user_id": "old", "until": {past}}}"#));
    refused(&fixture, "open", r#"{"author_id": "old"}"#, "`author_id`: there is no User `old`");
}

/// The design of the reference, and what it says there.
#[test]
fn the_example_of_the_reference_answers_as_the_page_says() {
    let page = include_str!("../../../../docs/design-language.md");
    let blocks = page.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap());
    let (first, others) = (blocks.clone().take(1), blocks.skip(1));
    let source: String = first.chain(others.take_while(|block| !block.starts_with("design ="))).collect();
    let fixture = Fixture::new(&source);
    let error = fixture.try_run("review_post", r#"{"post_id": "p", "author_id": "mai", "stars": 5}"#);
    let error = error.unwrap_err().to_string();
    assert!(page.contains(&format!("`{error}`")) || page.contains(&error), "{error}");
}
