//! Findings.

use singlet_design::{Span, Subject};

use crate::fix::Fix;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// It costs or risks something.
    Warning,
    /// It will not work, or fail under the declared load.
    Error,
}

impl Severity {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What it is about: an allowance on any of these settles it.
    pub subjects: Vec<Subject>,
    /// What will happen in this design, with its names and numbers, in a sentence.
    pub message: String,
    /// How to mend it, once [`Review::with_fixes`](super::Review::with_fixes) has tried what the rule proposes.
    pub fix: Option<Fix>,
    /// What the rule proposes, the best first.
    pub(super) proposals: Vec<Fix>,
}

/// A finding that the design allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// The finding.
    pub finding: Finding,
    /// The design's reason.
    pub reason: String,
}
