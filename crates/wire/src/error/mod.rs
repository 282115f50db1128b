//! Errors: those that a server finds before an operation runs, those of the operations, and how a client sees both.

mod failure;
mod kind;
mod protocol;

pub(crate) use failure::Failure;
pub use protocol::ProtocolError;
