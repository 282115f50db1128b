//! Where the parts of a construct stand in the file, for findings and their fixes.

use crate::report::Span;

/// Where a construct and the keys in it stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Its head: `[entity.User]`, or the name that it is the value of.
    pub head: Span,
    /// Its keys with the places of their values, in the order of the file.
    pub keys: Vec<(String, Span)>,
}

impl Places {
    /// The value of a key, or the head if the key isn't written.
    pub fn of(&self, key: &str) -> Span {
        self.keys.iter().find(|(name, _)| name == key).map_or(self.head, |(_, span)| *span)
    }

    /// Whether the key is written.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|(name, _)| name == key)
    }
}

/// A finding of the review that the design allows, where it occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The rule's id.
    pub rule: String,
    /// Why it is fine here.
    pub reason: String,
    /// Where it is said.
    pub span: Span,
}
