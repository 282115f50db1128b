//! Time to live.

use super::Database;
use crate::error::Result;
use crate::maintenance::{note_time, sweep};
use crate::pending::Pending;
use crate::request::{TimeToLive, UpdateTimeToLive};
use crate::sync::thread;
use crate::write::Job;

impl Database {
    /// Turns time to live of a table on or off. The expiry times of existing items are recorded in the background.
    pub fn update_time_to_live(&self, request: UpdateTimeToLive) -> Result<TimeToLive> {
        self.submit_update_time_to_live(request).wait()
    }

    /// Submits a change of time to live without waiting.
    pub fn submit_update_time_to_live(&self, request: UpdateTimeToLive) -> Pending<TimeToLive> {
        let (answer, pending) = Pending::channel();
        let pending = self.submit(Job::TimeToLive { request: Box::new(request), answer }, pending);
        self.wake_maintenance();
        pending
    }

    /// Describes the time to live of a table.
    pub fn describe_time_to_live(&self, table: &str) -> Result<TimeToLive> {
        Ok(self.view().catalogue().resource(table)?.time_to_live())
    }

    /// Deletes all items that have expired by the database's clock, and returns their number. The expiry thread does
    /// this about once a second; this call is for programs that control the clock.
    pub fn expire_due(&self) -> Result<u64> {
        let pause = |time| {
            thread::park_timeout(time);
            false
        };
        note_time(&self.inner.store)?;
        sweep(&self.inner.store, self.inner.store.time().now_ms(), &pause)
    }

    /// Returns how many items of a table have expired since the database was opened.
    pub fn expired_items(&self, table: &str) -> Result<u64> {
        let view = self.view();
        let catalogue = view.catalogue();
        Ok(catalogue.horizon().expired(catalogue.resource(table)?.number))
    }
}
