//! A review of a very large design.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

#[path = "large/design.rs"]
mod design;

use singlet_design::load;
use singlet_review::{OutputFormat, Reviewed, render, review};

#[test]
fn a_design_of_200_entities_and_500_patterns_is_reviewed_whole() {
    let source = design::large_design(200, 500);
    let design = load("large.toml", &source).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!((design.entities.len(), design.patterns.len()), (200, 500));
    let review = review(&design, &source).with_fixes(&source);
    let found = |rule: &str| review.findings.iter().filter(|finding| finding.rule == rule).count();
    assert_eq!(found("unbounded-list"), 200_usize.div_ceil(7));
    assert_eq!(found("unused-index"), 1, "GSI2");
    assert!(found("filter") > 0 && found("low-cardinality") > 0, "{}", review.findings.len());
    assert!(review.fix_count() > 0 && review.untried_fixes > 0, "{}", review.untried_fixes);
    let file = Reviewed { file: "large.toml", source: &source, review: &review };
    assert!(render(OutputFormat::Human, &[file]).lines().count() > 200);
}
