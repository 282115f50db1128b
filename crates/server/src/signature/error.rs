//! Why a signature is rejected. The texts are DynamoDB's.

use singlet_wire::ProtocolError;

use super::timestamp::Timestamp;

/// Why a request's signature is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SignatureError {
    /// The request has no signature.
    #[error("Request is missing Authentication Token")]
    Missing,
    /// The signature lacks parts, or has malformed ones.
    #[error("{0}")]
    Incomplete(String),
    /// The access key or its session token is unknown.
    #[error("The security token included in the request is invalid.")]
    UnknownKey,
    /// The signature is complete but doesn't match.
    #[error("{0}")]
    Invalid(String),
}

impl SignatureError {
    pub(super) fn mismatch() -> Self {
        Self::Invalid(
            "The request signature we calculated does not match the signature you provided. \
             Check your AWS Secret Access Key and signing method. \
             Consult the service documentation for details."
                .to_owned(),
        )
    }

    /// The error for a header, in quotes, that the signature must cover and doesn't.
    pub(super) fn unsigned(header: &str) -> Self {
        Self::Invalid(format!("{header} must be a 'SignedHeader' in the AWS Authorization."))
    }

    pub(super) fn expired(signed: Timestamp, now: Timestamp, allowed_seconds: u64) -> Self {
        let oldest = now.minus_seconds(allowed_seconds);
        let minutes = allowed_seconds / 60;
        Self::Invalid(format!(
            "Signature expired: {signed} is now earlier than {oldest} ({now} - {minutes} min.)"
        ))
    }

    pub(super) fn not_yet_current(signed: Timestamp, now: Timestamp, allowed_seconds: u64) -> Self {
        let newest = now.plus_seconds(allowed_seconds);
        let minutes = allowed_seconds / 60;
        Self::Invalid(format!(
            "Signature not yet current: {signed} is still later than {newest} ({now} + {minutes} min.)"
        ))
    }
}

impl From<SignatureError> for ProtocolError {
    fn from(error: SignatureError) -> Self {
        match error {
            SignatureError::Missing => Self::MissingAuthenticationToken,
            SignatureError::Incomplete(text) => Self::IncompleteSignature(text.into()),
            SignatureError::UnknownKey => Self::UnrecognizedClient,
            SignatureError::Invalid(text) => Self::InvalidSignature(text.into()),
        }
    }
}
