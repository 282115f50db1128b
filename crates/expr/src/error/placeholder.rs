//! Errors in the placeholders of a request.

use std::fmt;

/// An error in the placeholders of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceholderError {
    /// An empty map.
    #[error("{parameter} must not be empty")]
    Empty {
        /// The parameter.
        parameter: Parameter,
    },
    /// A placeholder that isn't `#` or `:` and letters, digits or underscores.
    #[error("{parameter} contains invalid key: Syntax error; key: \"{placeholder}\"")]
    Syntax {
        /// The parameter.
        parameter: Parameter,
        /// The placeholder.
        placeholder: String,
    },
    /// A placeholder of more than 255 bytes.
    #[error(
        "{parameter} contains invalid key: The expression attribute map contains a key that is too long; \
         size of key: {bytes}"
    )]
    TooLong {
        /// The parameter.
        parameter: Parameter,
        /// Its length.
        bytes: usize,
    },
    /// A placeholder for an empty name.
    #[error("ExpressionAttributeNames contains invalid value: Empty attribute name for key {placeholder}")]
    EmptyName {
        /// The placeholder.
        placeholder: String,
    },
    /// A placeholder for a name of 64 KB or more.
    #[error(
        "ExpressionAttributeNames contains invalid value: Attribute name is too large, \
         must be less than 65536 bytes for key {placeholder}"
    )]
    NameTooLong {
        /// The placeholder.
        placeholder: String,
    },
    /// Placeholders that no expression used.
    #[error("Value provided in {parameter} unused in expressions: keys: {{{}}}", .placeholders.join(", "))]
    Unused {
        /// The parameter.
        parameter: Parameter,
        /// The placeholders.
        placeholders: Vec<String>,
    },
}

/// The two parameters that define placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// `ExpressionAttributeNames`.
    Names,
    /// `ExpressionAttributeValues`.
    Values,
}

impl fmt::Display for Parameter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Parameter::Names => "ExpressionAttributeNames",
            Parameter::Values => "ExpressionAttributeValues",
        })
    }
}
