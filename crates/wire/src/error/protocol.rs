//! Errors that a server finds before an operation is known or allowed.

use std::borrow::Cow;

use super::kind::ErrorKind;
use crate::reply::Reply;

/// An error that keeps a request from reaching its operation. The server finds it; [`ProtocolError::reply`] has its
/// text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolError {
    /// The target is missing or doesn't name an operation. The text is the name in the target, if it has one.
    UnknownOperation(Option<String>),
    /// The signature is missing.
    MissingAuthenticationToken,
    /// The signature lacks parts, which the text names.
    IncompleteSignature(Cow<'static, str>),
    /// The signature doesn't match the request. The text says why.
    InvalidSignature(Cow<'static, str>),
    /// The access key is unknown.
    UnrecognizedClient,
    /// The caller isn't allowed to do what the text says.
    AccessDenied(Cow<'static, str>),
    /// The body exceeds the limit.
    RequestTooLarge,
    /// The body can't be read: it isn't UTF-8, or isn't compressed as it claims.
    Serialization,
    /// The server is shutting down or overloaded. The client should try again.
    ServiceUnavailable,
    /// The server failed.
    Internal,
}

/// The longest name of an unknown operation that an answer repeats, in characters.
const NAME_CHARS_MAX: usize = 64;

impl ProtocolError {
    /// The error for a request whose `X-Amz-Target` header doesn't name an operation.
    pub fn unknown_operation(target: Option<&str>) -> Self {
        let name = target.map(|target| target.split_once('.').map_or(target, |(_, name)| name));
        let name = name.filter(|name| !name.is_empty());
        ProtocolError::UnknownOperation(name.map(|name| name.chars().take(NAME_CHARS_MAX).collect()))
    }

    /// Returns the answer that reports this error to a client.
    pub fn reply(&self) -> Reply {
        let (kind, text) = match self {
            ProtocolError::UnknownOperation(name) => {
                // DynamoDB sends no text here, and SDKs then print "UnknownError". But DynamoDB has operations that
                // Singlet lacks.
                let text = name
                    .as_ref()
                    .map(|name| format!("The operation {name} is not supported by this server."));
                return ErrorKind::UnknownOperation.reply(text.as_deref(), |_| ());
            }
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
