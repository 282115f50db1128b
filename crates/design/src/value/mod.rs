//! Values as JSON, text and attributes, validated against the types of fields.

mod bucket;
mod convert;
mod fill;
mod text;
mod time;
mod words;

pub use bucket::Bucket;
pub(crate) use bucket::bucket_format;
pub use convert::{is_empty_set, to_attribute, to_json};
pub use fill::{default_of, fill};
pub use text::{from_text, to_text};
use time::normal_time;
pub use time::{
    date_of_ms, epoch_second, holds_instant, instant, instant_at, instant_for, instant_ms, time_of_ms,
};
pub use words::{in_words, parameter_in_words, type_name};

/// The reason why a value doesn't fit its field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {reason}", place(path))]
pub struct ValueError {
    /// The position inside the value: empty, `.city`, `[2].name`…
    pub path: String,
    /// The fault, read after its name: `must be an integer, not "x"`.
    pub reason: String,
}

impl ValueError {
    fn new(reason: impl Into<String>) -> Self {
        ValueError { path: String::new(), reason: reason.into() }
    }

    /// Prepends a step to the path.
    fn at(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }
}

fn place(path: &str) -> String {
    if path.is_empty() { "it".to_owned() } else { format!("`{}`", path.trim_start_matches('.')) }
}

#[cfg(test)]
mod tests;
