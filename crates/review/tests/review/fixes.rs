//! The law of fixes: each fix removes its finding and causes no other, and all fixes of a file hold together.

use std::collections::BTreeMap;

use singlet_design::load;
use singlet_review::{Finding, RULES, Review, Severity, review};

use super::files::designs_in;
use super::generated::generated_design;

/// The number of generated designs.
const GENERATED: u64 = 60;

/// Severities by rule and subjects. Positions move when a text changes, so they don't count.
fn tally(findings: &[Finding]) -> BTreeMap<String, Vec<Severity>> {
    let mut tally: BTreeMap<String, Vec<Severity>> = BTreeMap::new();
    for finding in findings {
        let subjects: Vec<String> = finding.subjects.iter().map(ToString::to_string).collect();
        tally
            .entry(format!("{} on {}", finding.rule, subjects.join(", ")))
            .or_default()
            .push(finding.severity);
    }
    tally
}

/// The fault of a text that should have lost these findings and gained none.
fn wrong(before: &Review, text: &str, mended: &[&Finding]) -> Option<String> {
    let design = match load("fixed.toml", text) {
        Ok(design) => design,
        Err(report) => return Some(format!("doesn't load: {report}")),
    };
    let (before, after) = (tally(&before.findings), tally(&review(&design, text).findings));
    let gone: BTreeMap<String, Vec<Severity>> =
        tally(&mended.iter().map(|finding| (*finding).clone()).collect::<Vec<_>>());
    let count = |tally: &BTreeMap<String, Vec<Severity>>, name: &str, least: Severity| {
        tally.get(name).map_or(0, |all| all.iter().filter(|severity| **severity >= least).count())
    };
    for name in gone.keys() {
        if count(&after, name, Severity::Info) + count(&gone, name, Severity::Info)
            > count(&before, name, Severity::Info)
        {
            return Some(format!("still has {name}"));
        }
    }
    for name in after.keys() {
        for least in [Severity::Warning, Severity::Error] {
            if count(&after, name, least) > count(&before, name, least) {
                return Some(format!("gained {name}"));
            }
        }
    }
    None
}

/// Every breach of the law in a text.
fn breaches(name: &str, source: &str) -> Vec<String> {
    tried(name, source).1
}

/// The number of fixes shown for a text, and every breach of the law.
fn tried(name: &str, source: &str) -> (usize, Vec<String>) {
    let design = load(name, source).unwrap_or_else(|report| panic!("{report}"));
    let review = review(&design, source).with_fixes(source);
    let shown: Vec<&Finding> = review
        .findings
        .iter()
        .filter(|finding| finding.fix.as_ref().is_some_and(|fix| !fix.edits.is_empty()))
        .collect();
    assert_eq!(review.fix_count(), shown.len());
    let mut breaches = Vec::new();
    for finding in &shown {
        let text = finding.fix.as_ref().unwrap().apply(source);
        if let Some(wrong) = wrong(&review, &text, &[finding]) {
            breaches.push(format!("{name}: the fix of {}: {}: {wrong}", finding.rule, finding.message));
        }
    }
    if let Some(wrong) = wrong(&review, &review.fixed(source), &shown) {
        breaches.push(format!("{name}: all fixes together: {wrong}\n{}", review.fixed(source)));
    }
    (shown.len(), breaches)
}

fn examples() -> Vec<(String, String)> {
    let mut examples = Vec::new();
    for rule in RULES {
        for word in ["fires", "fine"] {
            let opening = format!("```toml {word}\n");
            for text in rule.page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()) {
                examples.push((format!("{} {word}", rule.id), text.to_owned()));
            }
        }
    }
    examples
}

#[test]
fn every_fix_of_every_rule_holds_on_the_examples() {
    let breaches: Vec<String> = examples().iter().flat_map(|(name, text)| breaches(name, text)).collect();
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn every_fix_holds_on_whole_designs() {
    let folders = ["designs", "designs/as-written", "crates/design/tests/good"];
    let designs = folders.into_iter().flat_map(designs_in);
    let breaches: Vec<String> = designs.flat_map(|design| breaches(&design.path, &design.source)).collect();
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn every_fix_holds_on_generated_designs() {
    let mut fixes = 0;
    for seed in 0..GENERATED {
        let text = generated_design(seed);
        let (shown, breaches) = tried(&format!("generated {seed}"), &text);
        assert!(breaches.is_empty(), "{}\n{text}", breaches.join("\n"));
        fixes += shown;
    }
    assert!(fixes > 2 * usize::try_from(GENERATED).unwrap(), "only {fixes} fixes were tried");
}

/// Applying fixes repeatedly comes to an end: the findings that remain have no fix.
#[test]
fn fixes_come_to_an_end() {
    for design in designs_in("designs/as-written") {
        let mut text = design.source.clone();
        let ended = (0..10).any(|_| {
            let loaded = load(&design.path, &text).unwrap_or_else(|report| panic!("{report}"));
            let review = review(&loaded, &text).with_fixes(&text);
            text = review.fixed(&text);
            review.fix_count() == 0
        });
        assert!(ended, "{}", design.path);
    }
}
