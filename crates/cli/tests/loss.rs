//! A folder that has lost a file, as an operator meets it: refused with what is missing, and opened on request.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use support::{Serving, run};

/// Exit code, and everything that was said.
fn say(arguments: &[&str]) -> (i32, String) {
    let output = run(arguments);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

const TABLE: &str = r#"{"TableName":"Music","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"}]}"#;

#[test]
fn a_folder_that_has_lost_a_file_is_refused_until_the_loss_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = data.to_str().unwrap();
    let server = Serving::start(&["--data", path]);
    server.call("CreateTable", TABLE);
    assert_eq!(server.terminate().code(), Some(0));
    std::fs::remove_file(data.join("reach")).unwrap();

    let (code, said) = say(&["verify", path]);
    assert!(code == 1 && said.contains("`reach` is missing") && said.contains("1 thing is wrong"), "{said}");
    let (code, said) = say(&["serve", "--data", path, "--address", "127.0.0.1:0"]);
    assert!(code == 1 && said.contains("`reach` is missing") && said.contains("--accept-loss"), "{said}");
    let (code, said) = say(&["backups", "--data", path]);
    assert!(code == 1 && said.contains("--accept-loss"), "{said}");

    let (code, said) = say(&["backups", "--data", path, "--accept-loss"]);
    assert!(code == 0 && said.contains("warning: ") && said.contains("this was accepted"), "{said}");
    let (code, said) = say(&["verify", path]);
    assert!(code == 0 && said.contains("Nothing is wrong."), "{said}");
    let server = Serving::start(&["--data", path]);
    assert!(server.call("ListTables", "{}").contains("Music"));
    assert_eq!(server.terminate().code(), Some(0));
}
