//! What rules see, and where they report.

use std::sync::Arc;

use singlet_design::{Design, Entity, Field, Places, Span, Subject};

use crate::estimate::Load;
use crate::finding::{Finding, Severity};
use crate::fix::Proposals;

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

/// Collects what the rules report.
#[derive(Debug, Default)]
pub struct Findings {
    pub(crate) rule: &'static str,
    pub(crate) found: Vec<Finding>,
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
