//! Errors that a server finds before an operation is known or allowed.

use std::borrow::Cow;

use crate::error::ErrorKind;
use crate::reply::Reply;

/// What keeps a request from reaching its operation. The server finds it; [`ProtocolError::reply`] words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolError {
    /// No target, or one that names no operation.
    UnknownOperation,
    /// No signature.
    MissingAuthenticationToken,
    /// A signature that lacks parts; the text says which.
    IncompleteSignature(Cow<'static, str>),
    /// A signature that does not fit the request; the text says why.
    InvalidSignature(Cow<'static, str>),
    /// An access key that nobody has.
    UnrecognizedClient,
    /// A caller that may not do this; the text says what.
    AccessDenied(Cow<'static, str>),
    /// A body over the limit.
    RequestTooLarge,
    /// A body that can't be read: not UTF-8, or not the compression that it claims.
    Serialization,
    /// The server is shutting down or overloaded: try again.
    ServiceUnavailable,
    /// The server failed.
    Internal,
}

impl ProtocolError {
    /// The answer that tells a client of this.
    pub fn reply(&self) -> Reply {
        let (kind, text) = match self {
            ProtocolError::UnknownOperation => (ErrorKind::UnknownOperation, None),
            ProtocolError::MissingAuthenticationToken => {
                (ErrorKind::MissingAuthenticationToken, Some("Request is missing Authentication Token"))
            }
            ProtocolError::IncompleteSignature(text) => (ErrorKind::IncompleteSignature, Some(&**text)),
            ProtocolError::InvalidSignature(text) => (ErrorKind::InvalidSignature, Some(&**text)),
            ProtocolError::UnrecognizedClient => (
                ErrorKind::UnrecognizedClient,
                Some("The security token included in the request is invalid."),
            ),
            ProtocolError::AccessDenied(text) => (ErrorKind::AccessDenied, Some(&**text)),
            ProtocolError::RequestTooLarge => (ErrorKind::RequestTooLarge, Some("The request is too large.")),
            ProtocolError::Serialization => (ErrorKind::Serialization, None),
            ProtocolError::ServiceUnavailable => {
                (ErrorKind::ServiceUnavailable, Some("The service is unavailable. Please try again."))
            }
            ProtocolError::Internal => (ErrorKind::InternalServerError, Some("Internal server error")),
        };
        kind.reply(text, |_| ())
    }
}
