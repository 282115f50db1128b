//! `singlet new`: each template passes the checks, runs, and is never written over another file.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::path::Path;
use std::process::Output;

use support::singlet;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = singlet(arguments);
    command.current_dir(folder).env("HOME", folder);
    for variable in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"] {
        command.env_remove(variable);
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn answer(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn every_template_checks_reviews_and_runs() {
    for template in ["todo", "shop", "chat"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let said = answer(folder, &["new", "my-design", "--from", template]);
        assert_eq!(said.lines().filter(|line| line.starts_with("  singlet ")).count(), 3, "{said}");
        let design = std::fs::read_to_string(folder.join("my-design.toml")).unwrap();
        assert!(!design.contains("{{") && design.contains("design = \"my-design\""), "{design}");
        answer(folder, &["check", "my-design.toml"]);
        let review = answer(folder, &["review", "my-design.toml", "--strict"]);
        assert!(review.contains("no errors, no warnings"), "{review}");
        answer(folder, &["apply", "my-design.toml"]);
        let seeded = answer(folder, &["seed", "my-design.toml", "--items", "100", "--format", "json"]);
        assert!(seeded.starts_with("{\"items\":100,"), "{seeded}");
        let pattern = said.split_whitespace().rev().nth(1).unwrap().to_owned();
        let help = answer(folder, &["run", "my-design.toml", &pattern, "--help"]);
        assert!(help.contains(&pattern), "{help}");
    }
}

#[test]
fn a_name_that_no_design_can_have_is_refused_with_one_that_works() {
    for (name, instead) in [("Foo", "foo"), ("my_app", "my-app"), ("designs/My App.toml", "my-app")] {
        let folder = tempfile::tempdir().unwrap();
        let output = run(folder.path(), &["new", name]);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert!(said.contains(&format!("such as `{instead}`")), "{said}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        answer(folder.path(), &["new", instead]);
        answer(folder.path(), &["check", &format!("{instead}.toml")]);
    }
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tasks.toml"), "mine").unwrap();
    let output = run(folder.path(), &["new", "tasks"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("left as it is"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(folder.path().join("tasks.toml")).unwrap(), "mine");
}

#[test]
fn programs_read_json() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    answer(folder, &["new", "tasks"]);
    let check = answer(folder, &["check", "tasks.toml", "--format", "json"]);
    assert!(check.contains("\"well_formed\":true"), "{check}");
    let plan = answer(folder, &["apply", "tasks.toml", "--format", "json"]);
    assert!(plan.starts_with("{\"steps\":[\"") && plan.lines().count() == 1, "{plan}");
    let chart = answer(folder, &["describe", "tasks.toml", "--format", "json", "--part", "chart"]);
    assert!(chart.contains("\"charts\":[{\"title\":"), "{chart}");
    let verified = answer(folder, &["verify", "--format", "json"]);
    assert!(verified.contains("\"sound\":true"), "{verified}");
    assert_eq!(answer(folder, &["backups", "--format", "json"]), "[]\n");
    std::fs::write(folder.join("wrong.toml"), "design = 1").unwrap();
    let output = run(folder, &["check", "wrong.toml", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("\"well_formed\":false"), "{}", text(&output.stdout));
}

#[test]
fn colours_are_for_terminals_or_for_those_who_ask() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let error = |arguments: &[&str]| text(&run(folder, arguments).stderr);
    assert!(!error(&["check", "nothing.toml"]).contains('\u{1b}'));
    assert!(error(&["check", "nothing.toml", "--color", "always"]).contains("\u{1b}[1m\u{1b}[31merror"));
    assert!(!error(&["--color", "never", "check", "nothing.toml"]).contains('\u{1b}'));
    assert!(text(&run(folder, &["--help", "--color", "always"]).stdout).contains('\u{1b}'));
    assert!(!text(&run(folder, &["--help"]).stdout).contains('\u{1b}'));
}
