//! Appending items that are gone to the files of an archive.
//!
//! The files and the position in the feed are in two places, and a crash can come between them. Before a batch is
//! appended, the files note the mark that is saved, the new mark, and how long each file is. The new mark is saved with
//! the position. The next archiver compares the saved mark with the note, and cuts off what isn't saved. So
//! every item is in the archive once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use singlet_design::{Archive, DerivationKind, Design, Event};
use singlet_store::{ChangeFeed, Clock, ItemChange, SystemClock};
use singlet_values::EncodedItem;

use super::intake::{Intake, OutletStatus, Page, new_mark, tables};
use super::matched::matched;
use super::path::path_of;
use crate::error::DeriveError;
use crate::status::Counters;
use crate::worker::Step;

/// The most files that are appended to at once.
const FILES_MAX: usize = 64;
/// The kind of the item with the archive's position.
pub(super) const KIND: &str = "archive";

/// An item for an archive.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchivedItem {
    /// The path of the file in the folder, without an ending. Its parts are plain names.
    pub file: String,
    /// The name of its entity.
    pub entity: String,
    /// Why it is gone.
    pub event: Event,
    /// When it was deleted, in milliseconds since 1970.
    pub time_ms: u64,
    /// The item as it was.
    pub item: EncodedItem,
}

/// The marks around a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks<'a> {
    /// The one that is saved.
    pub before: &'a str,
    /// The one that is saved with the position after the batch.
    pub after: &'a str,
}

/// The files of an archive. Nobody else may append to them meanwhile.
pub trait ArchiveFiles: Send {
    /// Cuts off what was appended under another mark than the saved one.
    fn recover(&mut self, saved: &str) -> Result<(), String>;

    /// Appends items and makes them durable, together with a note that tells how to undo it.
    fn append(&mut self, marks: Marks<'_>, items: &[ArchivedItem]) -> Result<(), String>;

    /// Forgets the note, because the position after the batch is durable.
    fn settle(&mut self) -> Result<(), String>;
}

/// Archives the items of one design.
pub struct Archiver<S: ChangeFeed, F> {
    intake: Intake<S>,
    design: Arc<Design>,
    files: F,
    clock: Arc<dyn Clock>,
    counters: Arc<Counters>,
}

impl<S: ChangeFeed, F: ArchiveFiles> Archiver<S, F> {
    /// Opens the feeds where the last archiver stopped. A new one begins with the next change.
    pub async fn open(
        store: S,
        design: Arc<Design>,
        environment: &str,
        files: F,
    ) -> Result<Archiver<S, F>, DeriveError> {
        let clock = SystemClock;
        let triggers = archives(&design).flat_map(|archive| &archive.triggers);
        let labels = triggers.map(|trigger| trigger.entity.table.label.as_str());
        let tables = tables(&design, environment, labels);
        let intake =
            Intake::open(store, &design, environment, KIND.to_owned(), tables, clock.now_ms()).await?;
        let (clock, counters) = (Arc::new(clock), Arc::default());
        let mut archiver = Archiver { intake, design, files, clock, counters };
        archiver.counters.gaps(archiver.intake.saved.status.gaps);
        archiver.files.recover(&archiver.intake.saved.mark).map_err(DeriveError::Archive)?;
        Ok(archiver)
    }

    /// Takes the time from this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Returns what the archiver counts.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Returns how far the archive is.
    pub fn status(&self) -> &OutletStatus {
        &self.intake.saved.status
    }

    /// Starts from what is saved. After an error, nothing else may be done before.
    pub async fn reopen(&mut self) -> Result<(), DeriveError> {
        self.intake.reopen(self.clock.now_ms(), None).await?;
        self.files.recover(&self.intake.saved.mark).map_err(DeriveError::Archive)
    }

    /// Archives the items of some changes. Waits so long for a change.
    pub async fn step(&mut self, wait: Duration) -> Result<Step, DeriveError> {
        let Some(Page { table, changes }) = self.intake.next(wait, self.clock.now_ms()).await? else {
            self.counters.end(true);
            if !self.intake.save().await? {
                self.reopen().await?;
            }
            return Ok(Step { changes: 0, is_busy: false });
        };
        self.counters.end(false);
        self.counters.gaps(self.intake.saved.status.gaps);
        let mut rest = changes.as_slice();
        while !rest.is_empty() {
            let (items, taken) = self.items(&table, rest)?;
            let (now, later) = rest.split_at(taken);
            let goes_on = match items.is_empty() {
                true => self.intake.pass(&table, now).await?,
                false => self.append(&table, now, &items).await?,
            };
            if !goes_on {
                self.reopen().await?;
                break;
            }
            self.counters.changes(now);
            rest = later;
        }
        Ok(Step { changes: changes.len(), is_busy: true })
    }

    /// Archives everything that was deleted before the call.
    pub async fn catch_up(&mut self) -> Result<(), DeriveError> {
        while self.step(Duration::ZERO).await?.is_busy {}
        Ok(())
    }

    /// Returns the items of as many changes as may be appended at once, and how many changes these are: at least one.
    fn items(&self, table: &str, changes: &[ItemChange]) -> Result<(Vec<ArchivedItem>, usize), DeriveError> {
        let (mut items, mut files) = (Vec::new(), BTreeSet::new());
        for (at, change) in changes.iter().enumerate() {
            let found = self.archived(table, change)?;
            files.extend(found.iter().map(|item| item.file.clone()));
            if files.len() > FILES_MAX && at > 0 {
                return Ok((items, at));
            }
            items.extend(found);
        }
        Ok((items, changes.len()))
    }

    /// Returns what a change adds to the archive.
    fn archived(&self, table: &str, change: &ItemChange) -> Result<Vec<ArchivedItem>, DeriveError> {
        let mut items = Vec::new();
        for archive in archives(&self.design) {
            for one in matched(&archive.triggers, table, change)? {
                let (Some(before), Some(item)) = (&one.before, &change.before) else { continue };
                items.push(ArchivedItem {
                    file: path_of(&archive.file, before),
                    entity: one.trigger.entity.name.clone(),
                    event: one.event,
                    time_ms: change.time_ms,
                    item: item.clone(),
                });
            }
        }
        Ok(items)
    }

    async fn append(
        &mut self,
        table: &str,
        changes: &[ItemChange],
        items: &[ArchivedItem],
    ) -> Result<bool, DeriveError> {
        let mut next = self.intake.after(table, changes);
        next.mark = new_mark();
        next.status.done += items.len() as u64;
        let marks = Marks { before: &self.intake.saved.mark, after: &next.mark };
        self.files.append(marks, items).map_err(DeriveError::Archive)?;
        if !self.intake.commit(next, Vec::new()).await? {
            return Ok(false);
        }
        self.counters.batch(items.len(), 0);
        self.files.settle().map_err(DeriveError::Archive)?;
        Ok(true)
    }
}

/// Returns the archives of a design.
pub(super) fn archives(design: &Design) -> impl Iterator<Item = &Archive> {
    design.derivations.iter().filter_map(|derivation| match &derivation.kind {
        DerivationKind::Archive(archive) => Some(archive),
        _ => None,
    })
}
