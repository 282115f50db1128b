//! The list in which every step of loading a design collects its mistakes.

use std::cell::RefCell;

use crate::report::{Mistake, Span};

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(RefCell<Vec<Mistake>>);

impl Mistakes {
    /// Adds a mistake without help.
    pub(crate) fn add(&self, span: Span, message: impl Into<String>) {
        self.push(Mistake { span, message: message.into(), help: None });
    }

    /// Adds a mistake and how to correct it.
    pub(crate) fn add_with_help(&self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Mistake { span, message: message.into(), help: Some(help.into()) });
    }

    /// Adds a mistake and, if there is one, its help.
    pub(crate) fn add_with(&self, span: Span, message: impl Into<String>, help: Option<String>) {
        self.push(Mistake { span, message: message.into(), help });
    }

    fn push(&self, mistake: Mistake) {
        self.0.borrow_mut().push(mistake);
    }

    /// Returns their number, so that a caller can tell whether a step found any.
    pub(crate) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Returns all of them in the order of the file, without duplicates.
    pub(crate) fn sorted(self) -> Vec<Mistake> {
        let mut mistakes = self.0.into_inner();
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        mistakes.dedup();
        mistakes
    }
}
