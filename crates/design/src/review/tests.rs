use super::*;
use crate::load;

/// The designs of a rule's page: those it must find something in, and those it must leave alone.
fn examples(page: &str, word: &str) -> Vec<String> {
    let opening = format!("```toml {word}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

fn found(source: &str, rule: &str) -> Vec<Finding> {
    let design = load("example.toml", source).unwrap_or_else(|report| panic!("{report}"));
    review(&design, source).findings.into_iter().filter(|finding| finding.rule == rule).collect()
}

#[test]
fn every_rule_fires_on_its_failing_example_and_not_on_its_passing_one() {
    for rule in RULES {
        let (fires, fine) = (examples(rule.page, "fires"), examples(rule.page, "fine"));
        assert!(!fires.is_empty() && !fine.is_empty(), "{} lacks an example", rule.id);
        for source in fires {
            assert!(!found(&source, rule.id).is_empty(), "{} finds nothing in\n{source}", rule.id);
        }
        for source in fine {
            assert_eq!(found(&source, rule.id), [], "{} finds something in\n{source}", rule.id);
        }
    }
}

#[test]
fn every_fix_with_changed_lines_loads_and_settles_its_finding() {
    for rule in RULES {
        for source in examples(rule.page, "fires") {
            for finding in found(&source, rule.id) {
                let Some(fix) = finding.fix.filter(|fix| !fix.edits.is_empty()) else { continue };
                let mended = fix.apply(&source);
                let left = found(&mended, rule.id);
                assert!(
                    left.iter().all(|other| other.message != finding.message),
                    "{} after\n{mended}",
                    rule.id
                );
            }
        }
    }
}

#[test]
fn every_page_is_titled_by_its_rule() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n", rule.id)), "{}", rule.id);
    }
}
