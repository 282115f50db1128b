//! Filling a new table from a backup, from the past of another table, or from files.
//!
//! A [`Loader`] belongs to one thread, which gives it rows one after the other. Each row is prepared on that thread
//! and goes to the writer in a job of bounded size. The number of jobs in flight is bounded too, so that loading
//! overlaps with syncing and never fills the writer's queue. Until [`Loader::finish`] the table is CREATING and can't
//! be read or written. A loader that is dropped earlier abandons the table. So does the next opening, if the program
//! ends in between.

mod row;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

pub(crate) use row::LoadRow;

use crate::background::Background;
use crate::error::Result;
use crate::pending::Pending;
use crate::request::{CreateTable, TableDescription};
use crate::table::{LoadSource, Table};
use crate::write::{Job, Loading, PreparedRow};

/// The most rows in one job.
const JOB_ROWS_MAX: usize = 256;
/// The size of items at which a job is submitted.
const JOB_BYTES_MAX: usize = 256 * 1024;
/// The most jobs in flight.
const JOBS_IN_FLIGHT_MAX: usize = 4;

/// A table that is being filled.
pub(crate) struct Loader {
    background: Background,
    table: Arc<Table>,
    description: TableDescription,
    rows: Vec<PreparedRow>,
    rows_bytes: usize,
    in_flight: VecDeque<Flight>,
    progress: Arc<LoadProgress>,
    ended: bool,
}

/// A job in flight.
struct Flight {
    pending: Pending<()>,
    rows: u64,
}

/// The progress of a load. It counts durable rows.
#[derive(Debug, Default)]
pub(crate) struct LoadProgress {
    rows: AtomicU64,
}

impl LoadProgress {
    /// The number of rows written, including those that replace or remove others.
    pub(crate) fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
}

impl Loader {
    /// Creates the table and waits until it exists with status CREATING.
    pub(crate) fn begin(
        background: &Background,
        definition: CreateTable,
        source: LoadSource,
    ) -> Result<Loader> {
        Table::check(&definition)?;
        let (answer, pending) = Pending::channel();
        background.submit(Job::BeginLoad { definition: Box::new(definition), source, answer })?;
        Ok(Loader::of(background, pending.wait()?))
    }

    /// Fills a table that was just created for this purpose.
    pub(crate) fn of(background: &Background, loading: Loading) -> Loader {
        let Loading { table, description } = loading;
        Loader {
            background: background.clone(),
            table,
            description,
            rows: Vec::new(),
            rows_bytes: 0,
            in_flight: VecDeque::with_capacity(JOBS_IN_FLIGHT_MAX),
            progress: Arc::default(),
            ended: false,
        }
    }

    /// The description of the table at the beginning of the load.
    pub(crate) fn description(&self) -> &TableDescription {
        &self.description
    }

    /// The progress, for other threads.
    pub(crate) fn progress(&self) -> Arc<LoadProgress> {
        self.progress.clone()
    }

    /// Writes or removes a row. The error may be that of an earlier row. After an error the load can only be
    /// abandoned.
    ///
    /// A row replaces an earlier one with the same key. An item that doesn't fit the table is an error. An item that
    /// doesn't fit an index isn't in the index, as when an index is created for existing items.
    pub(crate) fn push(&mut self, row: LoadRow) -> Result<()> {
        let row = row.prepare(&self.table)?;
        self.rows_bytes += row.item.as_ref().map_or(0, |item| item.as_bytes().len());
        self.rows.push(row);
        if self.rows.len() >= JOB_ROWS_MAX || self.rows_bytes >= JOB_BYTES_MAX {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Waits for the last rows and opens the table.
    pub(crate) fn finish(self) -> Result<TableDescription> {
        self.finish_with(|| None)
    }

    /// Does the same, and writes the row that `note` returns in the same commit.
    pub(crate) fn finish_with(
        mut self,
        note: impl FnOnce() -> Option<(Bytes, Bytes)>,
    ) -> Result<TableDescription> {
        self.hand_over()?;
        while self.land()? {}
        let (answer, pending) = Pending::channel();
        let (table_number, note) = (self.table.number, note());
        self.background.submit(Job::EndLoad { table_number, note, answer })?;
        let description = pending.wait()?;
        self.ended = true;
        Ok(description)
    }

    /// Removes the table.
    fn remove(&self) -> Result<()> {
        let (answer, pending) = Pending::channel();
        self.background.submit(Job::AbandonLoad { table_number: self.table.number, answer })?;
        pending.wait()?;
        self.background.wake_maintenance();
        Ok(())
    }

    /// Submits the collected rows to the writer.
    fn hand_over(&mut self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        while self.in_flight.len() >= JOBS_IN_FLIGHT_MAX {
            self.land()?;
        }
        let rows = std::mem::take(&mut self.rows);
        self.rows_bytes = 0;
        let count = rows.len() as u64;
        let (answer, pending) = Pending::channel();
        self.background.submit(Job::Load { table_number: self.table.number, rows, answer })?;
        self.in_flight.push_back(Flight { pending, rows: count });
        Ok(())
    }

    /// Waits for the oldest job in flight. Returns `false` if there is none.
    fn land(&mut self) -> Result<bool> {
        let Some(Flight { pending, rows }) = self.in_flight.pop_front() else { return Ok(false) };
        pending.wait()?;
        self.progress.rows.fetch_add(rows, Ordering::Relaxed);
        Ok(true)
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        if let Err(error) = self.remove() {
            tracing::warn!(table = self.table.name, %error, "an unfinished table will be removed at the next opening");
        }
    }
}
