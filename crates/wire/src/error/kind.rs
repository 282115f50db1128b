//! The errors of DynamoDB's protocol: their names, HTTP statuses and JSON.

use crate::reply::Reply;
use crate::write::JsonWriter;

/// The errors of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    AccessDenied,
    BackupInUse,
    BackupNotFound,
    ConditionalCheckFailed,
    DuplicateItem,
    ExpiredIterator,
    ExportConflict,
    ExportNotFound,
    GlobalTableNotFound,
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
    PolicyNotFound,
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
            ErrorKind::DuplicateItem => (DYNAMODB, "DuplicateItemException", 400, "message"),
            ErrorKind::ExpiredIterator => (DYNAMODB, "ExpiredIteratorException", 400, "message"),
            ErrorKind::ExportConflict => (DYNAMODB, "ExportConflictException", 400, "message"),
            ErrorKind::ExportNotFound => (DYNAMODB, "ExportNotFoundException", 400, "message"),
            ErrorKind::GlobalTableNotFound => (DYNAMODB, "GlobalTableNotFoundException", 400, "message"),
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
            ErrorKind::PolicyNotFound => (DYNAMODB, "PolicyNotFoundException", 400, "message"),
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

    /// The answer with this error. `detail` writes the members that some errors have besides their text.
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
