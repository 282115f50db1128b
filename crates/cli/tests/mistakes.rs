//! Mistakes that new users make with arguments, folders and addresses, and what they are told.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::fs;
use std::path::Path;

use support::music::{fails, works};
use support::{Serving, run, singlet};

const DESIGN: &str = r#"
design = "gym"

[table]
name = "gym"
key  = ["PK", "SK"]

[entity.Score]
key = ["LEVEL#{level}", "{member}"]
[entity.Score.fields]
level  = "key"
member = "key"
points = "int"

[pattern.top]
query = "Score"

[pattern.score]
create = "Score"

[pattern.scored.transaction]
score = { run = "score", with = { level = "{grade}" } }
"#;

/// The message of a command that refuses its arguments.
#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    text
}

fn gym(folder: &Path) -> String {
    let file = folder.join("gym.toml");
    fs::write(&file, DESIGN).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_parameter_written_as_an_option_is_shown_as_it_must_be() {
    let folder = tempfile::tempdir().unwrap();
    let file = gym(folder.path());
    for (words, shown) in [
        (&["--level", "gold"][..], "`level=gold`"),
        (&["--level=gold"], "`level=gold`"),
        (&["--level"], "`level=VALUE`"),
        (&["--", "--level", "1"], "`level=1`"),
        (&["--", "--level=1"], "`level=1`"),
    ] {
        for command in ["run", "explain"] {
            let text = refused(&[&[command, &file, "top"], words].concat());
            assert!(text.contains("there is no option `--level`") && text.contains(shown), "{text}");
        }
    }
    assert!(refused(&["run", &file, "top", "--limt", "5"]).contains("--limit"));
    assert!(!refused(&["check", &file, "--level", "run"]).contains("level=run"));
}

#[test]
fn a_value_that_would_forge_a_key_is_found_with_all_other_wrong_ones() {
    let folder = tempfile::tempdir().unwrap();
    let file = gym(folder.path());
    let text = refused(&["run", &file, "score", "level=a#b", "member=m", "points=many"]);
    assert!(text.contains("`level`") && text.contains("separates the parts of a key"), "{text}");
    assert!(text.contains("`points`"), "{text}");
    let text = refused(&["run", &file, "scored", "grade=a#b", "member=m", "points=1"]);
    assert!(text.contains("`grade`") && text.contains("separates the parts of a key"), "{text}");
    assert!(!folder.path().join("singlet-data").exists());
}

#[test]
fn a_cut_object_is_reported_where_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (file, input) = (gym(folder.path()), folder.path().join("input.json"));
    for (cut, place) in [
        ("{\"level\": \"a\"\n", "column 14, where the text ends"),
        ("{\n \"a\": 1", "line 2, column 8, where the text ends"),
    ] {
        fs::write(&input, cut).unwrap();
        let text = refused(&["run", &file, "score", "--input", input.to_str().unwrap()]);
        assert!(text.contains(place) && text.contains("expected a comma"), "{text}");
    }
}

#[test]
fn all_sources_of_a_restore_and_of_a_backup_are_named() {
    let text = refused(&["restore"]);
    for option in ["--table", "--backup", "--from", "--of"] {
        assert!(text.contains(option), "{option} in {text}");
    }
    let text = refused(&["backup"]);
    assert!(text.contains("--table") && text.contains("--all"), "{text}");
    refused(&["restore", "--table", "t-1", "--of", "a-1", "--from", "b"]);
    refused(&["backup", "--table", "t-1", "--all"]);
}

#[test]
fn a_restore_without_the_key_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (key, copies, new) = (path("a.key"), path("copies"), folder.path().join("new"));
    assert!(run(&["new-key", &key]).status.success());
    fs::write(folder.path().join("days.csv"), "id\n1\n").unwrap();
    let import =
        ["import", "--from", &path("days.csv"), "--table", "days", "--key", "id", "--key-file", &key];
    let data = folder.path().join("data");
    works(&import, &data);
    let text = works(&["backup", "--table", "days", "--to", &copies, "--key-file", &key], &data);
    assert!(text.starts_with("days: 1 item, "), "{text}");
    let file = fs::read_dir(&copies).unwrap().next().unwrap().unwrap().path();
    let restore = ["restore", "--from", file.to_str().unwrap(), "--table", "days"];
    let text = fails(&restore, &new);
    assert!(text.contains("--key-file"), "{text}");
    assert!(!new.exists());
    let text = works(&[&restore[..], &["--key-file", &key]].concat(), &new);
    assert!(text.starts_with("days: 1 item of days, "), "{text}");
}

#[test]
fn commands_that_only_look_leave_an_empty_folder_empty() {
    let folder = tempfile::tempdir().unwrap();
    let (key, empty) = (folder.path().join("a.key"), folder.path().join("empty"));
    fs::create_dir(&empty).unwrap();
    assert!(run(&["new-key", key.to_str().unwrap()]).status.success());
    let key = ["--key-file", key.to_str().unwrap()];
    let to = folder.path().join("to");
    let new = folder.path().join("b.key");
    assert!(run(&["new-key", new.to_str().unwrap()]).status.success());
    for command in [
        &["backups"][..],
        &["backup", "--all"],
        &["recovery"],
        &["export", "--table", "t-1", "--to", to.to_str().unwrap()],
        &["rotate-key", "--new-key-file", new.to_str().unwrap()],
    ] {
        let text = fails(&[command, &key].concat(), &empty);
        assert!(text.contains("there is no data in"), "{command:?}: {text}");
        assert_eq!(fs::read_dir(&empty).unwrap().count(), 0, "{command:?}");
    }
}

/// A text without its line ends.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn only_commands_that_create_folders_say_that_a_key_encrypts_them() {
    for command in [
        "backup",
        "backups",
        "export",
        "verify",
        "compact",
        "rotate-key",
        "recovery",
        "run",
        "explain",
        "seed",
    ] {
        let help = String::from_utf8(run(&[command, "--help"]).stdout).unwrap();
        assert!(help.contains("--key-file") && !flat(&help).contains("encrypted from now on"), "{help}");
    }
    for command in ["serve", "apply", "import", "restore"] {
        let help = String::from_utf8(run(&[command, "--help"]).stdout).unwrap();
        assert!(flat(&help).contains("encrypted from now on"), "{help}");
    }
}

#[test]
fn a_file_in_the_place_of_the_data_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("singlet.db");
    fs::write(&file, "text").unwrap();
    let path = file.to_str().unwrap();
    let serve = ["serve", "--address", "127.0.0.1:0", "--data", path];
    for command in [&serve[..], &["verify", path], &["compact", path], &["backups", "--data", path]] {
        let output = run(command);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("is a file, and data needs a folder") && !text.contains("os error"), "{text}");
    }
}

#[test]
fn an_address_without_a_scheme_or_with_the_wrong_one_is_not_about_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let (file, server) = (gym(folder.path()), Serving::start(&["--in-memory"]));
    let run = |address: &str| {
        let output =
            singlet(&["run", &file, "top", "level=gold", "--endpoint-url", address]).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let text = run(&server.address);
    assert!(text.contains(&format!("write `http://{}`", server.address)), "{text}");
    let text = run(&format!("https://{}", server.address));
    assert!(text.contains("without encryption") && text.contains("`http://`"), "{text}");
    assert!(!text.contains("credentials") && !text.contains("InvalidContentType"), "{text}");
}

#[test]
fn notes_below_the_help_have_no_line_of_one_word() {
    let help = run(&["--help"]);
    let names = String::from_utf8(help.stdout).unwrap();
    let commands = names.lines().skip_while(|line| !line.starts_with("Commands")).skip(1);
    let commands: Vec<&str> = commands.map_while(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let help = String::from_utf8(run(&[command, "--help"]).stdout).unwrap();
        let lines: Vec<&str> = help.lines().collect();
        for pair in lines.windows(2) {
            let is_text = pair.iter().all(|line| !line.is_empty() && !line.starts_with(' '));
            // A broken paragraph goes on in the next line although that line's first word had room.
            let word = pair[1].split(' ').next().unwrap();
            let had_room = pair[0].chars().count() + 1 + word.chars().count() <= 100;
            assert!(!(is_text && had_room), "{command}: {pair:?}");
        }
    }
}
