//! Every command of the README and of the pages in `docs` is run, in the order of the page, in a folder of its own.
//!
//! - `singlet` commands are run with the program that was built. `singlet serve` goes on in the background as long as
//!   the page's next commands talk to it, and ends when they need its folder.
//! - `aws` commands are run where the AWS CLI is installed. Without it, each must be an operation that the server
//!   knows.
//! - A `toml` block that begins with `# NAME.toml` is saved under that name for the commands after it.
//! - Commands that build or measure for minutes are looked at, not run: the package or the script must be there. The
//!   demo has tests of its own.
//!
//! Output that a page shows must be what is printed; `…` stands for anything.
//! `SINGLET_REWRITE=1 cargo test -p singlet --test documentation` writes the output anew where it has no `…`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod compare;
mod page;
mod session;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use compare::agrees;
use page::{Block, Content, Page, Shown};
use session::Session;

/// The section that says once for all pages which address, region and keys the AWS CLI needs.
const PRELUDE: &str = "#the-aws-cli";
/// Programs that build, measure or belong to others: looked at, not run.
const NOT_RUN: [&str; 9] = [
    "cargo",
    "bench/",
    "fuzz/",
    "npm",
    "sudo",
    "unshare",
    "DYNAMODB_ENDPOINT=",
    "tests/clients/run",
    "singlet demo",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the commands of a page.
fn check(name: &str) {
    let page = Page::read(&root(), name);
    let mut changed = Vec::new();
    let mut session = Session::new(&root(), name != "README.md");
    let has_aws_cli =
        Command::new("aws").arg("--version").output().is_ok_and(|output| output.status.success());
    for block in &page.blocks {
        if let Content::File { name, text } = &block.content {
            session.save(name, text);
            continue;
        }
        if block.commands().iter().all(|line| line.is_empty() || line.starts_with('#') || not_run(line)) {
            block.commands().iter().for_each(|line| look_at(line));
            continue;
        }
        let aws = block.calls("aws");
        if aws && !has_aws_cli {
            known_operations(&page, block, &mut session);
            continue;
        }
        match &block.content {
            Content::File { .. } => {}
            Content::Script(script) => run_script(&page, block, script, aws, &mut session),
            Content::Console(all) => {
                changed.extend(all.iter().filter_map(|shown| run_shown(&page, block, shown, &mut session)));
            }
        }
    }
    if !changed.is_empty() {
        let replace = |text: String, (old, new): (String, String)| text.replacen(&old, &new, 1);
        std::fs::write(root().join(name), changed.into_iter().fold(page.text, replace)).unwrap();
    }
}

fn not_run(line: &str) -> bool {
    NOT_RUN.iter().any(|program| line.starts_with(program))
}

/// The package, or the script, must be there.
fn look_at(line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    if let Some(package) = words.iter().position(|word| *word == "-p").and_then(|at| words.get(at + 1)) {
        let manifest = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
        assert!(
            manifest.contains(&format!("name = \"{package}\"\n")),
            "there is no package {package}: {line}"
        );
    }
    for script in words.iter().filter(|word| word.starts_with("bench/") || word.starts_with("fuzz/")) {
        let is_result = script.starts_with("bench/results/");
        assert!(is_result || root().join(script).exists(), "there is no {script}: {line}");
    }
}

fn run_script(page: &Page, block: &Block, script: &str, aws: bool, session: &mut Session) {
    let is_serve = |line: &&str| line.trim_start().starts_with("singlet serve");
    let rest: Vec<&str> =
        script.lines().filter(|line| !is_serve(line) && !not_run(line.trim_start())).collect();
    // Files that a block makes before the server exist when it starts.
    let before: Vec<&str> = match script.lines().position(|line| is_serve(&line)) {
        Some(_) if !aws => rest.clone(),
        _ => Vec::new(),
    };
    if !before.is_empty() {
        succeeded(&page.place(block), &session.shell(&before.join("\n"), false));
    }
    script.lines().filter(is_serve).for_each(|line| session.serve(line.trim()));
    if before.is_empty() && rest.iter().any(|line| !line.trim().is_empty()) {
        succeeded(&page.place(block), &session.shell(&rest.join("\n"), aws));
    }
}

/// Runs a command and compares what it prints; what the page has to show instead, if it is to be written anew.
fn run_shown(page: &Page, block: &Block, shown: &Shown, session: &mut Session) -> Option<(String, String)> {
    let place = format!("{}: {}", page.place(block), shown.command);
    if shown.command.starts_with("singlet serve") {
        session.serve(&shown.command);
        return None;
    }
    let output = session.shell(&shown.command, needs_server(&shown.command));
    let printed = format!("{}{}", text(&output.stdout), text(&output.stderr));
    let fails = shown.output.trim_start().to_lowercase().starts_with("error")
        || shown.output.contains("An error occurred");
    let is_review = shown.command.starts_with("singlet review");
    assert!(is_review || output.status.success() != fails, "{place}\n{printed}");
    if shown.output.trim().is_empty() || agrees(&shown.output, &printed) {
        return None;
    }
    let rewrite = std::env::var_os("SINGLET_REWRITE").is_some() && !shown.output.contains('…');
    assert!(rewrite, "{place}\nshown:\n{}\nprinted:\n{printed}", shown.output);
    let text = |output: &str| format!("$ {}\n{}", shown.command, output.trim_end());
    Some((text(&shown.output), text(&printed)))
}

/// Whether a command talks to the page's server.
fn needs_server(command: &str) -> bool {
    command.starts_with("aws ") || command.contains(session::ADDRESS)
}

fn succeeded(place: &str, output: &Output) {
    assert!(output.status.success(), "{place}\n{}{}", text(&output.stdout), text(&output.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every operation of an `aws` command must be one that the server knows.
fn known_operations(page: &Page, block: &Block, session: &mut Session) {
    for command in block.commands() {
        for (service, prefix) in [("aws dynamodb ", "DynamoDB"), ("aws dynamodbstreams ", "DynamoDBStreams")]
        {
            for call in command.split(service).skip(1) {
                let word = call.split_whitespace().next().unwrap_or_default();
                if word == "wait" || prefix == "DynamoDBStreams" {
                    continue;
                }
                let capital = |part: &str| {
                    let mut letters = part.chars();
                    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
                    first.into_iter().chain(letters).collect::<String>()
                };
                let operation: String = word.split('-').map(capital).collect();
                let answer = session.server().call(&operation, "{}");
                let place = page.place(block);
                assert!(!answer.contains("UnknownOperation"), "{place}: aws dynamodb {word}: {answer}");
            }
        }
    }
}

macro_rules! pages {
    ($($test:ident: $page:literal),* $(,)?) => {
        const PAGES: &[&str] = &[$($page),*];
        $(#[test]
        fn $test() {
            check($page);
        })*
    };
}

pages! {
    readme: "README.md",
    contributing: "CONTRIBUTING.md",
    api: "docs/api.md",
    backups: "docs/backups.md",
    callers: "docs/callers.md",
    compatibility: "docs/compatibility.md",
    console: "docs/console.md",
    derived: "docs/derived.md",
    design_language: "docs/design-language.md",
    encryption: "docs/encryption.md",
    export_import: "docs/export-import.md",
    first_steps: "docs/first-steps.md",
    performance: "docs/performance.md",
    partiql: "docs/partiql.md",
    platforms: "docs/platforms.md",
    recovery: "docs/recovery.md",
    reliability: "docs/reliability.md",
    streams: "docs/streams.md",
    ttl: "docs/ttl.md",
}

#[test]
fn no_page_with_commands_is_left_out() {
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = format!("docs/{}", entry.unwrap().file_name().to_string_lossy());
        if name.ends_with(".md") && !PAGES.contains(&name.as_str()) {
            assert!(Page::read(&root(), &name).blocks.is_empty(), "{name} has commands: name it above");
        }
    }
}

#[test]
fn address_region_and_keys_are_said_once() {
    for name in PAGES {
        let page = Page::read(&root(), name);
        if *name == "README.md" {
            assert!(page.text.contains("AWS_DEFAULT_REGION=") && page.text.contains("\n## The AWS CLI\n"));
        } else if page.blocks.iter().any(|block| block.calls("aws")) {
            assert!(page.text.contains(PRELUDE), "{name} has to link to README.md{PRELUDE}");
            assert!(!page.text.contains("export AWS_"), "{name} repeats what README.md{PRELUDE} says");
        }
    }
}
