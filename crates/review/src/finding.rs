//! Findings and their severities.

use singlet_design::{Span, Subject};

use crate::fix::Fix;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A fact that is good to know.
    Info,
    /// A cost or a risk.
    Warning,
    /// A fault: it doesn't work, or it fails under the declared load.
    Error,
}

impl Severity {
    /// The word for it in reviews.
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
    /// How severe it is.
    pub severity: Severity,
    /// The part of the file that it points to.
    pub span: Span,
    /// The parts of the design that it is about. An allowance on any of them covers it.
    pub subjects: Vec<Subject>,
    /// A sentence about what happens in this design, with its names and numbers.
    pub message: String,
    /// The fix, after [`Review::with_fixes`](super::Review::with_fixes) has tried the proposals.
    pub fix: Option<Fix>,
    /// The rule's proposals, the best first.
    pub(super) proposals: Vec<Fix>,
}

/// A finding that the design allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// The finding.
    pub finding: Finding,
    /// The reason that the design gives.
    pub reason: String,
}
