//! The review of a design: its findings, the allowances, and the fixes.

use std::collections::{BTreeMap, BTreeSet};

use singlet_design::{Design, Report, Subject};

use crate::context::{Context, Findings};
use crate::finding::{Allowed, Finding, Severity};
use crate::fix::{Fix, apply_edits, joined};
use crate::rules::{Check, RULES, unused};

mod fixes;

/// The rule of the findings about a design that doesn't load.
const REFUSED: &str = "refused";

/// Bytes of design text that are loaded and reviewed to try fixes one by one, and as many again to try them together.
/// Beyond this, findings have advice in words, and the review says how many fixes weren't tried.
const TRIED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The result of reviewing one design.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// The findings that the design doesn't allow, in the order of the file.
    pub findings: Vec<Finding>,
    /// The findings that the design allows, with its reasons.
    pub allowed: Vec<Allowed>,
    /// The number of fixes that weren't tried, because the design is too large to try them all.
    pub untried_fixes: usize,
}

impl Review {
    /// The review of a design that doesn't load: its mistakes as errors.
    pub fn refused(report: &Report) -> Review {
        let findings = report.mistakes.iter().map(|mistake| Finding {
            rule: REFUSED,
            severity: Severity::Error,
            span: mistake.span,
            subjects: Vec::new(),
            message: mistake.message.clone(),
            fix: mistake.help.clone().map(Fix::advice),
            proposals: Vec::new(),
        });
        Review { findings: findings.collect(), ..Review::default() }
    }

    /// The highest severity of the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }

    /// Gives each finding a fix that holds, or advice in words. `source` is the text that was reviewed.
    #[must_use]
    pub fn with_fixes(self, source: &str) -> Review {
        self.with_fixes_within(source, TRIED_BYTES_MAX)
    }

    /// The same with another limit on the bytes that are loaded.
    pub(crate) fn with_fixes_within(mut self, source: &str, bytes_max: usize) -> Review {
        self.untried_fixes = fixes::choose(&mut self.findings, source, bytes_max);
        self
    }

    /// The text with every fix applied.
    pub fn fixed(&self, source: &str) -> String {
        let fixes = self.findings.iter().filter_map(|finding| finding.fix.as_ref());
        match joined(fixes.map(|fix| fix.edits.as_slice())) {
            Some(edits) => apply_edits(source, &edits),
            // The chosen fixes never overlap.
            None => source.to_owned(),
        }
    }

    /// The number of findings whose fix changes lines.
    pub fn fix_count(&self) -> usize {
        let fixes = self.findings.iter().filter_map(|finding| finding.fix.as_ref());
        fixes.filter(|fix| !fix.edits.is_empty()).count()
    }
}

/// Reviews a design with every rule. `source` is the text that it was loaded from. The findings have no fixes yet:
/// [`Review::with_fixes`] tries those, which takes longer than the review.
pub fn review(design: &Design, source: &str) -> Review {
    let context = Context::new(design, source);
    let mut findings = Findings::default();
    for rule in RULES {
        findings.rule = rule.id;
        if let Check::Review(check) = rule.check {
            check(&context, &mut findings);
        }
    }
    settle(design, source, findings.found)
}

/// Separates the findings that the design allows, and adds a finding for each allowance that matches none.
fn settle(design: &Design, source: &str, mut found: Vec<Finding>) -> Review {
    let mut review = Review::default();
    let allowances = &design.layout.allowances;
    let mut positions: BTreeMap<(&str, &Subject), usize> = BTreeMap::new();
    for (position, (subject, allowance)) in allowances.iter().enumerate() {
        positions.entry((&allowance.rule, subject)).or_insert(position);
    }
    let mut used: BTreeSet<usize> = BTreeSet::new();
    found.sort_by_key(|finding| (finding.span.start, std::cmp::Reverse(finding.severity)));
    for finding in found {
        let matching = finding.subjects.iter().filter_map(|subject| positions.get(&(finding.rule, subject)));
        let first = matching.min().and_then(|position| Some((*position, allowances.get(*position)?)));
        match first {
            Some((position, (_, allowance))) => {
                used.insert(position);
                review.allowed.push(Allowed { reason: allowance.reason.clone(), finding });
            }
            None => review.findings.push(finding),
        }
    }
    let unmatched = allowances.iter().enumerate().filter(|(position, _)| !used.contains(position));
    review.findings.extend(unmatched.map(|(_, (subject, allowance))| unused(source, subject, allowance)));
    review.findings.sort_by_key(|finding| (finding.span.start, std::cmp::Reverse(finding.severity)));
    review
}
