//! Encrypted folders as an operator meets them: keys made, used, changed and forgotten, and folders checked.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::path::{Path, PathBuf};

use support::{Serving, run, singlet};

const TABLE: &str = r#"{"TableName":"Music","BillingMode":"PAY_PER_REQUEST",
    "SSESpecification":{"Enabled":true,"SSEType":"KMS"},
    "AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"}]}"#;
const ITEM: &str = r#"{"TableName":"Music","Item":{"Artist":{"S":"Bj\u00f6rk"},"Albums":{"N":"10"}}}"#;

/// Exit code, and everything that was said.
fn say(arguments: &[&str]) -> (i32, String) {
    let output = run(arguments);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder with a key in a file and encrypted data beside it.
fn encrypted() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (key, data) = (folder.path().join("first.key"), folder.path().join("data"));
    assert_eq!(say(&["new-key", path(&key)]).0, 0);
    let server = Serving::start(&["--data", path(&data), "--key-file", path(&key)]);
    assert!(server.greeting[1].ends_with(", encrypted"), "{:?}", server.greeting);
    let described = server.call("CreateTable", TABLE);
    assert!(
        described.contains(
            r#""SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:aws:kms:"#
        )
    );
    assert_eq!(server.call("PutItem", ITEM), "{}");
    assert_eq!(server.terminate().code(), Some(0));
    (folder, key, data)
}

#[test]
fn a_new_key_is_for_its_owner_alone_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("a.key");
    let (code, said) = say(&["new-key", path(&key)]);
    assert!(code == 0 && said.contains("Keep a copy"), "{said}");
    let text = std::fs::read_to_string(&key).unwrap();
    assert!(text.len() == 65 && !said.contains(text.trim()), "the key itself is not shown");
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&key).unwrap().permissions()) & 0o777,
        0o600
    );
    let (code, said) = say(&["new-key", path(&key)]);
    assert!(code == 1 && said.contains("never overwritten"), "{said}");
    assert_eq!(std::fs::read_to_string(&key).unwrap(), text);
}

#[test]
fn each_wrong_way_to_open_a_folder_says_what_to_do() {
    let (folder, key, data) = encrypted();
    let serve =
        |more: &[&str]| say(&[&["serve", "--address", "127.0.0.1:0", "--data", path(&data)], more].concat());
    let (code, said) = serve(&[]);
    assert!(code == 1 && said.contains("--key-file FILE or in SINGLET_KEY"), "{said}");
    let other = folder.path().join("other.key");
    assert_eq!(say(&["new-key", path(&other)]).0, 0);
    let (code, said) = serve(&["--key-file", path(&other)]);
    assert!(code == 1 && said.contains("Give the right one"), "{said}");
    let (code, said) = serve(&["--key-file", path(&folder.path().join("nothing"))]);
    assert!(code == 1 && said.contains("can't read the key"), "{said}");
    std::fs::write(&other, "too short").unwrap();
    let (code, said) = serve(&["--key-file", path(&other)]);
    assert!(code == 1 && said.contains("singlet new-key FILE"), "{said}");

    let plain = folder.path().join("plain");
    assert_eq!(Serving::on(&plain).terminate().code(), Some(0));
    let (code, said) = say(&["serve", "--data", path(&plain), "--key-file", path(&key)]);
    assert!(code == 1 && said.contains("not encrypted") && said.contains("docs/encryption.md"), "{said}");
}

#[test]
fn the_key_may_stand_in_the_environment_and_be_changed() {
    let (folder, first, data) = encrypted();
    let second = folder.path().join("second.key");
    assert_eq!(say(&["new-key", path(&second)]).0, 0);
    let rotate = ["rotate-key", "--data", path(&data), "--new-key-file", path(&second)];
    let (code, said) = say(&rotate);
    assert!(code == 1 && said.contains("--key-file FILE"), "{said}");
    let (code, said) = say(&[&rotate[..], &["--key-file", path(&first)]].concat());
    assert!(code == 0 && said.contains("no longer"), "{said}");
    assert_eq!(say(&["verify", path(&data), "--key-file", path(&first)]).0, 1);

    let text = std::fs::read_to_string(&second).unwrap();
    let verified = singlet(&["verify", path(&data)]).env("SINGLET_KEY", text).output().unwrap();
    let said = String::from_utf8(verified.stdout).unwrap();
    assert!(verified.status.success() && said.contains("Nothing is wrong."), "{said}");
    let server = Serving::start(&["--data", path(&data), "--key-file", path(&second)]);
    let item = server.call("GetItem", r#"{"TableName":"Music","Key":{"Artist":{"S":"Bj\u00f6rk"}}}"#);
    assert!(item.contains(r#""Albums":{"N":"10"}"#), "{item}");
}

#[test]
fn verify_says_what_it_checked_and_what_is_wrong() {
    let (_folder, key, data) = encrypted();
    let verify = || say(&["verify", path(&data), "--key-file", path(&key)]);
    let (code, said) = verify();
    assert!(
        code == 0 && said.contains("Checked 1 table, 1 item, ") && said.ends_with("Nothing is wrong.\n"),
        "{said}"
    );

    let mut logs: Vec<_> = std::fs::read_dir(&data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("log-"))
        .collect();
    logs.sort();
    let log = logs.last().unwrap();
    let mut content = std::fs::read(log).unwrap();
    content[4096 + 70] ^= 1;
    std::fs::write(log, content).unwrap();
    let (code, said) = verify();
    assert!(code == 1 && said.contains(", offset 4096: ") && said.contains("1 thing is wrong"), "{said}");

    let (code, said) = say(&["verify", "/no/such/folder"]);
    assert!(code == 1 && said.contains("there is no folder"), "{said}");
    let server = Serving::start(&["--data", path(&data), "--key-file", path(&key)]);
    let (code, said) = verify();
    assert!(code == 1 && said.contains("in use"), "{said}");
    drop(server);
}

/// A folder with data that is not encrypted.
fn plain() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Serving::start(&["--data", path(&data)]);
    server.call("CreateTable", &TABLE.replace(r#""SSESpecification":{"Enabled":true,"SSEType":"KMS"},"#, ""));
    assert_eq!(server.call("PutItem", ITEM), "{}");
    let (code, said) = say(&["compact", path(&data)]);
    assert!(code == 1 && said.contains("in use by another process"), "{said}");
    assert_eq!(server.terminate().code(), Some(0));
    (folder, data)
}

#[test]
fn a_folder_that_is_compacted_says_its_sizes_and_is_sound() {
    let (_folder, data) = plain();
    let (code, said) = say(&["compact", path(&data)]);
    assert!(code == 0 && said.contains(" KB and takes ") && said.contains(" KB now."), "{said}");
    let (code, said) = say(&["verify", path(&data)]);
    assert!(code == 0 && said.contains("1 item"), "{said}");
    let (code, said) = say(&["compact", path(&data.join("elsewhere"))]);
    assert!(code == 1 && said.contains("there is no folder"), "{said}");
}

#[test]
fn a_cut_tree_is_an_error_and_not_a_panic() {
    let (_folder, data) = plain();
    let tree = std::fs::OpenOptions::new().write(true).open(data.join("tree")).unwrap();
    let length = tree.metadata().unwrap().len();
    for cut in [length - 4096, length - 1, 4096, 0] {
        tree.set_len(cut).unwrap();
        for command in ["verify", "compact"] {
            let (code, said) = say(&[command, path(&data)]);
            assert!(code == 1 && said.contains("the file has been cut"), "{command} at {cut}: {said}");
            assert!(!said.contains("panicked") && !said.contains("backtrace"), "{command} at {cut}: {said}");
        }
    }
}
