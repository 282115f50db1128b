//! The tree: a redb file with everything up to a point of the log.

mod backend;
mod convert;
mod misses;
mod open;
mod pages;
mod protection;
mod rewrite;
#[cfg(test)]
pub(super) mod tests;
mod view;

use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

use redb::{
    CursorError, Database, DatabaseError, ReadableDatabase, ReadableTable, Table, TableDefinition,
    WriteTransaction,
};

use self::backend::TreeFile;
pub(super) use self::open::OldTree;
pub(super) use self::protection::FORMAT_VERSION as PAGES_FORMAT_VERSION;
pub use self::rewrite::Compacted;
pub(super) use self::rewrite::compact;
pub(super) use self::view::{TreeEntry, TreeRange, TreeView};
use super::StoreError;
use super::overlay::{Overlay, OverlayEntry};
use super::tally::{Tallies, Tally};

pub(super) const NAME: &str = "tree";
const FORMAT_VERSION: u64 = 1;

const ENTRIES: TableDefinition<&[u8], &[u8]> = TableDefinition::new("entries");
const TALLIES: TableDefinition<u64, (u64, u64)> = TableDefinition::new("tallies");
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");

type EntriesTable<'a> = Table<'a, &'static [u8], &'static [u8]>;

const META_FORMAT_VERSION: &str = "format_version";
const META_SEQUENCE: &str = "folded_sequence";
const META_TIME_MS: &str = "folded_time_ms";
const META_SEGMENT: &str = "folded_segment";
const META_OFFSET: &str = "folded_offset";
const META_REACH: &str = "reach_sequence";
const META_REACH_FILE: &str = "has_reach_file";

/// The point of the log that a tree reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FoldPoint {
    /// The last commit in the tree, and its time.
    pub(super) sequence: u64,
    pub(super) time_ms: u64,
    /// The position of the next frame, if it is in this segment.
    pub(super) segment: u64,
    pub(super) offset: u64,
}

/// The tree file. It is closed when its last snapshot is dropped.
pub(super) struct Tree {
    /// Set until the tree is dropped.
    database: Option<Database>,
    file: Arc<TreeFile>,
    /// Whether a copy of the first page was unreadable.
    is_doubtful: bool,
}

/// Whether new keys come in runs lately. Looking for a run costs a search in the tree, so after single keys fewer
/// searches are tried.
#[derive(Default)]
struct Runs {
    /// The number of new keys to skip.
    skips: u32,
    /// The number of keys to skip after the next single key.
    next_skips: u32,
}

impl Runs {
    const SKIPS_MAX: u32 = 64;

    fn is_worth_trying(&mut self) -> bool {
        let tries = self.skips == 0;
        self.skips = self.skips.saturating_sub(1);
        tries
    }

    fn note(&mut self, written: usize) {
        if written > 0 {
            self.next_skips = 0;
            return;
        }
        self.skips = self.next_skips;
        self.next_skips = (2 * self.next_skips + 1).min(Self::SKIPS_MAX);
    }
}

impl Tree {
    fn database(&self) -> Result<&Database, StoreError> {
        self.database.as_ref().ok_or_else(|| StoreError::tree(redb::Error::DatabaseClosed))
    }

    fn initialise(&self) -> Result<(), StoreError> {
        let transaction = self.begin_write()?;
        transaction.open_table(ENTRIES).map_err(StoreError::tree)?;
        transaction.open_table(TALLIES).map_err(StoreError::tree)?;
        write_meta(&transaction, FoldPoint::default())?;
        write_reach_file(&transaction)?;
        self.commit(transaction)
    }

    /// Whether the folder has the file with the extent of the log. Older folders get it when they are opened.
    pub(super) fn has_reach_file(&self) -> Result<bool, StoreError> {
        Ok(self.meta_if_any(META_REACH_FILE)?.is_some())
    }

    /// Records that the folder has that file, so that its loss is noticed.
    pub(super) fn set_has_reach_file(&self) -> Result<(), StoreError> {
        let transaction = self.begin_write()?;
        write_reach_file(&transaction)?;
        self.commit(transaction)
    }

    fn begin_write(&self) -> Result<WriteTransaction, StoreError> {
        let mut transaction = self.database()?.begin_write().map_err(StoreError::tree)?;
        // Opening after a crash must not read the whole file.
        transaction.set_quick_repair(true);
        Ok(transaction)
    }

    fn commit(&self, transaction: WriteTransaction) -> Result<(), StoreError> {
        transaction.commit().map_err(StoreError::tree)?;
        self.file.check()
    }

    fn meta(&self, name: &str) -> Result<u64, StoreError> {
        self.meta_if_any(name)?
            .ok_or_else(|| StoreError::corrupt(NAME, 0, format!("{name} is missing from the meta table")))
    }

    fn meta_if_any(&self, name: &str) -> Result<Option<u64>, StoreError> {
        self.file.guarded(|| {
            let transaction = self.database()?.begin_read().map_err(StoreError::tree)?;
            let table = transaction.open_table(META).map_err(StoreError::tree)?;
            let value = table.get(name).map_err(StoreError::tree)?;
            Ok(value.map(|value| value.value()))
        })
    }

    /// Refuses a log that ends before commits of which the tree has entries. This can't happen on a disk that keeps
    /// what it has synced.
    pub(super) fn check_reach(&self, log_sequence: u64) -> Result<(), StoreError> {
        let reach = self.meta_if_any(META_REACH)?.unwrap_or_default();
        if log_sequence < reach {
            let reason =
                format!("it has entries of commits up to {reach}, and the log ends with {log_sequence}");
            return Err(StoreError::corrupt(NAME, 0, reason));
        }
        Ok(())
    }

    /// Makes durable what was read. A killed program may have left a commit that is only in the system's memory.
    pub(super) fn settle(&self) -> Result<(), StoreError> {
        #[cfg(simulated)]
        if crate::planted::Bug::TrustsUnsyncedFiles.is_planted() {
            return Ok(());
        }
        self.file.sync()
    }

    /// The point of the log that the tree reaches.
    pub(super) fn fold_point(&self) -> Result<FoldPoint, StoreError> {
        Ok(FoldPoint {
            sequence: self.meta(META_SEQUENCE)?,
            time_ms: self.meta(META_TIME_MS)?,
            segment: self.meta(META_SEGMENT)?,
            offset: self.meta(META_OFFSET)?,
        })
    }

    /// Makes the tree like one of an earlier version, which didn't know the file.
    #[cfg(test)]
    pub(super) fn forget_reach_file(&self) -> Result<(), StoreError> {
        let transaction = self.begin_write()?;
        transaction
            .open_table(META)
            .map_err(StoreError::tree)?
            .remove(META_REACH_FILE)
            .map_err(StoreError::tree)?;
        self.commit(transaction)
    }

    /// The totals at the fold point.
    pub(super) fn tallies(&self) -> Result<Tallies, StoreError> {
        self.file.guarded(|| {
            let transaction = self.database()?.begin_read().map_err(StoreError::tree)?;
            let table = transaction.open_table(TALLIES).map_err(StoreError::tree)?;
            let mut tallies = Tallies::default();
            for entry in table.iter().map_err(StoreError::tree)? {
                let (space, tally) = entry.map_err(StoreError::tree)?;
                let (count, bytes) = tally.value();
                tallies.0.insert(space.value(), Tally { count, bytes });
            }
            Ok(tallies)
        })
    }

    /// Writes the overlay into the tree, and with its last part the totals and the new fold point. Reports the number
    /// of entries done after each part but the last.
    ///
    /// If it fails or is interrupted, the tree has some entries from after its fold point. They do no harm: the log
    /// still has everything after the point, and replaying it gives the same state. Existing snapshots aren't
    /// affected.
    pub(super) fn fold(
        &self,
        overlay: &Overlay,
        tallies: &Tallies,
        point: FoldPoint,
        part_entries: usize,
        report: impl Fn(usize) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.file.guarded(|| self.fold_parts(overlay, tallies, point, part_entries, report))
    }

    fn fold_parts(
        &self,
        overlay: &Overlay,
        tallies: &Tallies,
        point: FoldPoint,
        part_entries: usize,
        report: impl Fn(usize) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        // Unreadable pages may be in the library's cache. Nothing must be derived from them.
        self.file.check()?;
        let mut entries = overlay.iter();
        let mut done = 0;
        loop {
            let transaction = self.begin_write()?;
            let part = self.write_entries(&transaction, entries.by_ref().take(part_entries))?;
            let is_first = done == 0;
            done += part;
            let is_last = part == 0 || done == overlay.len();
            if is_last {
                write_tallies(&transaction, tallies)?;
                write_meta(&transaction, point)?;
            } else if is_first {
                write_reach(&transaction, point.sequence)?;
            }
            self.commit(transaction)?;
            if is_last {
                return Ok(());
            }
            report(done)?;
        }
    }

    /// Returns the number of entries.
    fn write_entries<'a>(
        &self,
        transaction: &WriteTransaction,
        entries: impl Iterator<Item = OverlayEntry<'a>>,
    ) -> Result<usize, StoreError> {
        let mut table = transaction.open_table(ENTRIES).map_err(StoreError::tree)?;
        let mut runs = Runs::default();
        let mut entries = entries.peekable();
        let mut count = 0;
        while let Some(entry) = entries.next() {
            count += 1;
            let is_new = match entry.value {
                Some(value) => table.insert(entry.key, value.as_ref()).map_err(StoreError::tree)?.is_none(),
                None => table.remove(entry.key).map(|_| false).map_err(StoreError::tree)?,
            };
            if is_new && runs.is_worth_trying() {
                let written = write_run(&mut table, entry.key, &mut entries)?;
                runs.note(written);
                count += written;
            }
            self.file.check()?;
        }
        Ok(count)
    }

    /// Returns a snapshot that all readers share until the next fold.
    pub(super) fn view(self: &Arc<Self>) -> Result<TreeView, StoreError> {
        self.file.guarded(|| {
            let transaction = self.database()?.begin_read().map_err(StoreError::tree)?;
            let table = transaction.open_table(ENTRIES).map_err(StoreError::tree)?;
            Ok(TreeView::new(table, self.clone()))
        })
    }

    /// Whether a key that is about to be written should be read first, because pages were missing from the cache
    /// lately.
    pub(super) fn take_look_ahead(&self) -> bool {
        self.file.misses.take_look()
    }

    /// The size of the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.file_bytes()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let Some(mut database) = self.database.take() else { return };
        // Closing reads and writes pages, and must fail if it can't read one. Then the next opening repairs the tree.
        self.file.set_in_use(false);
        let closed = self.file.guarded(|| {
            if self.file.unreadable().is_some() {
                // The library may have pages that lead nowhere. After a failure it closes without using them.
                self.file.refuse();
                if let Err(DatabaseError::TransactionInProgress) = database.check_integrity() {
                    std::mem::forget(database);
                    return Ok(());
                }
            }
            drop(database);
            Ok(())
        });
        if let Err(error) = closed {
            tracing::warn!(%error, "the tree could not be closed properly");
        }
    }
}

/// Inserts entries while they are new and adjacent to the previous key. The library packs the pages of such a run,
/// while single insertions in ascending order would leave them half full. Returns the number of entries.
fn write_run<'a>(
    table: &mut EntriesTable<'_>,
    after: &[u8],
    entries: &mut Peekable<impl Iterator<Item = OverlayEntry<'a>>>,
) -> Result<usize, StoreError> {
    let mut cursor = table.lower_bound_mut(Bound::Excluded(after)).map_err(StoreError::tree)?;
    let mut count = 0;
    while let Some(OverlayEntry { key, value: Some(value) }) = entries.peek() {
        match cursor.insert_before(*key, value.as_ref()) {
            Ok(()) => {
                entries.next();
                count += 1;
            }
            Err(CursorError::UnorderedKey) => break,
            Err(error) => return Err(StoreError::tree(error)),
        }
    }
    cursor.close().map_err(StoreError::tree)?;
    Ok(count)
}

/// Records that the tree may have entries of commits up to this one.
fn write_reach(transaction: &WriteTransaction, sequence: u64) -> Result<(), StoreError> {
    let mut meta = transaction.open_table(META).map_err(StoreError::tree)?;
    meta.insert(META_REACH, sequence).map_err(StoreError::tree)?;
    Ok(())
}

fn write_reach_file(transaction: &WriteTransaction) -> Result<(), StoreError> {
    let mut meta = transaction.open_table(META).map_err(StoreError::tree)?;
    meta.insert(META_REACH_FILE, 1).map_err(StoreError::tree)?;
    Ok(())
}

fn write_meta(transaction: &WriteTransaction, point: FoldPoint) -> Result<(), StoreError> {
    let mut meta = transaction.open_table(META).map_err(StoreError::tree)?;
    let values = [
        (META_FORMAT_VERSION, FORMAT_VERSION),
        (META_SEQUENCE, point.sequence),
        (META_TIME_MS, point.time_ms),
        (META_SEGMENT, point.segment),
        (META_OFFSET, point.offset),
    ];
    for (name, value) in values {
        meta.insert(name, value).map_err(StoreError::tree)?;
    }
    Ok(())
}

/// Stores these totals. There are few: one per table and index.
fn write_tallies(transaction: &WriteTransaction, tallies: &Tallies) -> Result<(), StoreError> {
    let mut table = transaction.open_table(TALLIES).map_err(StoreError::tree)?;
    table.retain(|space, _| tallies.0.contains_key(&space)).map_err(StoreError::tree)?;
    for (space, tally) in tallies.0.iter() {
        table.insert(space, (tally.count, tally.bytes)).map_err(StoreError::tree)?;
    }
    Ok(())
}
