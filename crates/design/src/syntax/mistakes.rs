//! Gathering mistakes on the way through a design.

use std::cell::RefCell;

use crate::report::{Mistake, Span};

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(RefCell<Vec<Mistake>>);

impl Mistakes {
    /// Notes a mistake.
    pub(crate) fn add(&self, span: Span, message: impl Into<String>) {
        self.push(Mistake { span, message: message.into(), help: None });
    }

    /// Notes a mistake and how to mend it.
    pub(crate) fn add_with_help(&self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Mistake { span, message: message.into(), help: Some(help.into()) });
    }

    /// Notes a mistake that may have a help.
    pub(crate) fn add_with(&self, span: Span, message: impl Into<String>, help: Option<String>) {
        self.push(Mistake { span, message: message.into(), help });
    }

    fn push(&self, mistake: Mistake) {
        self.0.borrow_mut().push(mistake);
    }

    /// How many there are: tells whether a piece of work found any.
    pub(crate) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// All of them, in the order of the file, none twice.
    pub(crate) fn sorted(self) -> Vec<Mistake> {
        let mut mistakes = self.0.into_inner();
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        mistakes.dedup();
        mistakes
    }
}
