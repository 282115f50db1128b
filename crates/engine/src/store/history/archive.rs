//! The history files: adding changes, and removing old files.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use super::super::log::{Before, Frame, Segment, SegmentScan};
use super::super::{Disk, StoreError};
use super::file::{HistoryFile, name_of, parse_name};
use super::{Latest, Logged, Position};
use crate::sync::{Mutex, MutexGuard};

/// The history files. The fold adds to them, and any thread reads them.
pub(in crate::store) struct Archive {
    disk: Arc<dyn Disk>,
    /// The size at which a file is full.
    file_bytes_max: u64,
    files: Mutex<HistoryFiles>,
}

struct HistoryFiles {
    /// In order; all but the last are full.
    list: Vec<Arc<HistoryFile>>,
    next_id: u64,
}

impl Archive {
    /// Finds the files. `is_live` returns whether the log still has a segment.
    pub(in crate::store) fn open(
        disk: Arc<dyn Disk>,
        file_bytes_max: u64,
        is_live: impl Fn(u64) -> bool,
    ) -> Result<Self, StoreError> {
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        let mut ids: Vec<u64> = names.iter().filter_map(|name| parse_name(name)).collect();
        ids.sort_unstable();
        let next_id = ids.last().map_or(1, |last| last + 1);
        let mut list = Vec::new();
        for id in ids {
            match HistoryFile::open(disk.as_ref(), id, &is_live)? {
                Some(past) => list.push(Arc::new(past)),
                None => disk.remove(&name_of(id)).map_err(StoreError::io("remove", name_of(id)))?,
            }
        }
        Ok(Self { disk, file_bytes_max, files: Mutex::new(HistoryFiles { list, next_id }) })
    }

    fn lock(&self) -> MutexGuard<'_, HistoryFiles> {
        // The list is never left half changed, so a panic elsewhere doesn't corrupt it.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files, in order.
    pub(super) fn files(&self) -> Vec<Arc<HistoryFile>> {
        self.lock().list.clone()
    }

    /// Reads every block of every file and reports errors. Returns the number of changes.
    pub(in crate::store) fn check(&self, mut wrong: impl FnMut(StoreError)) -> u64 {
        let mut count = 0;
        for past in self.files() {
            let marks = match past.marks() {
                Ok(marks) => marks,
                Err(error) => {
                    wrong(error);
                    continue;
                }
            };
            for mark in marks.iter() {
                match past.read(mark) {
                    Ok(changes) => count += changes.len() as u64,
                    Err(error) => wrong(error),
                }
            }
        }
        count
    }

    /// Bytes and number of the files.
    pub(in crate::store) fn size(&self) -> (u64, usize) {
        let files = self.lock();
        (files.list.iter().map(|past| past.bytes()).sum(), files.list.len())
    }

    /// Keeps the recorded changes of a segment that is about to be trimmed. The segment ends before the sequence
    /// number `until`. Only one thread at a time may call it.
    pub(in crate::store) fn keep(&self, segment: &Segment, until: u64) -> Result<(), StoreError> {
        let files = self.files();
        if files.iter().any(|past| past.last_segment >= segment.id) {
            // It was kept already, before the trimming was interrupted.
            return Ok(());
        }
        let mut changes: BTreeMap<u32, Vec<Logged>> = BTreeMap::new();
        let mut time_ms = 0;
        let mut scan = SegmentScan::open(segment, Some(until))?;
        while let Some((frame, _)) = scan.next_frame()? {
            time_ms = frame.time_ms;
            for change in recorded(frame) {
                changes.entry(change.group()).or_default().push(change);
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let (past, is_new) = match files.last().filter(|past| !past.is_full()) {
            Some(past) => (past.clone(), false),
            None => (Arc::new(HistoryFile::create(self.disk.as_ref(), self.new_id())?), true),
        };
        let past = Arc::new(past.append(segment.id, until - 1, time_ms, &changes, self.file_bytes_max)?);
        let mut files = self.lock();
        if !is_new {
            files.list.pop();
        }
        files.list.push(past);
        Ok(())
    }

    fn new_id(&self) -> u64 {
        let mut files = self.lock();
        let id = files.next_id;
        files.next_id += 1;
        id
    }

    /// Removes the full files without needed changes. `is_needed` is called for each group of a file with the group's
    /// latest change in it.
    pub(in crate::store) fn drop_unneeded(
        &self,
        is_needed: impl Fn(u32, Latest) -> bool,
    ) -> Result<usize, StoreError> {
        let is_unneeded = |past: &HistoryFile| {
            past.is_full() && !past.groups.iter().any(|(&group, &latest)| is_needed(group, latest))
        };
        let dropped: Vec<Arc<HistoryFile>> =
            self.files().into_iter().filter(|past| is_unneeded(past)).collect();
        self.lock().list.retain(|past| !dropped.iter().any(|gone| gone.id == past.id));
        for past in &dropped {
            let name = name_of(past.id);
            self.disk.remove(&name).map_err(StoreError::io("remove", &name))?;
        }
        Ok(dropped.len())
    }
}

/// The recorded changes of a commit.
pub(super) fn recorded(frame: Frame) -> impl Iterator<Item = Logged> {
    let Frame { sequence, time_ms, mark, entries, .. } = frame;
    let recorded = entries.into_iter().filter_map(|entry| match entry.before {
        Before::Unrecorded => None,
        Before::Recorded(before) => Some((entry.key, before, entry.value)),
    });
    recorded.zip(0..).map(move |((key, before, after), place)| Logged {
        position: Position { sequence, place },
        time_ms,
        mark,
        key,
        before,
        after,
    })
}
