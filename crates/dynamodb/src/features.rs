//! The abilities of a service, determined before anything depends on them.
//!
//! Services don't say what they are, so they are asked with requests that can change nothing: a transaction without
//! items, and settings for a table that isn't there. A service that has the feature refuses the request for what is
//! wrong with it; one that doesn't knows neither the operation nor the parameter. Each is asked once.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType};
use singlet_store::Feature;
use tokio::sync::OnceCell;

use crate::connection::Backend;

/// A table that nobody has.
const NO_TABLE: &str = "singlet.probe.no-such-table";

/// The known abilities of a service.
#[derive(Debug, Clone, Default)]
pub(crate) struct Features {
    transactions: OnceCell<bool>,
    time_to_live: OnceCell<bool>,
    streams: OnceCell<bool>,
    recovery: OnceCell<bool>,
}

impl Features {
    /// Whether the service has a feature. If it can't be asked it is taken to have it: the next request will say what
    /// is wrong.
    pub(crate) async fn have(&self, backend: &Backend, feature: Feature) -> bool {
        let known = match feature {
            // DynamoDB's protocol has no such setting: at Amazon it is a service of its own.
            Feature::ScheduledBackups => return false,
            // At Amazon it is so, and elsewhere it can't be asked.
            Feature::Throttling => return true,
            Feature::Transactions => self.transactions.get_or_try_init(|| transactions(backend)).await,
            // There is no way to ask without making an index. The one service known to lack them, Alternator, lacks
            // transactions too.
            Feature::MultiAttributeKeys => self.transactions.get_or_try_init(|| transactions(backend)).await,
            Feature::TimeToLive => self.time_to_live.get_or_try_init(|| time_to_live(backend)).await,
            Feature::Recovery => self.recovery.get_or_try_init(|| recovery(backend)).await,
            Feature::Streams => self.streams.get_or_try_init(|| streams(backend)).await,
        };
        known.copied().unwrap_or(true)
    }
}

/// The service gave no answer from which anything can be learnt.
struct NoAnswer;

async fn transactions(backend: &Backend) -> Result<bool, NoAnswer> {
    knows(backend.client.transact_get_items().set_transact_items(Some(Vec::new())).send().await)
}

async fn time_to_live(backend: &Backend) -> Result<bool, NoAnswer> {
    knows(backend.client.describe_time_to_live().table_name(NO_TABLE).send().await)
}

async fn recovery(backend: &Backend) -> Result<bool, NoAnswer> {
    knows(backend.client.describe_continuous_backups().table_name(NO_TABLE).send().await)
}

async fn streams(backend: &Backend) -> Result<bool, NoAnswer> {
    let stream =
        StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
    let stream = stream.build().map_err(|_| NoAnswer)?;
    let answer = backend.client.update_table().table_name(NO_TABLE).stream_specification(stream).send().await;
    match code(&answer)? {
        Some("ValidationException" | "UnknownOperationException") => Ok(false),
        _ => Ok(true),
    }
}

fn knows<T, E: ProvideErrorMetadata, R>(answer: Result<T, SdkError<E, R>>) -> Result<bool, NoAnswer> {
    Ok(code(&answer)? != Some("UnknownOperationException"))
}

fn code<T, E: ProvideErrorMetadata, R>(answer: &Result<T, SdkError<E, R>>) -> Result<Option<&str>, NoAnswer> {
    match answer {
        Ok(_) => Ok(None),
        Err(SdkError::ServiceError(error)) => Ok(error.err().code()),
        Err(_) => Err(NoAnswer),
    }
}
