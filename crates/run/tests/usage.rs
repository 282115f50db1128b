//! How patterns are called: every example fits its pattern.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_design::{Design, Json, from_text};
use singlet_engine::Database;
use singlet_run::apply::{choose_environment, plan};
use singlet_run::explain::Recording;
use singlet_run::{Arguments, Paging, RunError, Runner, Usage, Wait};
use singlet_store::Embedded;

fn designs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("../../designs"), root.join("../design/tests/good")];
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    files.sort();
    files
}

#[test]
fn the_example_of_every_pattern_is_accepted_by_the_pattern() {
    for path in designs() {
        let source = fs::read_to_string(&path).unwrap();
        let design = singlet_design::load(&path.display().to_string(), &source);
        let design = Arc::new(design.unwrap_or_else(|report| panic!("{report}")));
        let store = Embedded::new(Database::in_memory().unwrap(), "memory");
        let environment = choose_environment(&design, None).unwrap();
        plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
        let runner = Runner::new(Arc::clone(&design), store, &environment.name);
        for pattern in design.callable() {
            let mut arguments = Arguments::new();
            for argument in Usage::of(pattern).example {
                let (name, text) = argument.split_once('=').unwrap();
                let kind = &pattern.parameter(name).unwrap().kind;
                arguments.insert(name.to_owned(), from_text(kind, text).unwrap());
            }
            let answer = runner.run(&pattern.name, &arguments, &Paging::default()).wait();
            let wrong = matches!(answer, Err(RunError::Parameter { .. } | RunError::Parameters { .. }));
            assert!(!wrong, "{}: {} {arguments:?}: {answer:?}", path.display(), pattern.name);
        }
    }
}

const LIBRARY: &str = r#"
design = "library"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Reader]
key    = ["READER#{reader_id}", "READER"]
unique = ["email"]
[entity.Reader.fields]
reader_id = "key"
email     = "string"
name      = "string"
loans     = { type = "int", default = 0 }
limit     = { type = "int", default = 5 }

[entity.Book]
key  = ["BOOK#{book_id}", "BOOK"]
GSI1 = ["SHELF#{shelf}", "{title}"]
[entity.Book.fields]
book_id = "key"
shelf   = "string"
title   = "string"
copies  = { type = "int", default = 1 }
tags    = { type = "set", of = "string", max = 3, optional = true }
owner   = { type = "key", ref = "Reader", optional = true, must_exist = true }

[pattern.join]
create = "Reader"
[pattern.replace_reader]
put = "Reader"
[pattern.rename]
update = "Reader"
set    = ["name"]
[pattern.move_mail]
update = "Reader"
set    = ["email"]
[pattern.edit]
update = "Reader"
set    = ["name", "email"]
[pattern.lend]
update = "Reader"
add    = { loans = 1 }
if     = "loans + 1 < limit"
[pattern.leave]
delete = "Reader"
[pattern.add_book]
put = "Book"
[pattern.shelve]
update = "Book"
set    = ["shelf"]
[pattern.relabel]
update = "Book"
set    = ["shelf", "title"]
[pattern.tag]
update = "Book"
add    = { tags = "{tags}" }
[pattern.give]
update = "Book"
set    = ["owner"]
[pattern.buy]
update = "Book"
add    = { copies = 1 }
[pattern.sell]
delete = "Book"
if     = "copies > 0"
[pattern.book]
get     = "Book"
resolve = { reader = "owner" }
[pattern.on_shelf]
query   = "Book"
on      = "GSI1"
resolve = { reader = "owner" }
[pattern.check_out.transaction]
book   = { run = "buy" }
reader = { run = "rename" }
gone   = { run = "sell", with = { book_id = "{other}" } }
"#;

/// The operations of one call, each run of equal ones once.
fn sent(store: &Embedded, design: &Arc<Design>, pattern: &str, values: &str) -> Vec<&'static str> {
    let Json::Object(members) = values.parse::<Json>().unwrap() else { panic!("an object") };
    let recording = Recording::new(store.clone()).with_writes();
    let runner = Runner::new(Arc::clone(design), recording, "dev");
    let arguments: Arguments = members.into_iter().collect();
    let answer = runner.run(pattern, &arguments, &Paging::default()).wait();
    answer.unwrap_or_else(|error| panic!("{pattern}: {error}"));
    let mut operations: Vec<&str> =
        runner.store().recorded().iter().map(|recorded| recorded.operation).collect();
    operations.dedup();
    operations
}

#[test]
fn the_requests_of_a_pattern_are_those_that_it_sends() {
    let design = singlet_design::load("library.toml", LIBRARY).unwrap_or_else(|report| panic!("{report}"));
    let design = Arc::new(design);
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    let environment = choose_environment(&design, None).unwrap();
    plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
    for (pattern, values) in [
        ("join", r#"{"reader_id": "r", "email": "r@x", "name": "R"}"#),
        ("replace_reader", r#"{"reader_id": "r", "email": "r@x", "name": "R"}"#),
        ("rename", r#"{"reader_id": "r", "name": "S"}"#),
        ("move_mail", r#"{"reader_id": "r", "email": "s@x"}"#),
        ("edit", r#"{"reader_id": "r", "name": "T"}"#),
        ("edit", r#"{"reader_id": "r", "email": "t@x"}"#),
        ("lend", r#"{"reader_id": "r"}"#),
        ("add_book", r#"{"book_id": "b", "shelf": "1", "title": "B", "owner": "r"}"#),
        ("add_book", r#"{"book_id": "c", "shelf": "1", "title": "C", "owner": "r"}"#),
        ("shelve", r#"{"book_id": "b", "shelf": "2"}"#),
        ("relabel", r#"{"book_id": "b", "shelf": "2", "title": "A"}"#),
        ("tag", r#"{"book_id": "b", "tags": ["x"]}"#),
        ("give", r#"{"book_id": "b", "owner": "r"}"#),
        ("buy", r#"{"book_id": "b"}"#),
        ("book", r#"{"book_id": "b"}"#),
        ("on_shelf", r#"{"shelf": "2"}"#),
        ("check_out", r#"{"book_id": "b", "reader_id": "r", "name": "U", "other": "c"}"#),
        ("sell", r#"{"book_id": "b"}"#),
        ("leave", r#"{"reader_id": "r"}"#),
    ] {
        let request = Usage::of(design.pattern(pattern).unwrap()).request.replace(" GSI1", "");
        let sent = sent(&store, &design, pattern, values).join(", ");
        let ways: Vec<&str> = request.split("; or ").collect();
        assert!(ways.contains(&sent.as_str()), "{pattern} sends {sent}, and says {request}");
    }
    let edit = Usage::of(design.pattern("edit").unwrap()).request;
    assert_eq!(edit, "UpdateItem; or GetItem, TransactWriteItems, BatchGetItem");
    let sell = Usage::of(design.pattern("sell").unwrap()).returns;
    assert!(sell.ends_with("fails if the condition doesn't hold"), "{sell}");
}
