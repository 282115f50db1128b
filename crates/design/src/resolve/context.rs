//! What every step of resolving needs: the text and the list of mistakes.

use std::ops::Range;

use crate::report::Span;
use crate::syntax::{Mistakes, Node};

/// The text and the mistakes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    /// The file's text.
    pub(super) source: &'a str,
    /// The mistakes found so far.
    pub(super) mistakes: &'a Mistakes,
}

impl Context<'_> {
    /// The place of some bytes of a text value. A text with escapes is not in the file letter by letter: then it is
    /// the whole value.
    pub(super) fn inside(&self, node: &Node, range: Range<usize>) -> Span {
        let whole = self.source.get(node.span.start..node.span.end).unwrap_or_default();
        let text = node.text().unwrap_or_default();
        match whole.find(text) {
            Some(quote) if !text.is_empty() && range.end <= text.len() => {
                let start = node.span.start + quote;
                Span { start: start + range.start, end: start + range.end }
            }
            _ => node.span,
        }
    }
}
