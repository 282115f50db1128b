//! Reading templates.

use std::ops::Range;

use super::Template;

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// The bytes of the text that are wrong.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl Template {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let _ = text;
        todo!()
    }
}
