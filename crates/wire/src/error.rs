//! What goes wrong, and how a client sees it: one table from errors to names, statuses and texts.

use singlet_engine::{CancellationReason, Error, Invalid, RETURNED_BYTES_MAX};
use singlet_expr::{ExprError, UpdateError};
use singlet_values::EncodedItem;

use crate::protocol::ProtocolError;
use crate::reply::Reply;
use crate::text::{RequestError, ValueError};
use crate::write::{JsonWriter, write_item};

/// Why a request was not served.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The JSON has another shape than the operation's; DynamoDB does not always say what is wrong.
    Serialization(Option<String>),
    /// Members break the constraints of the service model.
    Constraints(String),
    /// An attribute value is one that no item can hold.
    Value(ValueError),
    /// The members do not go together.
    Request(RequestError),
    /// An ARN that the caller has no business with.
    AccessDenied {
        /// The operation's name.
        operation: &'static str,
        /// The ARN.
        resource: String,
    },
    /// There is no memory for the answer.
    NoRoom,
    /// The engine refused or failed.
    Engine(Error),
}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Self {
        Failure::Value(error)
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Failure::Request(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Engine(error)
    }
}

impl From<ExprError> for Failure {
    fn from(error: ExprError) -> Self {
        Failure::Engine(Error::from(error))
    }
}

/// The errors of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    AccessDenied,
    BackupInUse,
    BackupNotFound,
    ConditionalCheckFailed,
    ExpiredIterator,
    ExportConflict,
    ExportNotFound,
    IdempotentParameterMismatch,
    ImportNotFound,
    IncompleteSignature,
    InternalServerError,
    InvalidExportTime,
    InvalidRestoreTime,
    InvalidSignature,
    ItemCollectionSizeLimitExceeded,
    LimitExceeded,
    MissingAuthenticationToken,
    RequestTooLarge,
    ResourceInUse,
    PointInTimeRecoveryUnavailable,
    ResourceNotFound,
    Serialization,
    ServiceUnavailable,
    TableAlreadyExists,
    TableInUse,
    TableNotFound,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
    TrimmedDataAccess,
    UnknownOperation,
    UnrecognizedClient,
    Validation,
}

const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810#";
const SERVICE: &str = "com.amazon.coral.service#";
const VALIDATE: &str = "com.amazon.coral.validate#";

impl ErrorKind {
    /// Namespace, name, HTTP status and the spelling of the message member.
    fn entry(self) -> (&'static str, &'static str, u16, &'static str) {
        match self {
            ErrorKind::AccessDenied => (SERVICE, "AccessDeniedException", 400, "Message"),
            ErrorKind::BackupInUse => (DYNAMODB, "BackupInUseException", 400, "message"),
            ErrorKind::BackupNotFound => (DYNAMODB, "BackupNotFoundException", 400, "message"),
            ErrorKind::ConditionalCheckFailed => {
                (DYNAMODB, "ConditionalCheckFailedException", 400, "message")
            }
            ErrorKind::ExpiredIterator => (DYNAMODB, "ExpiredIteratorException", 400, "message"),
            ErrorKind::ExportConflict => (DYNAMODB, "ExportConflictException", 400, "message"),
            ErrorKind::ExportNotFound => (DYNAMODB, "ExportNotFoundException", 400, "message"),
            ErrorKind::ImportNotFound => (DYNAMODB, "ImportNotFoundException", 400, "message"),
            ErrorKind::InvalidExportTime => (DYNAMODB, "InvalidExportTimeException", 400, "message"),
            ErrorKind::IdempotentParameterMismatch => {
                (DYNAMODB, "IdempotentParameterMismatchException", 400, "Message")
            }
            ErrorKind::IncompleteSignature => (SERVICE, "IncompleteSignatureException", 400, "message"),
            ErrorKind::InternalServerError => (DYNAMODB, "InternalServerError", 500, "message"),
            ErrorKind::InvalidSignature => (SERVICE, "InvalidSignatureException", 400, "message"),
            ErrorKind::ItemCollectionSizeLimitExceeded => {
                (DYNAMODB, "ItemCollectionSizeLimitExceededException", 400, "message")
            }
            ErrorKind::LimitExceeded => (DYNAMODB, "LimitExceededException", 400, "message"),
            ErrorKind::MissingAuthenticationToken => {
                (SERVICE, "MissingAuthenticationTokenException", 400, "message")
            }
            ErrorKind::RequestTooLarge => (SERVICE, "RequestEntityTooLargeException", 413, "message"),
            ErrorKind::ResourceInUse => (DYNAMODB, "ResourceInUseException", 400, "message"),
            ErrorKind::InvalidRestoreTime => (DYNAMODB, "InvalidRestoreTimeException", 400, "message"),
            ErrorKind::PointInTimeRecoveryUnavailable => {
                (DYNAMODB, "PointInTimeRecoveryUnavailableException", 400, "message")
            }
            ErrorKind::ResourceNotFound => (DYNAMODB, "ResourceNotFoundException", 400, "message"),
            ErrorKind::Serialization => (SERVICE, "SerializationException", 400, "Message"),
            ErrorKind::ServiceUnavailable => (SERVICE, "ServiceUnavailableException", 503, "message"),
            ErrorKind::TableAlreadyExists => (DYNAMODB, "TableAlreadyExistsException", 400, "message"),
            ErrorKind::TableInUse => (DYNAMODB, "TableInUseException", 400, "message"),
            ErrorKind::TableNotFound => (DYNAMODB, "TableNotFoundException", 400, "message"),
            ErrorKind::TransactionCanceled => (DYNAMODB, "TransactionCanceledException", 400, "Message"),
            ErrorKind::TransactionConflict => (DYNAMODB, "TransactionConflictException", 400, "message"),
            ErrorKind::TransactionInProgress => (DYNAMODB, "TransactionInProgressException", 400, "Message"),
            ErrorKind::TrimmedDataAccess => (DYNAMODB, "TrimmedDataAccessException", 400, "message"),
            ErrorKind::UnknownOperation => (SERVICE, "UnknownOperationException", 400, "message"),
            ErrorKind::UnrecognizedClient => (SERVICE, "UnrecognizedClientException", 400, "message"),
            ErrorKind::Validation => (VALIDATE, "ValidationException", 400, "message"),
        }
    }

    /// The answer with this error; `detail` writes what some errors carry besides their text.
    pub(crate) fn reply(self, text: Option<&str>, detail: impl FnOnce(&mut JsonWriter)) -> Reply {
        let (namespace, name, status, message) = self.entry();
        let mut json = JsonWriter::with_capacity(256);
        json.object(|json| {
            json.key("__type").plain_text(|out| {
                out.extend_from_slice(namespace.as_bytes());
                out.extend_from_slice(name.as_bytes());
            });
            if let Some(text) = text {
                json.key(message).text(text);
            }
            detail(json);
        });
        Reply { error: Some(name), ..Reply::new(status, json.into_bytes()) }
    }
}

impl Failure {
    /// The answer that tells a client of this.
    pub(crate) fn reply(self) -> Reply {
        let refuse = |kind: ErrorKind, text: String| kind.reply(Some(&text), |_| ());
        match self {
            Failure::Serialization(text) => ErrorKind::Serialization.reply(text.as_deref(), |_| ()),
            Failure::Constraints(text) => refuse(ErrorKind::Validation, text),
            Failure::Value(error) => refuse(ErrorKind::Validation, error.to_string()),
            Failure::Request(error) => refuse(ErrorKind::Validation, error.to_string()),
            Failure::AccessDenied { operation, resource } => refuse(
                ErrorKind::AccessDenied,
                format!("User is not authorized to perform: dynamodb:{operation} on resource: {resource}"),
            ),
            Failure::NoRoom => ProtocolError::ServiceUnavailable.reply(),
            Failure::Engine(error) => engine_reply(&error),
        }
    }
}

fn engine_reply(error: &Error) -> Reply {
    let text = error.to_string();
    engine_kind(error).reply(Some(&text), |json| match error {
        Error::ConditionFailed { item } => write_found(json, item.as_ref()),
        Error::TransactionCanceled { reasons } => write_reasons(json, reasons),
        _ => {}
    })
}

fn engine_kind(error: &Error) -> ErrorKind {
    match error {
        // Stored bytes that can't be read are no mistake of the client's.
        Error::Invalid(Invalid::Expression(ExprError::Update(UpdateError::Corrupt(_)))) => {
            ErrorKind::InternalServerError
        }
        Error::Invalid(_) => ErrorKind::Validation,
        Error::TableNotFound | Error::ResourceNotFound(_) => ErrorKind::ResourceNotFound,
        Error::ResourceInUse(_) => ErrorKind::ResourceInUse,
        Error::LimitExceeded(_) => ErrorKind::LimitExceeded,
        Error::ConditionFailed { .. } => ErrorKind::ConditionalCheckFailed,
        Error::TransactionCanceled { .. } => ErrorKind::TransactionCanceled,
        Error::TransactionConflict => ErrorKind::TransactionConflict,
        Error::TransactionInProgress => ErrorKind::TransactionInProgress,
        Error::Trimmed => ErrorKind::TrimmedDataAccess,
        Error::IteratorExpired => ErrorKind::ExpiredIterator,
        Error::TokenMismatch | Error::ImportTokenMismatch => ErrorKind::IdempotentParameterMismatch,
        Error::ExportConflict => ErrorKind::ExportConflict,
        Error::ExportNotFound(_) => ErrorKind::ExportNotFound,
        Error::ExportTime(_) => ErrorKind::InvalidExportTime,
        Error::ImportNotFound(_) => ErrorKind::ImportNotFound,
        Error::CollectionTooLarge => ErrorKind::ItemCollectionSizeLimitExceeded,
        Error::SourceTableNotFound(_) => ErrorKind::TableNotFound,
        Error::TableAlreadyExists(_) => ErrorKind::TableAlreadyExists,
        Error::TableInUse(_) => ErrorKind::TableInUse,
        Error::BackupNotFound(_) => ErrorKind::BackupNotFound,
        Error::BackupInUse(_) => ErrorKind::BackupInUse,
        Error::RecoveryOff(_) => ErrorKind::PointInTimeRecoveryUnavailable,
        Error::RestoreTime(_) => ErrorKind::InvalidRestoreTime,
        Error::HistoryGap
        | Error::Backup(_)
        | Error::NoRoom(_)
        | Error::Storage(_)
        | Error::FolderInUse { .. }
        | Error::Key(_)
        | Error::Loss(_) => ErrorKind::InternalServerError,
        Error::Closed => ErrorKind::ServiceUnavailable,
    }
}

/// The item that made a condition fail.
fn write_found(json: &mut JsonWriter, item: Option<&EncodedItem>) {
    if let Some(item) = item {
        write_item(json.key("Item"), item.view());
    }
}

/// Most bytes of JSON after which reasons come without their items. Control characters take six bytes each here.
const REASONS_BYTES_MAX: usize = 2 * RETURNED_BYTES_MAX;

fn write_reasons(json: &mut JsonWriter, reasons: &[CancellationReason]) {
    json.key("CancellationReasons").array(|json| {
        for reason in reasons {
            json.object(|json| {
                json.key("Code").text(reason.code());
                if let CancellationReason::ConditionFailed { item } = reason
                    && json.bytes_written() < REASONS_BYTES_MAX
                {
                    write_found(json, item.as_ref());
                }
                if let Some(message) = reason.message() {
                    json.key("Message").text(&message);
                }
            });
        }
    });
}
