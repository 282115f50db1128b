//! Designs: the input is the text of a design file.
//!
//! Promises:
//! - a text that is formatted is formatted the second time as it is, and a design stays a design;
//! - a text is a design or has a report whose every mistake points at a place of it, and which can be printed;
//! - a design can be reviewed, described and printed in every format, and its findings and fixes point at places of the
//!   text;
//! - on an empty database it can be applied, and then has nothing to apply; sample data can be made for it and be
//!   planted, and each pattern runs, or is refused with a reason, and can be explained.

use std::sync::Arc;

use singlet_design::{
    Design, Json, Lines, Pattern, Report, Span, describe_markdown, describe_text, format, from_text, load,
    upgrade,
};
use singlet_engine::{Database, ManualClock};
use singlet_review::{Finding, OutputFormat, Review, Reviewed, render, review};
use singlet_run::apply::{choose_environment, plan};
use singlet_run::explain::Recording;
use singlet_run::seed::{SeedOptions, Seeder, plant};
use singlet_run::{Arguments, Paging, RunError, Runner, SeededEntropy, Wait};
use singlet_store::{Embedded, StoreError};

use crate::fixture::{NOW_MS, options};

/// Texts that are tried as values of parameters.
const VALUES: [&str; 8] = ["1", "x", "2024-01-01", "2024-01-01T00:00:00Z", "true", "[]", "{}", "a,b"];
/// A database is opened only for designs of so many tables and patterns, so that runs stay short.
const TABLES_MAX: usize = 4;
const PATTERNS_MAX: usize = 80;

pub(crate) fn run(input: &[u8]) {
    let source = String::from_utf8_lossy(input);
    check_format(&source);
    match load("fuzz.toml", &source) {
        Err(report) => check_report(&report, &source),
        Ok(design) => check_design(design, &source),
    }
}

fn check_format(source: &str) {
    let Ok(once) = format("fuzz.toml", source) else { return };
    assert_eq!(format("fuzz.toml", &once).ok().as_ref(), Some(&once));
    let upgraded = upgrade("fuzz.toml", source).expect("what can be formatted can be upgraded");
    if load("fuzz.toml", source).is_ok() {
        for text in [&once, &upgraded.text] {
            load("fuzz.toml", text).unwrap_or_else(|report| panic!("{report}"));
        }
    }
}

fn check_report(report: &Report, source: &str) {
    assert!(!report.mistakes.is_empty());
    for mistake in &report.mistakes {
        check_span(mistake.span, source, &mistake.message);
        let place = report.position(mistake);
        assert!(place.line >= 1 && place.line <= source.lines().count() + 1, "{place:?}");
        assert!(!mistake.message.is_empty());
    }
    assert!(report.to_string().contains("fuzz.toml"));
    check_rendering(&Review::refused(report), source);
}

fn check_span(span: Span, source: &str, told: &str) {
    assert!(span.start <= span.end && span.end <= source.len(), "{span:?} {told}");
    assert!(source.is_char_boundary(span.start) && source.is_char_boundary(span.end), "{span:?} {told}");
    assert!(Lines::new(source).position(span.start).line >= 1);
}

fn check_rendering(review: &Review, source: &str) {
    for format in [OutputFormat::Human, OutputFormat::Json, OutputFormat::Sarif, OutputFormat::GitHub] {
        let file = Reviewed { file: "fuzz.toml", source, review };
        let text = render(format, &[file]);
        if matches!(format, OutputFormat::Json | OutputFormat::Sarif) {
            assert!(text.parse::<Json>().is_ok(), "{text}");
        }
    }
}

fn check_design(design: Design, source: &str) {
    let reviewed = review(&design, source).with_fixes(source);
    reviewed.findings.iter().for_each(|finding| check_finding(finding, source));
    reviewed.allowed.iter().for_each(|allowed| check_finding(&allowed.finding, source));
    check_rendering(&reviewed, source);
    assert!(describe_text(&design).contains(&design.name));
    assert!(describe_markdown(&design).contains(&design.name));
    if design.tables.len() <= TABLES_MAX && design.patterns.len() <= PATTERNS_MAX {
        check_running(Arc::new(design));
    }
}

fn check_finding(finding: &Finding, source: &str) {
    check_span(finding.span, source, &finding.message);
    if let Some(fix) = &finding.fix {
        for edit in &fix.edits {
            check_span(edit.span, source, &fix.about);
        }
        // The result of a fix is a text that is a design or has a report.
        let _ = load("fuzz.toml", &fix.apply(source)).map_err(|report| report.to_string());
        let _ = fix.lines(source);
    }
}

fn check_running(design: Arc<Design>) {
    let Ok(environment) = choose_environment(&design, None) else { return };
    let database = Database::in_memory_with(options(None)).unwrap();
    let store = Embedded::new(database.clone(), "memory");
    let first = plan(&design, &environment, &store).wait().unwrap();
    let _ = first.to_string();
    if let Err(error) = first.run(&store, &mut |_| ()).wait() {
        // What DynamoDB doesn't take is refused with its text.
        assert!(!error.to_string().is_empty());
        return;
    }
    let again = plan(&design, &environment, &store).wait().unwrap();
    assert!(again.is_empty(), "{again}");
    let seeder = Seeder::new(&design, SeedOptions { items: 6, seed: 1, now_ms: NOW_MS });
    if let Err(error) = plant(seeder, &store, &environment.name, &mut |_| ()).wait() {
        assert!(!error.to_string().is_empty());
    }
    let recording = Recording::new(store).with_writes();
    let runner = Runner::new(design.clone(), recording, &environment.name)
        .with_clock(Arc::new(ManualClock::new(NOW_MS)))
        .with_entropy(Arc::new(SeededEntropy::new(1)))
        .with_cursor_key([7; 32]);
    for pattern in &design.patterns {
        for value in ["1", "x"] {
            check_pattern(&runner, pattern, value);
        }
    }
    for recorded in runner.store().recorded() {
        assert!(!recorded.to_string().is_empty());
    }
    drop(runner);
    database.close().unwrap();
}

fn check_pattern(runner: &Runner<Recording<Embedded>>, pattern: &Pattern, preferred: &str) {
    let mut arguments = Arguments::new();
    for parameter in pattern.parameters.iter().filter(|parameter| parameter.required) {
        let texts = std::iter::once(preferred).chain(VALUES);
        let json =
            texts.filter_map(|text| from_text(&parameter.kind, text).ok()).next().unwrap_or(Json::Null);
        arguments.insert(parameter.name.clone(), json);
    }
    match runner.run(&pattern.name, &arguments, &Paging::default()).wait() {
        Ok(outcome) => assert!(outcome.to_json().to_string().parse::<Json>().is_ok()),
        Err(RunError::Store(error)) => check_store_error(&pattern.name, &error),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A request that a pattern made is one that a database takes, or it is the caller's values that it refuses.
fn check_store_error(pattern: &str, error: &StoreError) {
    assert!(!error.to_string().is_empty(), "{pattern}: {error:?}");
}
