//! The answers to operations, as far as the engine and the reference can be compared.

use singlet_engine::values::Item;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Done(Option<Item>),
    Items(Vec<Item>),
    ConditionFailed(Option<Item>),
    Canceled(Vec<Reason>),
    Refused(Refusal),
    /// An answer that the reference never gives.
    Unexpected(String),
}

/// Why one action kept a transaction from happening.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reason {
    None,
    ConditionFailed(Option<Item>),
    Invalid,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    TableNotFound,
    ResourceNotFound,
    TableExists,
    IndexExists,
    IndexKeyType,
    Duplicate,
    Expression,
    TokenMismatch,
}
