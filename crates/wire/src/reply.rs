//! Answers of the service.

use singlet_engine::Consumed;

use crate::operation::Operation;

/// The answer to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub body: Vec<u8>,
    /// The operation, if the target names one.
    pub operation: Option<Operation>,
    /// The error's name without its namespace, if the answer is an error.
    pub error: Option<&'static str>,
    /// Capacity that the request used, even if the caller didn't ask for it.
    pub consumed: Consumption,
}

impl Reply {
    /// An answer with only a status and a body.
    pub(crate) fn new(status: u16, body: Vec<u8>) -> Self {
        Reply { status, body, operation: None, error: None, consumed: Consumption::None }
    }
}

/// Capacity used, by table. The common case of one table doesn't need a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Consumption {
    /// None.
    #[default]
    None,
    /// Of one table.
    One(Consumed),
    /// Of several tables.
    Several(Vec<Consumed>),
}

impl Consumption {
    /// The capacity of each table.
    pub fn tables(&self) -> &[Consumed] {
        match self {
            Consumption::None => &[],
            Consumption::One(consumed) => std::slice::from_ref(consumed),
            Consumption::Several(accounts) => accounts,
        }
    }
}
