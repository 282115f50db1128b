//! Values between JSON and attributes: checked against their field on the way in, clean JSON on the way out.

mod fill;
mod read;
mod text;
mod time;
mod words;
mod write;

pub use fill::{default_of, fill};
pub use read::{is_empty_set, to_attribute};
pub use text::{from_text, to_text};
pub use time::{date_of_ms, holds_instant, instant, instant_for, normal_time, time_of_ms};
pub use words::{in_words, parameter_in_words, type_name};
pub use write::to_json;

/// Why a value doesn't fit its field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {reason}", place(path))]
pub struct ValueError {
    /// Where in the value: empty, `.city`, `[2].name`…
    pub path: String,
    /// What is wrong with it, to be read after its name: `must be an integer, not "x"`.
    pub reason: String,
}

impl ValueError {
    fn new(reason: impl Into<String>) -> Self {
        ValueError { path: String::new(), reason: reason.into() }
    }

    /// The same error, seen from one level further up.
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
