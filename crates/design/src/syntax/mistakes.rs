//! The list in which every step of loading a design collects its mistakes.

use std::cell::{Cell, RefCell};

use crate::limits::MISTAKES_MAX;
use crate::report::{Mistake, Span};

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Mistakes {
    /// The first ones, as many as a report can have.
    list: RefCell<Vec<Mistake>>,
    /// The number of all of them.
    count: Cell<usize>,
}

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
        self.count.set(self.count.get() + 1);
        let mut list = self.list.borrow_mut();
        if list.len() < MISTAKES_MAX {
            list.push(mistake);
        } else if list.len() == MISTAKES_MAX {
            let message = format!("there are more than {MISTAKES_MAX} errors, and the others aren't listed");
            let help = Some("correct the listed ones first".to_owned());
            list.push(Mistake { span: mistake.span, message, help });
        }
    }

    /// Returns whether a report can't have more of them, so that looking for others is useless.
    pub(crate) fn is_full(&self) -> bool {
        self.count.get() > MISTAKES_MAX
    }

    /// Returns their number, so that a caller can tell whether a step found any.
    pub(crate) fn count(&self) -> usize {
        self.count.get()
    }

    /// Returns all of them in the order of the file, without duplicates.
    pub(crate) fn sorted(self) -> Vec<Mistake> {
        let mut mistakes = self.list.into_inner();
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        mistakes.dedup();
        mistakes
    }
}
