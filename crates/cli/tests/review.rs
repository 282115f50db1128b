//! The review as a user of the command sees it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::process::Output;

use singlet_design::Json;

use support::singlet;

/// One partition for all posts, at a rate that is fine or isn't.
fn feed(rate: &str, allow: &str) -> String {
    format!(
        r##"design = "feed"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Post]
key   = ["POST#{{post_id}}", "POST"]
GSI1  = ["FEED", "{{created_at}}#{{post_id}}"]
{allow}

[entity.Post.fields]
post_id    = "id"
created_at = "created"

[pattern.create_post]
create = "Post"
rate   = "{rate}"

[pattern.feed]
query = "Post"
on    = "GSI1"
order = "newest"
limit = 20
rate  = "1/s"
"##
    )
}

/// Runs the command in a folder with these designs.
fn review(designs: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in designs {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    singlet(&["review"]).args(arguments).current_dir(folder.path()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn errors_warnings_and_nothing_are_told_apart_by_the_exit_code() {
    let (hot, warm) = (feed("2000/s", ""), feed("1/s", ""));
    let fine = feed("1/s", r#"allow = { constant-partition = "ten posts a week" }"#);
    let cases = [(&hot, false, 2), (&hot, true, 2), (&warm, false, 0), (&warm, true, 1), (&fine, true, 0)];
    for (design, strict, code) in cases {
        let arguments: &[&str] = if strict { &["feed.toml", "--strict"] } else { &["feed.toml"] };
        let output = review(&[("feed.toml", design)], arguments);
        assert_eq!(output.status.code(), Some(code), "{strict}\n{}", said(&output));
    }
}

#[test]
fn a_finding_has_its_numbers_its_line_and_the_changed_lines() {
    let text = said(&review(&[("feed.toml", &feed("2000/s", ""))], &["feed.toml"]));
    for expected in [
        "error[hot-write]: the only key `FEED` in `GSI1` needs 2,000 write units a second (`create_post` at 2,000/s); one",
        "feed.toml:11:",
        r##"    - GSI1  = ["FEED", "{created_at}#{post_id}"]"##,
        r##"    + GSI1  = ["FEED#{shard:post_id/4}", "{created_at}#{post_id}"]"##,
        "feed.toml: 1 error, no warnings, no notes, 0 allowed",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn what_is_allowed_is_shown_with_its_reason() {
    let design = feed("1/s", r#"allow = { constant-partition = "ten posts a week" }"#);
    let text = said(&review(&[("feed.toml", &design)], &["feed.toml"]));
    assert!(text.contains("allowed[constant-partition]: feed.toml:11: ten posts a week"), "{text}");
}

/// The value at a path, as JSON.
fn at(json: &Json, path: &[&str]) -> String {
    let step = |json: &Json, name: &&str| match json {
        Json::List(list) => list[name.parse::<usize>().unwrap()].clone(),
        other => other.get(name).unwrap_or_else(|| panic!("no {name} in {other}")).clone(),
    };
    path.iter().fold(json.clone(), |json, name| step(&json, name)).to_string()
}

#[test]
fn every_format_is_what_it_says_it_is() {
    let design = feed("2000/s", "");
    let said = |format| said(&review(&[("feed.toml", &design)], &["feed.toml", "--format", format]));
    let json: Json = said("json").parse().unwrap();
    assert_eq!(at(&json, &["0", "findings", "0", "rule"]), r#""hot-write""#);
    assert_eq!(at(&json, &["0", "findings", "0", "line"]), "11");
    let sarif: Json = said("sarif").parse().unwrap();
    assert_eq!(at(&sarif, &["version"]), r#""2.1.0""#);
    assert_eq!(at(&sarif, &["runs", "0", "results", "0", "ruleId"]), r#""hot-write""#);
    assert!(said("github").starts_with("::error file=feed.toml,line=11,col="), "{}", said("github"));
}

#[test]
fn a_design_that_does_not_load_is_an_error_in_every_format_and_the_others_are_still_reviewed() {
    let broken = feed("1/s", "").replace("query = \"Post\"", "query = \"Pots\"");
    let designs = [("broken.toml", broken.as_str()), ("feed.toml", &feed("1/s", ""))];
    for format in ["human", "json", "sarif", "github"] {
        let output = review(&designs, &["broken.toml", "feed.toml", "--format", format]);
        assert_eq!(output.status.code(), Some(2), "{format}");
        let text = said(&output);
        assert!(text.contains("there is no entity `Pots`") && text.contains("constant-partition"), "{text}");
    }
}

#[test]
fn a_rule_explains_itself_and_a_wrong_name_leads_to_the_right_one() {
    let page = review(&[], &["--explain", "hot-write"]);
    assert!(page.status.success() && said(&page).starts_with("# hot-write\n"), "{}", said(&page));
    let wrong = review(&[], &["--explain", "hot-writes"]);
    assert_eq!(wrong.status.code(), Some(2));
    let error = String::from_utf8(wrong.stderr).unwrap();
    assert!(error.contains("did you mean hot-write?"), "{error}");
    let rules = said(&review(&[], &["--rules"]));
    assert!(rules.lines().count() > 40 && rules.contains("hot-write "), "{rules}");
}

#[test]
fn the_help_teaches_with_examples() {
    let help = said(&review(&[], &["--help"]));
    assert!(help.contains("singlet review designs/shop.toml") && help.contains("allow = {"), "{help}");
}

/// A folder with a design, and the command run in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(text: &str) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        std::fs::write(folder.0.path().join("feed.toml"), text).unwrap();
        folder
    }

    fn review(&self, arguments: &[&str]) -> Output {
        singlet(&["review", "feed.toml"]).args(arguments).current_dir(self.0.path()).output().unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.0.path().join("feed.toml")).unwrap()
    }

    fn files(&self) -> usize {
        std::fs::read_dir(self.0.path()).unwrap().count()
    }
}

#[test]
fn fix_applies_what_is_shown_keeps_the_rest_and_then_has_nothing_to_do() {
    let design = feed("2000/s", "# Posts never change their author.");
    let folder = Folder::with(&design);
    let output = folder.review(&["--fix"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        said(&output).contains("fixed[hot-write]: feed.toml:11: spread it over 4 keys"),
        "{}",
        said(&output)
    );
    assert!(said(&output).contains("feed.toml: no errors, no warnings"), "{}", said(&output));
    assert_eq!(folder.text(), design.replace("\"FEED\"", "\"FEED#{shard:post_id/4}\""));
    assert_eq!(folder.files(), 1);
    let again = folder.review(&["--fix", "--dry-run"]);
    assert_eq!((again.status.code(), said(&again).contains("fix")), (Some(0), false), "{}", said(&again));
}

#[test]
fn a_dry_run_prints_the_difference_and_changes_nothing() {
    let design = feed("2000/s", "");
    let folder = Folder::with(&design);
    let output = folder.review(&["--fix", "--dry-run"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for expected in [
        "--- feed.toml\n+++ feed.toml\n@@ -8,7 +8,7 @@",
        "\n-GSI1  = [\"FEED\", \"{created_at}#{post_id}\"]\n+GSI1  = [\"FEED#{shard:post_id/4}\", ",
        "would fix[hot-write]: feed.toml:11:",
    ] {
        assert!(said(&output).contains(expected), "{expected}\n{}", said(&output));
    }
    assert_eq!(folder.text(), design);
}

#[test]
fn numbers_that_are_examples_are_applied_only_when_asked_for() {
    let design = feed("1/s", r#"allow = { constant-partition = "ten posts a week" }"#).replace(
        "created_at = \"created\"",
        "created_at = \"created\"\ntags = { type = \"set\", of = \"string\" }",
    );
    let folder = Folder::with(&design);
    let output = folder.review(&["--fix"]);
    assert_eq!((output.status.code(), folder.text()), (Some(2), design), "{}", said(&output));
    let output = folder.review(&["--fix", "--examples"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(
        folder.text().contains("tags = { type = \"set\", of = \"string\", max = 100 }"),
        "{}",
        folder.text()
    );
}

#[test]
fn a_design_that_does_not_load_is_not_touched() {
    let design = feed("1/s", "").replace("query = \"Post\"", "query = \"Pots\"");
    let folder = Folder::with(&design);
    let output = folder.review(&["--fix"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("there is no entity `Pots`"), "{}", said(&output));
    assert_eq!((folder.text(), folder.files()), (design, 1));
}
