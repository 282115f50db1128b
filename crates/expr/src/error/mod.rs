//! Every error this crate can give, one type per phase. The `Display` of each variant is the text that DynamoDB's
//! clients see, word for word.

mod item;
mod key;
mod legacy;
mod placeholder;
mod problem;

use std::fmt;

pub use item::UpdateError;
pub use key::KeyConditionError;
pub use legacy::LegacyError;
pub use placeholder::{Parameter, PlaceholderError};
pub use problem::Problem;

/// Which request parameter an expression came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// `ConditionExpression`, of a write.
    Condition,
    /// `FilterExpression`, of a Query or Scan.
    Filter,
    /// `KeyConditionExpression`, of a Query.
    KeyCondition,
    /// `ProjectionExpression`, of a read.
    Projection,
    /// `UpdateExpression`.
    Update,
}

impl fmt::Display for ExpressionKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ExpressionKind::Condition => "ConditionExpression",
            ExpressionKind::Filter => "FilterExpression",
            ExpressionKind::KeyCondition => "KeyConditionExpression",
            ExpressionKind::Projection => "ProjectionExpression",
            ExpressionKind::Update => "UpdateExpression",
        })
    }
}

/// Why an expression, its placeholders or its application to an item was rejected.
///
/// All of them are answered with a `ValidationException`, except [`UpdateError::Corrupt`], which is the server's
/// own fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    /// The text of an expression is wrong for every table and item.
    #[error("Invalid {expression}: {problem}")]
    Invalid {
        /// The parameter that the expression came from.
        expression: ExpressionKind,
        /// The error in it.
        problem: Problem,
    },
    /// `ExpressionAttributeNames` or `ExpressionAttributeValues` is wrong.
    #[error(transparent)]
    Placeholder(#[from] PlaceholderError),
    /// The conditions don't select a range of a table's or an index's keys.
    #[error(transparent)]
    Key(#[from] KeyConditionError),
    /// The update can't be applied to the item as it is.
    #[error(transparent)]
    Update(#[from] UpdateError),
    /// A parameter of the interface before expressions is wrong.
    #[error(transparent)]
    Legacy(#[from] LegacyError),
}

/// Adds the parameter's name to an error in its text.
pub(crate) trait Within<T> {
    fn within(self, expression: ExpressionKind) -> Result<T, ExprError>;
}

impl<T> Within<T> for Result<T, Problem> {
    fn within(self, expression: ExpressionKind) -> Result<T, ExprError> {
        self.map_err(|problem| ExprError::Invalid { expression, problem })
    }
}
