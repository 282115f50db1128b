//! Calls about expiry.

use super::Database;
use crate::error::Result;
use crate::maintenance::{note_time, sweep};
use crate::pending::Pending;
use crate::request::{TimeToLive, UpdateTimeToLive};
use crate::sync::thread;
use crate::write::Job;

impl Database {
    /// Turns the expiry of a table's items on or off. The items that are there are entered in the background.
    pub fn update_time_to_live(&self, request: UpdateTimeToLive) -> Result<TimeToLive> {
        self.submit_update_time_to_live(request).wait()
    }

    /// Turns expiry on or off, without waiting.
    pub fn submit_update_time_to_live(&self, request: UpdateTimeToLive) -> Pending<TimeToLive> {
        let (answer, pending) = Pending::channel();
        let pending = self.submit(Job::TimeToLive { request: Box::new(request), answer }, pending);
        self.wake_maintenance();
        pending
    }

    /// Says by which attribute the items of a table expire.
    pub fn describe_time_to_live(&self, table: &str) -> Result<TimeToLive> {
        Ok(self.view().catalogue().resource(table)?.time_to_live())
    }

    /// Deletes all items whose time is over by the database's clock, and says how many. This happens by itself about once
    /// a second; the call is for programs that move the clock themselves.
    pub fn expire_due(&self) -> Result<u64> {
        let pause = |time| {
            thread::park_timeout(time);
            false
        };
        note_time(&self.inner.store)?;
        sweep(&self.inner.store, self.inner.store.time().now_ms(), &pause)
    }

    /// How many items of a table have expired since the database was opened.
    pub fn expired_items(&self, table: &str) -> Result<u64> {
        let view = self.view();
        let catalogue = view.catalogue();
        Ok(catalogue.horizon().expired(catalogue.resource(table)?.number))
    }
}
