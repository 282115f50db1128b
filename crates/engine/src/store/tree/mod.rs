//! The tree: a redb file that holds everything up to a point of the log.

mod backend;
mod misses;
mod view;

use std::iter::Peekable;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::{
    Builder, CursorError, Database, ReadableDatabase, ReadableTable, Table, TableDefinition, WriteTransaction,
};

use self::backend::{Backend, TreeFile};
pub(super) use self::view::{TreeEntry, TreeRange, TreeView};
use super::overlay::{Entry, Overlay};
use super::seal::{SealedPages, Sealing};
use super::tally::{Tallies, Tally};
use super::{Disk, StoreError};

const NAME: &str = "tree";
/// A tree under construction; it gets its name when it can be opened.
const NEW_NAME: &str = "tree.new";
const FORMAT_VERSION: u64 = 1;
/// Each page is read once, so more would not help.
const CHECK_CACHE_BYTES: usize = 16 << 20;
const DOUBT: &str =
    "one of the two copies of the tree's first page can't be read, as after an interrupted write";

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

/// The point of the log that a tree reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FoldPoint {
    /// The last commit that is in the tree, and its time.
    pub(super) sequence: u64,
    pub(super) time_ms: u64,
    /// Where the next frame begins, if it is in this segment.
    pub(super) segment: u64,
    pub(super) offset: u64,
}

/// The tree file. Dropped when the last view of it is.
pub(super) struct Tree {
    /// There until the tree is dropped.
    database: Option<Database>,
    file: Arc<TreeFile>,
    /// Whether a copy of an encrypted tree's first page could not be read.
    is_doubtful: bool,
    /// Whether the library must not close its database any more.
    is_damaged: AtomicBool,
}

/// Whether new keys come in runs these days. Looking for one costs a way down the tree, so after keys that came alone fewer are tried.
#[derive(Default)]
struct Runs {
    /// So many new keys are not tried.
    skips: u32,
    /// So many follow the next that comes alone.
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

/// What a check of a tree says.
pub(super) struct TreeChecked {
    pub(super) file_bytes: u64,
    pub(super) note: Option<String>,
}

impl Tree {
    /// Opens the tree, creating an empty one if there is none.
    pub(super) fn open(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
        cache_bytes: usize,
    ) -> Result<Arc<Self>, StoreError> {
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        if names.iter().any(|name| name == NAME) {
            let tree = Self::load(disk, sealing, NAME, cache_bytes)?;
            tree.check_version()?;
            return Ok(Arc::new(tree));
        }
        if names.iter().any(|name| name == NEW_NAME) {
            disk.remove(NEW_NAME).map_err(StoreError::io("remove", NEW_NAME))?;
        }
        let tree = Self::load(disk, sealing, NEW_NAME, cache_bytes)?;
        tree.initialise()?;
        disk.rename(NEW_NAME, NAME).map_err(StoreError::io("rename", NEW_NAME))?;
        disk.sync_directory().map_err(StoreError::io("sync", "the folder"))?;
        Ok(Arc::new(tree))
    }

    fn load(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
        name: &str,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let mut file = disk.open(name).map_err(StoreError::io("open", name))?;
        let mut is_doubtful = false;
        if let Some(sealing) = sealing {
            // Once it can be opened it has its real name, so that is the one to speak of.
            let pages = SealedPages::open(file, NAME, sealing.clone())?;
            is_doubtful = pages.is_doubtful();
            file = Arc::new(pages);
        }
        let file = Arc::new(TreeFile::new(file, disk.clone()));
        let backend = Backend(file.clone());
        // A page in memory carries a counter, and the allocator rounds the two up by a quarter.
        let database = guarded(|| {
            Builder::new()
                .set_cache_size(cache_bytes / 5 * 4)
                .create_with_backend(backend)
                .map_err(StoreError::tree)
        })?;
        file.check()?;
        let mut tree =
            Self { database: Some(database), file, is_doubtful, is_damaged: AtomicBool::new(false) };
        if is_doubtful {
            tracing::warn!("{DOUBT}; the tree is checked");
            tree.check_pages()?;
        }
        Ok(tree)
    }

    /// Reads every page in use and compares it with the checksum that points to it. Says whether everything was in
    /// order; what can be made good without loss is made good.
    fn check_pages(&mut self) -> Result<bool, StoreError> {
        guarded(|| {
            let database =
                self.database.as_mut().ok_or_else(|| StoreError::tree(redb::Error::DatabaseClosed))?;
            database.check_integrity().map_err(StoreError::tree)
        })
    }

    /// Checks the tree of a folder, page by page; a folder without one is in order.
    pub(super) fn check(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
    ) -> Result<TreeChecked, StoreError> {
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        if !names.iter().any(|name| name == NAME) {
            return Ok(TreeChecked { file_bytes: 0, note: None });
        }
        let mut tree = Self::load(disk, sealing, NAME, CHECK_CACHE_BYTES)?;
        tree.check_version()?;
        if !tree.check_pages()? {
            return Err(StoreError::corrupt(NAME, 0, "what the tree says of its own pages is wrong"));
        }
        let note =
            tree.is_doubtful.then(|| format!("{DOUBT}; the other one is right, and the next write mends it"));
        Ok(TreeChecked { file_bytes: tree.file_bytes(), note })
    }

    fn database(&self) -> Result<&Database, StoreError> {
        self.database.as_ref().ok_or_else(|| StoreError::tree(redb::Error::DatabaseClosed))
    }

    fn initialise(&self) -> Result<(), StoreError> {
        let transaction = self.begin_write()?;
        transaction.open_table(ENTRIES).map_err(StoreError::tree)?;
        transaction.open_table(TALLIES).map_err(StoreError::tree)?;
        write_meta(&transaction, FoldPoint::default())?;
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

    fn check_version(&self) -> Result<(), StoreError> {
        let found = self.meta(META_FORMAT_VERSION)?;
        if found != FORMAT_VERSION {
            return Err(StoreError::UnknownVersion { file: NAME.into(), found, known: FORMAT_VERSION });
        }
        Ok(())
    }

    fn meta(&self, name: &str) -> Result<u64, StoreError> {
        self.meta_if_any(name)?
            .ok_or_else(|| StoreError::corrupt(NAME, 0, format!("{name} is missing from the meta table")))
    }

    fn meta_if_any(&self, name: &str) -> Result<Option<u64>, StoreError> {
        guarded(|| {
            let transaction = self.database()?.begin_read().map_err(StoreError::tree)?;
            let table = transaction.open_table(META).map_err(StoreError::tree)?;
            let value = table.get(name).map_err(StoreError::tree)?;
            Ok(value.map(|value| value.value()))
        })
    }

    /// Refuses a log that ends before the commits of which the tree has some entries. A disk that keeps what it says it
    /// synced leaves no such thing.
    pub(super) fn check_reach(&self, log_sequence: u64) -> Result<(), StoreError> {
        let reach = self.meta_if_any(META_REACH)?.unwrap_or_default();
        if log_sequence < reach {
            let reason =
                format!("it has entries of commits up to {reach}, and the log ends with {log_sequence}");
            return Err(StoreError::corrupt(NAME, 0, reason));
        }
        Ok(())
    }

    /// Makes durable what was read: a program that was killed may have left a commit that only the system's memory has.
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

    /// The totals at the fold point.
    pub(super) fn tallies(&self) -> Result<Tallies, StoreError> {
        guarded(|| {
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

    /// Writes the overlay into the tree, and with the last of it the totals and the point that it reaches.
    /// Reports how many entries are done after each part but the last.
    ///
    /// If it fails or the power goes, the tree has some entries from after its fold point. They do no harm: the log
    /// still has all that comes after the point, and reading it again ends in the same state. Views taken before go
    /// on reading what they read.
    pub(super) fn fold(
        &self,
        overlay: &Overlay,
        tallies: &Tallies,
        point: FoldPoint,
        part_entries: usize,
        report: impl Fn(usize) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
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

    /// Returns how many there were.
    fn write_entries<'a>(
        &self,
        transaction: &WriteTransaction,
        entries: impl Iterator<Item = Entry<'a>>,
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

    /// One read view, to be shared by all readers until the next fold.
    pub(super) fn view(self: &Arc<Self>) -> Result<TreeView, StoreError> {
        guarded(|| {
            let transaction = self.database()?.begin_read().map_err(StoreError::tree)?;
            let table = transaction.open_table(ENTRIES).map_err(StoreError::tree)?;
            Ok(TreeView::new(table, self.clone()))
        })
    }

    /// Whether a key that is about to be written should be read first: pages have been missing from the cache lately.
    pub(super) fn take_look_ahead(&self) -> bool {
        self.file.misses.take_look()
    }

    /// Damage was found in it: the tree is left open, and its folder locked, until the program ends. Closing it takes entries out of
    /// the list of free pages, and on damaged ones the library panics while it panics, which ends the program.
    pub(super) fn leave_open(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// The size of the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.file_bytes()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.is_damaged.load(Ordering::Relaxed) {
            std::mem::forget(self.database.take());
            return;
        }
        // Closing reads and writes pages. If it fails, the next opening repairs.
        let _ = guarded(|| {
            drop(self.database.take());
            Ok(())
        });
    }
}

/// The library panics on some damaged pages; here that is damage like any other.
fn guarded<T>(action: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(action))
        .unwrap_or_else(|_| Err(StoreError::corrupt(NAME, 0, "a page can't be understood")))
}

/// Inserts entries while they are new and nothing in the table lies between them and the key before. The library packs the pages of
/// such a run, where single insertions in ascending order would leave them half full. Returns how many there were.
fn write_run<'a>(
    table: &mut EntriesTable<'_>,
    after: &[u8],
    entries: &mut Peekable<impl Iterator<Item = Entry<'a>>>,
) -> Result<usize, StoreError> {
    let mut cursor = table.lower_bound_mut(Bound::Excluded(after)).map_err(StoreError::tree)?;
    let mut count = 0;
    while let Some(Entry { key, value: Some(value) }) = entries.peek() {
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

/// From now on the tree may have entries of commits up to this one.
fn write_reach(transaction: &WriteTransaction, sequence: u64) -> Result<(), StoreError> {
    let mut meta = transaction.open_table(META).map_err(StoreError::tree)?;
    meta.insert(META_REACH, sequence).map_err(StoreError::tree)?;
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

/// Makes the stored totals equal to `tallies`. There are few: one per table and index.
fn write_tallies(transaction: &WriteTransaction, tallies: &Tallies) -> Result<(), StoreError> {
    let mut table = transaction.open_table(TALLIES).map_err(StoreError::tree)?;
    table.retain(|space, _| tallies.0.contains_key(&space)).map_err(StoreError::tree)?;
    for (space, tally) in tallies.0.iter() {
        table.insert(space, (tally.count, tally.bytes)).map_err(StoreError::tree)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use redb::ReadableTableMetadata;

    use super::*;
    use crate::store::MemoryDisk;

    fn fold(tree: &Tree, overlay: &Overlay) {
        tree.fold(overlay, &Tallies::default(), FoldPoint::default(), 1000, |_| Ok(())).unwrap();
    }

    #[test]
    fn new_keys_that_follow_one_another_fill_their_pages() {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let tree = Tree::open(&disk, None, 1 << 20).unwrap();
        let value = Bytes::from(vec![7; 400]);
        // Groups of keys in an order that is not theirs, so that each fold puts groups between those of earlier ones.
        let groups: Vec<u64> = (0..1200).map(|step| step * 7919 % 1200).collect();
        for part in groups.chunks(150) {
            let mut overlay = Overlay::default();
            for (group, item) in part.iter().flat_map(|group| (0..25).map(move |item| (group, item))) {
                overlay.insert(format!("{group:05}-{item:02}").as_bytes(), Some(value.clone()), false);
            }
            fold(&tree, &overlay);
        }
        let transaction = tree.database().unwrap().begin_read().unwrap();
        let table = transaction.open_table(ENTRIES).unwrap();
        let stats = table.stats().unwrap();
        assert_eq!(table.len().unwrap(), 30_000);
        let fill = stats.stored_bytes() as f64 / (stats.leaf_pages() * 4096) as f64;
        assert!(fill > 0.7, "{fill}");
    }

    #[test]
    fn runs_stop_at_keys_that_are_there_and_at_deletions() {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let tree = Tree::open(&disk, None, 1 << 20).unwrap();
        let mut model = std::collections::BTreeMap::new();
        for round in 0..40_u64 {
            let mut overlay = Overlay::default();
            for step in 0..200_u64 {
                let key = (step * step * 31 + round * 17) % 1500;
                let value = (step % 5 != 0).then(|| Bytes::from(format!("{round}-{step}")));
                overlay.insert(&key.to_be_bytes(), value.clone(), false);
                match value {
                    Some(value) => _ = model.insert(key, value),
                    None => _ = model.remove(&key),
                }
            }
            fold(&tree, &overlay);
            let view = tree.view().unwrap();
            let mut range = view.range(Bound::Unbounded, Bound::Unbounded).unwrap();
            let found = std::iter::from_fn(|| range.step(crate::store::Direction::Forward).unwrap());
            let found: Vec<_> = found.map(|entry| entry.to_bytes()).collect();
            let expected: Vec<_> = model
                .iter()
                .map(|(key, value)| (Bytes::copy_from_slice(&key.to_be_bytes()), value.clone()))
                .collect();
            assert_eq!(found, expected, "round {round}");
        }
    }
}
