//! The meaning of the engine's errors for a pattern.

use singlet_engine::{CancellationReason, Error, Invalid, TimeToLiveError};
use singlet_expr::ExprError;

use crate::error::{Cancellation, StoreError};

/// The store error that an engine error is; `table` is what the request was about.
pub(super) fn store_error(error: Error, table: &str) -> StoreError {
    match error {
        Error::TableNotFound => {
            StoreError::NotFound(format!("there is no table {table}: apply the design first"))
        }
        Error::ResourceNotFound(what) => StoreError::NotFound(format!("there is no {what}")),
        Error::Invalid(Invalid::NoSuchIndex(index)) => {
            StoreError::NotFound(format!("the table {table} has no index {index}: apply the design first"))
        }
        Error::Invalid(Invalid::IndexNotReady(index)) => {
            StoreError::TryAgain(format!("the index {index} of {table} is still being filled"))
        }
        Error::Invalid(Invalid::TimeToLive(TimeToLiveError::ChangedLately)) => {
            StoreError::TryAgain(format!("the last change of time to live of {table} is still under way"))
        }
        Error::ConditionFailed { item } => StoreError::ConditionFailed { item },
        Error::TransactionCanceled { reasons } => {
            StoreError::Cancelled { reasons: reasons.into_iter().map(cancellation).collect() }
        }
        Error::TransactionConflict | Error::TransactionInProgress | Error::LimitExceeded(_) => {
            StoreError::TryAgain(error.to_string())
        }
        Error::SourceTableNotFound(_)
        | Error::BackupNotFound(_)
        | Error::ExportNotFound(_)
        | Error::ImportNotFound(_) => StoreError::NotFound(error.to_string()),
        Error::TableInUse(_) | Error::BackupInUse(_) => StoreError::TryAgain(error.to_string()),
        Error::TableAlreadyExists(_)
        | Error::Backup(_)
        | Error::NoRoom(_)
        | Error::RecoveryOff(_)
        | Error::RestoreTime(_)
        | Error::Trimmed
        | Error::IteratorExpired
        | Error::ExportTime(_)
        | Error::ExportConflict
        | Error::ImportTokenMismatch
        | Error::Invalid(_)
        | Error::ResourceInUse(_)
        | Error::TokenMismatch
        | Error::CollectionTooLarge => StoreError::Refused(error.to_string()),
        Error::HistoryGap
        | Error::FolderInUse { .. }
        | Error::Key(_)
        | Error::Loss(_)
        | Error::Storage(_)
        | Error::Closed => StoreError::Unavailable(error.to_string()),
    }
}

/// The store error of a tree that is wrong for every item.
pub(super) fn refused(error: ExprError) -> StoreError {
    StoreError::Refused(error.to_string())
}

fn cancellation(reason: CancellationReason) -> Cancellation {
    match reason {
        CancellationReason::None => Cancellation::None,
        CancellationReason::ConditionFailed { item } => Cancellation::ConditionFailed { item },
        // Only statements have such actions, and a store has no statements.
        CancellationReason::DuplicateItem => Cancellation::ConditionFailed { item: None },
        CancellationReason::Conflict => Cancellation::Conflict,
        CancellationReason::Invalid(invalid) => Cancellation::Refused(invalid.to_string()),
        CancellationReason::CollectionTooLarge => {
            Cancellation::Refused("the items under one partition key would pass 10 GB".to_owned())
        }
    }
}
