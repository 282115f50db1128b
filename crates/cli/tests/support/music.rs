//! A small table of music to keep safe, and the command run on its data.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Serving, run};

const TABLE: &str = r#"{"TableName":"Music","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"}]}"#;

/// A data folder with a table of three items.
pub(crate) fn data(folder: &Path) -> PathBuf {
    let data = folder.join("data");
    let server = Serving::on(&data);
    assert!(server.call("CreateTable", TABLE).contains("TableDescription"));
    for artist in ["Björk", "Nina", "Trịnh"] {
        let item = format!(r#"{{"TableName":"Music","Item":{{"Artist":{{"S":"{artist}"}}}}}}"#);
        assert_eq!(server.call("PutItem", &item), "{}");
    }
    assert_eq!(server.terminate().code(), Some(0));
    data
}

/// Runs the command in a data folder; gives whether it worked, and what it said.
pub(crate) fn said(arguments: &[&str], data: &Path) -> (Option<i32>, String) {
    let output = run(&[arguments, &["--data", data.to_str().unwrap()]].concat());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[track_caller]
pub(crate) fn works(arguments: &[&str], data: &Path) -> String {
    let (code, text) = said(arguments, data);
    assert_eq!(code, Some(0), "{arguments:?}: {text}");
    text
}

#[track_caller]
pub(crate) fn fails(arguments: &[&str], data: &Path) -> String {
    let (code, text) = said(arguments, data);
    assert_eq!(code, Some(1), "{arguments:?}: {text}");
    assert!(!text.contains("Error {") && !text.contains("panicked"), "{text}");
    text
}

pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "it does not come to an end");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}
