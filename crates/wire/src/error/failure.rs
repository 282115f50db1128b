//! Why an operation wasn't carried out, and the answer that reports it.

use singlet_engine::{CancellationReason, Error, Invalid, RETURNED_BYTES_MAX};
use singlet_expr::{ExprError, UpdateError};
use singlet_partiql::StatementError;
use singlet_values::EncodedItem;

use super::kind::ErrorKind;
use super::protocol::ProtocolError;
use crate::reply::Reply;
use crate::text::{AbsentError, RequestError, ValueError};
use crate::write::{JsonWriter, write_item};

/// The text of an `INSERT` for an item that exists already.
const DUPLICATE_ITEM: &str = "Duplicate primary key exists in table";

/// Why a request wasn't served.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The JSON has another shape than the operation's. DynamoDB doesn't always explain the error.
    Serialization(Option<String>),
    /// Members break the constraints of the service model.
    Constraints(String),
    /// No item can hold an attribute value.
    Value(ValueError),
    /// The members contradict each other.
    Request(RequestError),
    /// The request names something that this server never has.
    Absent(AbsentError),
    /// A statement is wrong.
    Statement(StatementError),
    /// A statement of a transaction is wrong.
    TransactStatement {
        /// Its place, from zero.
        at: usize,
        /// The error.
        text: String,
    },
    /// A statement inserts an item that exists already. It has the item if the request asked for it.
    DuplicateItem(Option<EncodedItem>),
    /// The caller may not access an ARN.
    AccessDenied {
        /// The operation's name.
        operation: &'static str,
        /// The ARN.
        resource: String,
    },
    /// There isn't enough memory for the answer.
    NoRoom,
    /// The engine rejected the request or failed.
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

impl From<AbsentError> for Failure {
    fn from(error: AbsentError) -> Self {
        Failure::Absent(error)
    }
}

impl From<StatementError> for Failure {
    fn from(error: StatementError) -> Self {
        Failure::Statement(error)
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

impl Failure {
    /// The failure of a transaction in which the statement at this place is wrong.
    pub(crate) fn in_statement(self, at: usize) -> Failure {
        match self {
            Failure::Statement(error) => Failure::TransactStatement { at, text: error.to_string() },
            Failure::Request(error) => Failure::TransactStatement { at, text: error.to_string() },
            other => other,
        }
    }

    /// Writes the members of the error of one statement in a batch.
    pub(crate) fn write_batch_error(&self, json: &mut JsonWriter) {
        let (code, text, item) = match self {
            Failure::Serialization(text) => ("ValidationError", text.clone().unwrap_or_default(), None),
            Failure::Constraints(text) | Failure::TransactStatement { text, .. } => {
                ("ValidationError", text.clone(), None)
            }
            Failure::Value(error) => ("ValidationError", error.to_string(), None),
            Failure::Request(error) => ("ValidationError", error.to_string(), None),
            Failure::Statement(error) => ("ValidationError", error.to_string(), None),
            Failure::Absent(error) => ("ResourceNotFound", error.to_string(), None),
            Failure::DuplicateItem(item) => ("DuplicateItem", DUPLICATE_ITEM.to_owned(), item.as_ref()),
            Failure::AccessDenied { resource, .. } => ("AccessDenied", resource.clone(), None),
            Failure::NoRoom => {
                ("ThrottlingError", "There isn't enough memory for the answer".to_owned(), None)
            }
            Failure::Engine(error) => (batch_code(error), error.to_string(), found_item(error)),
        };
        json.key("Code").text(code);
        write_found(json, item);
        json.key("Message").text(&text);
    }

    /// Returns the answer that reports this failure to a client.
    pub(crate) fn reply(self) -> Reply {
        let refuse = |kind: ErrorKind, text: String| kind.reply(Some(&text), |_| ());
        match self {
            Failure::Serialization(text) => ErrorKind::Serialization.reply(text.as_deref(), |_| ()),
            Failure::Constraints(text) => refuse(ErrorKind::Validation, text),
            Failure::Value(error) => refuse(ErrorKind::Validation, error.to_string()),
            Failure::Request(error) => refuse(ErrorKind::Validation, error.to_string()),
            Failure::Statement(error) => refuse(ErrorKind::Validation, error.to_string()),
            Failure::Absent(error) => refuse(absent_kind(&error), error.to_string()),
            Failure::TransactStatement { at, text } => refuse(
                ErrorKind::Validation,
                format!("Validation failed in TransactStatements[{at}]: {text}"),
            ),
            Failure::DuplicateItem(item) => {
                ErrorKind::DuplicateItem.reply(Some(DUPLICATE_ITEM), |json| write_found(json, item.as_ref()))
            }
            Failure::AccessDenied { operation, resource } => refuse(
                ErrorKind::AccessDenied,
                format!("User is not authorized to perform: dynamodb:{operation} on resource: {resource}"),
            ),
            Failure::NoRoom => ProtocolError::ServiceUnavailable.reply(),
            Failure::Engine(error) => engine_reply(&error),
        }
    }
}

fn absent_kind(error: &AbsentError) -> ErrorKind {
    match error {
        AbsentError::GlobalTable(_) | AbsentError::GlobalTableSettings(_) => ErrorKind::GlobalTableNotFound,
        AbsentError::Replicas(_) => ErrorKind::ResourceNotFound,
        AbsentError::Policy(_) => ErrorKind::PolicyNotFound,
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

/// The code of an engine's error in a batch.
fn batch_code(error: &Error) -> &'static str {
    match engine_kind(error) {
        ErrorKind::ConditionalCheckFailed => "ConditionalCheckFailed",
        ErrorKind::Validation => "ValidationError",
        ErrorKind::ResourceNotFound => "ResourceNotFound",
        ErrorKind::TransactionConflict => "TransactionConflict",
        ErrorKind::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
        _ => "InternalServerError",
    }
}

fn found_item(error: &Error) -> Option<&EncodedItem> {
    match error {
        Error::ConditionFailed { item } => item.as_ref(),
        _ => None,
    }
}

fn engine_kind(error: &Error) -> ErrorKind {
    match error {
        // Corrupt stored bytes aren't the client's error.
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

/// The size of the JSON after which reasons are written without their items. Control characters take six bytes each
/// here.
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
