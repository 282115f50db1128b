//! Why an update can't be applied to an item.

use singlet_values::{Corrupt, NumberError};

/// Why an update can't be applied to an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// An operand isn't in the item.
    #[error("The provided expression refers to an attribute that does not exist in the item")]
    MissingAttribute,
    /// An operand in the item has a kind that the operator can't take.
    #[error("An operand in the update expression has an incorrect data type")]
    OperandKind,
    /// The list or map that a path leads into isn't in the item.
    #[error("The document path provided in the update expression is invalid for update")]
    InvalidPath,
    /// The item would have values nested more than 32 levels deep.
    #[error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels \
         beyond supported limit"
    )]
    TooDeep,
    /// A sum or difference that no number can hold.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// `AttributeUpdates` added to, or deleted from, a value of another kind.
    #[error("Type mismatch for attribute to update")]
    LegacyKindMismatch,
    /// The stored item can't be read.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
}
