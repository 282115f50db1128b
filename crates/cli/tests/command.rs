//! The command as an operator sees it: help, greeting, errors, exit codes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use support::{Serving, run, singlet};

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs the command, which must fail with one clear message.
#[track_caller]
fn failure(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    let stderr = text(&output.stderr);
    // The log, with its times and warnings, comes before.
    let message = stderr.find("error: ").map(|start| stderr[start..].to_owned()).expect(stderr);
    for debug in ["Error {", "Err(", "Os {", "kind:", "panicked"] {
        assert!(!message.contains(debug), "{message}");
    }
    message
}

#[test]
fn the_help_teaches_with_examples() {
    let help = run(&["--help"]);
    assert!(help.status.success());
    for line in ["singlet serve --in-memory", "aws dynamodb list-tables --endpoint-url", "Exit codes"] {
        assert!(text(&help.stdout).contains(line), "{line}");
    }
    let serve = run(&["serve", "--help"]);
    for line in ["--cache-size", "--overlay-size", "read_only = true", "even if the power fails"] {
        assert!(text(&serve.stdout).contains(line), "{line}");
    }
}

#[test]
fn the_version_names_the_commit_and_the_formats() {
    let short = format!("singlet {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&run(&["-V"]).stdout), short);
    let long = run(&["--version"]);
    let long = text(&long.stdout);
    assert!(long.starts_with(&short), "{long}");
    for line in ["\ncommit: ", "\nbuilt for: ", "\nfile formats: log 2, tree 2\n"] {
        assert!(long.contains(line), "{line:?} in {long}");
    }
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]);
        assert!(script.status.success());
        for word in ["rotate-key", "--endpoint-url", "completions"] {
            assert!(text(&script.stdout).contains(word.trim_start_matches('-')), "{word} in {shell}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man");
    assert!(run(&["man", pages.to_str().unwrap()]).status.success());
    let page = std::fs::read_to_string(pages.join("singlet-apply.1")).unwrap();
    assert!(page.contains("Create the tables of a design"), "{page}");
}

#[test]
fn wrong_arguments_have_their_own_exit_code() {
    for arguments in [&["swerve"][..], &["serve", "--prot", "1"], &["serve", "--durability", "some"], &[]] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_greeting_says_where_it_listens_where_the_data_is_and_how_to_reach_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Serving::on(&data);
    let [listens, data_line, try_it] = &server.greeting[..] else { panic!("{:?}", server.greeting) };
    assert!(listens.starts_with("Singlet ") && listens.contains("http://127.0.0.1:"), "{listens}");
    assert_eq!(*data_line, format!("Data in {}", data.canonicalize().unwrap().display()));
    assert!(try_it.contains("aws dynamodb list-tables") && try_it.contains(&server.address), "{try_it}");
}

#[test]
fn data_is_there_again_after_a_stop_and_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let server = Serving::on(folder.path());
    let table = r#"{"TableName":"Music","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"}]}"#;
    assert!(server.call("CreateTable", table).contains("TableDescription"));
    let item = r#"{"TableName":"Music","Item":{"Artist":{"S":"Björk"},"Albums":{"N":"10"}}}"#;
    assert_eq!(server.call("PutItem", item), "{}");
    assert_eq!(server.terminate().code(), Some(0));

    let server = Serving::on(folder.path());
    let key = r#"{"TableName":"Music","Key":{"Artist":{"S":"Björk"}}}"#;
    assert!(server.call("GetItem", key).contains(r#""Albums":{"N":"10"}"#));
}

#[test]
fn a_folder_in_use_is_named_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let _server = Serving::on(folder.path());
    let path = folder.path().to_str().unwrap();
    let message = failure(&["serve", "--address", "127.0.0.1:0", "--data", path]);
    assert!(message.contains(path) && message.contains("--data DIR"), "{message}");
}

#[test]
fn a_port_in_use_is_named_and_the_data_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let server = Serving::start(&["--in-memory"]);
    let data = folder.path().join("data");
    let message = failure(&["serve", "--address", &server.address, "--data", data.to_str().unwrap()]);
    assert!(message.contains(&server.address) && message.contains("--address HOST:PORT"), "{message}");
    assert!(!data.exists());
}

#[test]
fn other_machines_are_let_in_only_with_credentials() {
    let message = failure(&["serve", "--in-memory", "--address", "0.0.0.0:0"]);
    assert!(message.contains("--credentials FILE") && message.contains("127.0.0.1"), "{message}");
}

#[test]
fn unusable_credentials_are_named_without_showing_secrets() {
    let message = failure(&["serve", "--in-memory", "--credentials", "/no/such/keys.toml"]);
    assert!(message.contains("/no/such/keys.toml"), "{message}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.toml");
    std::fs::write(&file, "[key.AKID]\nsecret = \"hunter2\"\nread-only = true\n").unwrap();
    let message = failure(&["serve", "--in-memory", "--credentials", file.to_str().unwrap()]);
    assert!(message.contains("line 3") && !message.contains("hunter2"), "{message}");

    let output = singlet(&["serve", "--in-memory"]).env("SINGLET_ACCESS_KEY_ID", "A").output().unwrap();
    assert!(text(&output.stderr).contains("SINGLET_SECRET_ACCESS_KEY is not"), "{}", text(&output.stderr));
}

#[test]
#[cfg(target_os = "linux")]
fn endless_files_are_neither_designs_nor_keys() {
    for command in ["check", "fmt", "review", "patterns"] {
        let output = run(&[command, "/dev/zero"]);
        assert!(!output.status.success(), "{command}");
        assert!(text(&output.stderr).contains("can't read /dev/zero: it has more than 16 MB"), "{command}");
    }
    let folder = tempfile::tempdir().unwrap();
    let message = failure(&["verify", folder.path().to_str().unwrap(), "--key-file", "/dev/zero"]);
    assert!(message.contains("key"), "{message}");
}
