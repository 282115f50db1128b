//! The meaning of the SDK's errors for a pattern.

use std::error::Error as StdError;

use aws_sdk_dynamodb::Error;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::CancellationReason;
use singlet_store::{Cancellation, StoreError};

use crate::values::encoded;

/// Turns errors into what to do next, naming the endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Failures {
    label: String,
}

impl Failures {
    pub(crate) fn new(label: String) -> Self {
        Failures { label }
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// The store error that an SDK error is; `table` is what the request was about.
    pub(crate) fn of<E, R>(&self, error: SdkError<E, R>, table: &str) -> StoreError
    where
        Error: From<SdkError<E, R>>,
        E: StdError + Send + Sync + 'static,
        R: std::fmt::Debug + Send + Sync + 'static,
    {
        match &error {
            SdkError::ServiceError(_) => self.of_service(error.into(), table),
            SdkError::TimeoutError(_) => {
                self.unavailable("no answer came in time", "whether it is overloaded")
            }
            SdkError::DispatchFailure(_) if !speaks_tls(&error) => self.unavailable(
                "it answers without encryption",
                "the address: `http://` in place of `https://`",
            ),
            SdkError::DispatchFailure(failure) if failure.is_user() || failure.is_other() => {
                self.unavailable(&innermost(&error), "the credentials and the region")
            }
            SdkError::DispatchFailure(_) => {
                self.unavailable(&innermost(&error), "that it runs there, and the address")
            }
            SdkError::ConstructionFailure(_) => {
                self.unavailable(&innermost(&error), "the address, the credentials and the region")
            }
            _ => self.unavailable(&innermost(&error), "that a DynamoDB service is there"),
        }
    }

    fn unavailable(&self, reason: &str, check: &str) -> StoreError {
        StoreError::Unavailable(format!("can't reach {}: {reason}. Check {check}", self.label))
    }

    fn of_service(&self, error: Error, table: &str) -> StoreError {
        match error {
            Error::ConditionalCheckFailedException(failed) => match failed.item.map(encoded).transpose() {
                Ok(item) => StoreError::ConditionFailed { item },
                Err(error) => error,
            },
            Error::TransactionCanceledException(cancelled) => {
                let reasons = cancelled.cancellation_reasons.unwrap_or_default();
                match reasons.into_iter().map(cancellation).collect() {
                    Ok(reasons) => StoreError::Cancelled { reasons },
                    Err(error) => error,
                }
            }
            Error::ResourceNotFoundException(_) | Error::TableNotFoundException(_) => {
                StoreError::NotFound(format!("{} has no table {table}: apply the design first", self.label))
            }
            Error::IndexNotFoundException(_) => StoreError::NotFound(said(&error)),
            Error::TableAlreadyExistsException(_) => StoreError::Refused(said(&error)),
            Error::ProvisionedThroughputExceededException(_)
            | Error::RequestLimitExceeded(_)
            | Error::ThrottlingException(_)
            | Error::LimitExceededException(_)
            | Error::ReplicatedWriteConflictException(_)
            | Error::ResourceInUseException(_)
            | Error::TableInUseException(_)
            | Error::TransactionConflictException(_)
            | Error::TransactionInProgressException(_)
            | Error::InternalServerError(_) => StoreError::TryAgain(said(&error)),
            other => self.of_code(&other),
        }
    }

    /// Errors that the SDK has no types for.
    fn of_code(&self, error: &Error) -> StoreError {
        match error.code() {
            Some("ThrottlingException" | "Throttling" | "ServiceUnavailable") => {
                StoreError::TryAgain(said(error))
            }
            Some(
                "UnrecognizedClientException"
                | "InvalidSignatureException"
                | "MissingAuthenticationTokenException"
                | "MissingAuthenticationToken"
                | "IncompleteSignatureException"
                | "IncompleteSignature"
                | "AccessDeniedException"
                | "ExpiredTokenException"
                | "InvalidClientTokenId",
            ) => StoreError::Unavailable(format!(
                "{} doesn't let you in: {}. Check the credentials, the profile and the region",
                self.label,
                said(error)
            )),
            _ => StoreError::Refused(said(error)),
        }
    }
}

/// The message of the service, or at least the error's name.
fn said(error: &Error) -> String {
    let text = error.message().filter(|text| !text.is_empty());
    text.or(error.code()).map_or_else(|| innermost(error), str::to_owned)
}

/// Returns whether the failure isn't that of a service which answers a TLS handshake in plain text.
fn speaks_tls(error: &(dyn StdError + 'static)) -> bool {
    // The type is rustls's, which isn't a dependency of this crate.
    !innermost(error).contains("InvalidContentType")
}

/// The reason below all the wrapping: `Connection refused (os error 111)`.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut reason = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}

fn cancellation(reason: CancellationReason) -> Result<Cancellation, StoreError> {
    let said = || reason.message.clone().unwrap_or_default();
    Ok(match reason.code.as_deref() {
        None | Some("None") => Cancellation::None,
        Some("ConditionalCheckFailed") => {
            Cancellation::ConditionFailed { item: reason.item.map(encoded).transpose()? }
        }
        // Trying again is right for too much load as well.
        Some("TransactionConflict" | "ProvisionedThroughputExceeded" | "ThrottlingError") => {
            Cancellation::Conflict
        }
        Some(code) => Cancellation::Refused(format!("{code}: {}", said())),
    })
}
