//! Holds a design against every rule.

use singlet_design::{Allowance, Design, Report, Subject};

use crate::context::{Context, Findings};
use crate::estimate::Load;
use crate::finding::{Allowed, Finding, Severity};
use crate::fix::Fix;
use crate::lines;
use crate::rules::{self, Check, RULES, rule};

/// Stands for a rule where the language itself refuses a design.
const REFUSED: &str = "refused";

/// What the review of one design found.
#[derive(Debug, Clone, Default)]
pub struct Review {
    /// What is not allowed, in the order of the file, errors first on the same place.
    pub findings: Vec<Finding>,
    /// What the design allows, with its reasons.
    pub allowed: Vec<Allowed>,
    /// Fixes that were not tried, because the design is too large to try them all.
    pub untried_fixes: usize,
}

impl Review {
    /// Of a design that doesn't load: its mistakes are errors.
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

    /// The worst severity that is left.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Holds a design against every rule. `source` is the text that it was loaded from. Findings come without fixes:
/// [`Review::with_fixes`] tries those, which takes longer than the review.
pub fn review(design: &Design, source: &str) -> Review {
    let context = Context { design, load: Load::of(design), source };
    let mut findings = Findings::default();
    for rule in RULES {
        findings.rule = rule.id;
        if let Check::Review(check) = rule.check {
            check(&context, &mut findings);
        }
    }
    settle(design, source, findings.found)
}

/// Sorts out what the design allows, and adds a finding for each allowance that nothing matches.
fn settle(design: &Design, source: &str, mut found: Vec<Finding>) -> Review {
    let mut review = Review::default();
    let mut open: Vec<&(Subject, Allowance)> = design.layout.allowances.iter().collect();
    let mut used = Vec::new();
    found.sort_by_key(|finding| (finding.span.start, std::cmp::Reverse(finding.severity)));
    for finding in found {
        let allowance = open.iter().find(|(subject, allowance)| {
            allowance.rule == finding.rule && finding.subjects.iter().any(|one| one == subject)
        });
        match allowance {
            Some((_, allowance)) => {
                used.push(allowance.span);
                review.allowed.push(Allowed { reason: allowance.reason.clone(), finding });
            }
            None => review.findings.push(finding),
        }
    }
    open.retain(|(_, allowance)| !used.contains(&allowance.span));
    review.findings.extend(open.into_iter().map(|(subject, allowance)| unused(source, subject, allowance)));
    review.findings.sort_by_key(|finding| (finding.span.start, std::cmp::Reverse(finding.severity)));
    review
}

/// An allowance that matches nothing: the design changed, or the rule's name is wrong.
fn unused(source: &str, subject: &Subject, allowance: &Allowance) -> Finding {
    let message = match rule(&allowance.rule) {
        Some(_) => {
            format!("{subject} allows {}, but nothing of that kind is found here any more", allowance.rule)
        }
        None => format!("{subject} allows {}, but there is no such rule", allowance.rule),
    };
    Finding {
        rule: rules::UNUSED_ALLOWANCE,
        severity: Severity::Warning,
        span: allowance.span,
        message,
        fix: None,
        proposals: vec![lines::without_allowance(source, &allowance.rule, allowance.span)],
        subjects: vec![subject.clone()],
    }
}
