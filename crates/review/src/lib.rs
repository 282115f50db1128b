//! The review: a design held against rules, before anything runs.
//!
//! One rule is one file in `rules/` with its page beside it. A rule looks at the resolved design and the load that its
//! rates make, and reports findings: what will happen in this design, with its own names and numbers, and a fix as
//! changed lines.

mod attributes;
mod difference;
pub mod estimate;
mod finding;
mod fix;
mod format;
mod keys;
mod lines;
mod partition;
mod reads;
mod repair;
mod rules;
mod sortable;
mod text;
mod verify;

use std::sync::Arc;

use crate as review;
use singlet_design::{condition, json, load, model, names, paging, report, template};

pub use difference::difference;
pub use finding::{Allowed, Finding, Severity};
pub use fix::{Edit, Fix, Proposals};
pub use format::{Format, Reviewed, render};
pub use repair::{Applied, Repaired, repair};
pub use rules::{Check, RULES, Rule, nearest, rule};

use crate::estimate::Load;
pub use crate::model::Subject;
use crate::model::{Allowance, Design, Entity, Field, Places};
use crate::report::{Report, Span};

/// Stands for a rule where the language itself refuses a design.
const REFUSED: &str = "refused";

/// What a rule sees.
#[derive(Debug)]
pub struct Context<'a> {
    /// The design.
    pub design: &'a Design,
    /// Where its rates land.
    pub load: Load,
    /// The text of the design's file: fixes quote it.
    pub source: &'a str,
}

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

/// Collects what the rules report.
#[derive(Debug, Default)]
pub struct Findings {
    rule: &'static str,
    found: Vec<Finding>,
}

impl Findings {
    /// Reports a finding about these subjects, the nearest first, with what mends it, the best first.
    pub fn report(
        &mut self,
        severity: Severity,
        span: Span,
        subjects: Vec<Subject>,
        message: String,
        proposals: impl Into<Proposals>,
    ) {
        let proposals = proposals.into().0;
        self.found.push(Finding { rule: self.rule, severity, span, subjects, message, fix: None, proposals });
    }
}

impl Context<'_> {
    /// The text at a place.
    pub fn text(&self, span: Span) -> &str {
        self.source.get(span.start..span.end).unwrap_or("")
    }

    /// The value of a key, or the subject's name if the key isn't written.
    pub fn place(&self, subject: &Subject, key: &str) -> Span {
        let key = self.places(subject).and_then(|places| places.keys.iter().find(|(name, _)| name == key));
        key.map_or_else(|| self.name(subject), |(_, span)| *span)
    }

    /// Whether a key is written.
    pub fn has(&self, subject: &Subject, key: &str) -> bool {
        self.places(subject).is_some_and(|places| places.keys.iter().any(|(name, _)| name == key))
    }

    /// Where a subject is named.
    pub fn name(&self, subject: &Subject) -> Span {
        self.places(subject).map_or_else(Span::default, |places| places.name)
    }

    /// What a subject is said to be: the value behind its name.
    pub fn value(&self, subject: &Subject) -> Span {
        self.places(subject).map_or_else(Span::default, |places| places.value)
    }

    fn places(&self, subject: &Subject) -> Option<&Places> {
        self.design.layout.places.get(subject)
    }

    /// Every field of every entity.
    pub fn fields(&self) -> impl Iterator<Item = (&Arc<Entity>, &Field)> {
        self.design.entities.iter().flat_map(|entity| entity.fields.iter().map(move |field| (entity, field)))
    }
}

#[cfg(test)]
mod tests;
