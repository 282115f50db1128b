//! The design as rules see it, and the list that they report to.

use std::sync::Arc;

use singlet_design::{Design, Entity, Field, Places, Span, Subject};

use crate::directory::Directory;
use crate::estimate::Load;
use crate::finding::{Finding, Severity};
use crate::fix::{Edit, Proposals, whole_lines};
use crate::pieces::EntityKeys;

/// The input of a rule.
#[derive(Debug)]
pub struct Context<'a> {
    /// The design.
    pub design: &'a Design,
    /// The load that its rates make.
    pub load: Load,
    /// The text of the design's file, which fixes change.
    pub source: &'a str,
    pub(super) directory: Directory<'a>,
    pub(super) keys: EntityKeys<'a>,
}

impl<'a> Context<'a> {
    /// Prepares a design for the rules. `source` is the text that it was loaded from.
    pub fn new(design: &'a Design, source: &'a str) -> Self {
        let (directory, keys) = (Directory::of(design), EntityKeys::of(design));
        Context { design, load: Load::of(design), source, directory, keys }
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        self.source.get(span.start..span.end).unwrap_or("")
    }

    /// The span of a key's value, or of the subject's name if the file doesn't have the key.
    pub fn span(&self, subject: &Subject, key: &str) -> Span {
        let key = self.places(subject).and_then(|places| places.keys.iter().find(|(name, _)| name == key));
        key.map_or_else(|| self.name_span(subject), |(_, span)| *span)
    }

    /// Whether the file has a key of a subject.
    pub fn has(&self, subject: &Subject, key: &str) -> bool {
        self.places(subject).is_some_and(|places| places.keys.iter().any(|(name, _)| name == key))
    }

    /// The span of a subject's name.
    pub fn name_span(&self, subject: &Subject) -> Span {
        self.places(subject).map_or_else(Span::default, |places| places.name)
    }

    /// The span of the value that follows a subject's name.
    pub fn value_span(&self, subject: &Subject) -> Span {
        self.places(subject).map_or_else(Span::default, |places| places.value)
    }

    fn places(&self, subject: &Subject) -> Option<&Places> {
        self.design.layout.places.get(subject)
    }

    /// Every field of every entity.
    pub fn fields(&self) -> impl Iterator<Item = (&Arc<Entity>, &Field)> {
        self.design.entities.iter().flat_map(|entity| entity.fields.iter().map(move |field| (entity, field)))
    }

    /// Removes a key of a subject with its line; `None` if the key isn't on a line of its own.
    pub(super) fn without_key(&self, subject: &Subject, key: &str) -> Option<Edit> {
        let value = self.has(subject, key).then(|| self.span(subject, key))?;
        let lines = whole_lines(self.source, value);
        let begins = self.text(lines).trim_start().trim_start_matches('"');
        begins.starts_with(key).then(|| Edit { span: lines, text: String::new() })
    }

    /// Adds an entry to an inline table. A plain value first becomes an inline table with the value under `plain`.
    pub(super) fn with_entry(&self, span: Span, plain: &str, entry: &str) -> Option<Edit> {
        let written = self.text(span);
        let text = match written.strip_suffix('}') {
            Some(open) if written.starts_with('{') => format!("{}, {entry} }}", open.trim_end()),
            _ if written.starts_with(['"', '['])
                && !written.starts_with("[[")
                && !self.is_in_header(span) =>
            {
                format!("{{ {plain} = {written}, {entry} }}")
            }
            _ => return None,
        };
        Some(Edit { span, text })
    }

    /// Gives a field a maximum.
    pub(super) fn with_max(&self, entity: &Entity, field: &Field, max: u32) -> Option<Edit> {
        self.with_entry(self.value_span(&Subject::field(entity, field)), "type", &format!("max = {max}"))
    }

    /// Whether a span is on the line of a header such as `[entity.User]`, which isn't a list.
    fn is_in_header(&self, span: Span) -> bool {
        let line = whole_lines(self.source, Span { start: span.start, end: span.start });
        self.text(line).trim_start().starts_with('[')
    }
}

/// The findings that the rules report.
#[derive(Debug, Default)]
pub struct Findings {
    pub(crate) rule: &'static str,
    pub(crate) found: Vec<Finding>,
}

impl Findings {
    /// Reports a finding about these subjects, the nearest first, with proposals for a fix, the best first.
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
