//! Streams.

use super::{Database, Subscribe, Subscription};
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::maintenance::note_time;
use crate::request::{
    DescribeStream, GetRecords, GetRecordsOutcome, GetShardIterator, ListStreams, ListStreamsOutcome,
    StreamDescription,
};
use crate::store::View;
use crate::stream::arn_of;
use crate::stream_reader;
use crate::sync::atomic::Ordering;
use crate::turns::Now;
use crate::write::EngineStore;

impl Database {
    /// Lists streams, including those that were turned off in the last 24 hours.
    pub fn list_streams(&self, request: &ListStreams) -> Result<ListStreamsOutcome> {
        let view = self.view();
        stream_reader::list_streams(view.catalogue(), request, view.now_ms(self.inner.store.time()))
    }

    /// Describes a stream and a page of its shards.
    pub fn describe_stream(&self, request: &DescribeStream) -> Result<StreamDescription> {
        let view = self.view();
        stream_reader::describe_stream(view.catalogue(), request, view.now_ms(self.inner.store.time()))
    }

    /// Creates an iterator for a shard.
    pub fn get_shard_iterator(&self, request: &GetShardIterator) -> Result<String> {
        stream_reader::get_shard_iterator(&self.inner.store, request)
    }

    /// Reads records of a shard.
    pub fn get_records(&self, request: &GetRecords) -> Result<GetRecordsOutcome> {
        stream_reader::get_records(&self.inner.store, request)
    }

    /// Subscribes to the changes of a table whose stream is on.
    ///
    /// ```
    /// use std::time::Duration;
    /// use singlet_engine::{CreateTable, Database, PutItem, ScalarType, StreamView, Subscribe};
    /// use singlet_engine::values::Item;
    ///
    /// let database = Database::in_memory()?;
    /// let table = CreateTable::new("recipes", "id", ScalarType::S).stream(StreamView::NewAndOldImages);
    /// database.create_table(table)?;
    ///
    /// let mut changes = database.subscribe(Subscribe::new("recipes"))?;
    /// let item: Item = [("id", "17"), ("name", "Phở bò")].into_iter().collect();
    /// database.put_item(PutItem::new("recipes", item.clone()))?;
    ///
    /// let records = changes.next(Duration::from_secs(5))?;
    /// assert_eq!(records[0].new_image.as_ref().unwrap().decode()?, item);
    ///
    /// // A subscriber stores its position, and continues there after a restart.
    /// let place = changes.position().to_string();
    /// let again = database.subscribe(Subscribe::new("recipes").after(place.parse()?))?.next(Duration::ZERO)?;
    /// assert!(again.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn subscribe(&self, request: Subscribe) -> Result<Subscription> {
        Subscription::begin(self, request)
    }

    /// Rolls shards over and removes old ones, by the database's clock. Maintenance does this every second; this call
    /// is for programs that control the clock.
    pub fn maintain_streams(&self) -> Result<()> {
        note_time(&self.inner.store)?;
        self.inner.streams.run(&self.inner.store, true)
    }

    /// Returns the ARN of a stream.
    pub(crate) fn stream_arn(&self, table: &str, label: &str) -> String {
        let (region, account) = (&self.inner.region, &self.inner.account_id);
        arn_of(&format!("arn:aws:dynamodb:{region}:{account}:table/{table}"), label)
    }

    pub(crate) fn store(&self) -> &EngineStore {
        &self.inner.store
    }

    /// Returns the present time for a snapshot.
    pub(crate) fn now(&self, view: &View<Catalogue>) -> Now {
        view.catalogue().now(view.now_ms(self.inner.store.time()))
    }

    /// Returns the reason why there will be no more commits.
    pub(crate) fn why_no_writes(&self) -> Error {
        let failed = || Error::Storage("the store takes no more writes".to_owned());
        if self.inner.closed.load(Ordering::Acquire) { Error::Closed } else { failed() }
    }
}
