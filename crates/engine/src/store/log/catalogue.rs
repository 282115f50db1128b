//! The files of the log: its segments, and spare files for new ones.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use super::super::seal::Sealing;
use super::super::{Disk, DiskFile, StoreError};
use super::seal::{SEALED_GROWTH_BYTES, Seal};
use super::segment::{
    FRAMES_START, Marks, Segment, parse_segment_name, parse_spare_name, segment_name, spare_name,
};
use crate::sync::{Mutex, MutexGuard};

/// The size of one write of zeros. It is small, so that the log's own syncs don't wait long.
const ZEROING_BYTES: usize = 1 << 20;

/// The files of the log. The log thread adds segments, the fold trims them, and the maintenance thread prepares spare
/// files.
pub(in crate::store) struct SegmentCatalogue {
    disk: Arc<dyn Disk>,
    /// The encryption of the frames.
    sealing: Option<Arc<Sealing>>,
    segment_bytes: u64,
    spares_max: usize,
    files: Mutex<SegmentFiles>,
}

struct SegmentFiles {
    /// In order. The last one is being written.
    segments: VecDeque<Segment>,
    /// Files of the right size, with allocated blocks. Their content doesn't matter.
    spares: Vec<(u64, Arc<dyn DiskFile>)>,
    next_id: u64,
}

/// The id of the next file. The names of files come from the disk, so the largest number is possible.
fn id_after(id: u64, name: String) -> Result<u64, StoreError> {
    id.checked_add(1)
        .ok_or_else(|| StoreError::corrupt(name, 0, "no file can follow the one with this number"))
}

/// The ids of the segments in a folder, in order.
pub(super) fn segment_ids(disk: &dyn Disk) -> Result<Vec<u64>, StoreError> {
    let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
    let mut ids: Vec<u64> = names.iter().filter_map(|name| parse_segment_name(name)).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Returns the number of the first commit in the log; `None` if there is no log or its beginning is damaged.
pub(in crate::store) fn first_sequence(
    disk: &dyn Disk,
    sealing: Option<&Arc<Sealing>>,
) -> Result<Option<u64>, StoreError> {
    let Some(&first) = segment_ids(disk)?.first() else { return Ok(None) };
    match Segment::open(disk, sealing, first) {
        Ok(segment) => Ok(Some(segment.first_sequence)),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl SegmentCatalogue {
    /// Finds the files of the log and checks that the segments follow each other.
    pub(super) fn open(
        disk: Arc<dyn Disk>,
        sealing: Option<Arc<Sealing>>,
        segment_bytes: u64,
        spares_max: usize,
    ) -> Result<Self, StoreError> {
        let mut segments: VecDeque<Segment> = VecDeque::new();
        for id in segment_ids(disk.as_ref())? {
            let segment = Segment::open(disk.as_ref(), sealing.as_ref(), id)?;
            if segments.back().is_some_and(|last| last.first_sequence > segment.first_sequence) {
                return Err(StoreError::corrupt(
                    segment.name(),
                    20,
                    "the segment begins earlier than the previous one",
                ));
            }
            segments.push_back(segment);
        }
        let mut spares = Vec::new();
        let mut next_id = 1;
        if let Some(last) = segments.back() {
            next_id = id_after(last.id, last.name())?;
        }
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        for id in names.iter().filter_map(|name| parse_spare_name(name)) {
            let name = spare_name(id);
            next_id = next_id.max(id_after(id, name.clone())?);
            let file = disk.open(&name).map_err(StoreError::io("open", &name))?;
            let file_bytes = file.len().map_err(StoreError::io("measure", &name))?;
            if file_bytes == segment_bytes && spares.len() < spares_max {
                spares.push((id, file));
            } else {
                disk.remove(&name).map_err(StoreError::io("remove", &name))?;
            }
        }
        let files = Mutex::new(SegmentFiles { segments, spares, next_id });
        Ok(Self { disk, sealing, segment_bytes, spares_max, files })
    }

    fn files(&self) -> MutexGuard<'_, SegmentFiles> {
        // The lists are never left half changed, so a panic elsewhere doesn't corrupt them.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The segments, in order.
    pub(in crate::store) fn segments(&self) -> Vec<Segment> {
        self.files().segments.iter().cloned().collect()
    }

    /// Whether the log has this segment.
    pub(in crate::store) fn has(&self, id: u64) -> bool {
        self.files().segments.iter().any(|segment| segment.id == id)
    }

    /// Returns how much longer a frame is after sealing.
    pub(super) fn seal_growth(&self) -> usize {
        if self.sealing.is_some() { SEALED_GROWTH_BYTES } else { 0 }
    }

    /// Returns the bytes and number of the segment files.
    pub(in crate::store) fn size(&self) -> (u64, usize) {
        let files = self.files();
        (files.segments.iter().map(|segment| segment.file_bytes).sum(), files.segments.len())
    }

    /// Makes new segments get ids above this one.
    pub(in crate::store) fn skip_ids(&self, last_id: u64) {
        let mut files = self.files();
        files.next_id = files.next_id.max(last_id.saturating_add(1));
    }

    /// Begins a new segment with space for `bytes_min`. Everything before it must be durable. `named` is called when
    /// its name is durable. Until then the previous segment stays the last one, which is never trimmed.
    pub(super) fn begin_segment(
        &self,
        first_sequence: u64,
        bytes_min: u64,
        named: impl FnOnce(&Segment) -> Result<(), StoreError>,
    ) -> Result<Segment, StoreError> {
        let spare = if bytes_min <= self.segment_bytes { self.files().spares.pop() } else { None };
        let (spare_id, file) = match spare {
            Some(spare) => spare,
            // Without a spare file, writing is slower until the next segment, but no write waits for zeros now.
            None => self.create_spare(self.segment_bytes.max(bytes_min))?,
        };
        let from = spare_name(spare_id);
        let file_bytes = file.len().map_err(StoreError::io("measure", &from))?;
        let id = self.new_id();
        let seal = Seal::new(id, self.sealing.as_ref())?;
        let marks = Marks::new(first_sequence, FRAMES_START);
        let mut segment = Segment { id, first_sequence, seal, file, file_bytes, identity: None, marks };
        segment.write_header(&from)?;
        let to = segment_name(id);
        self.disk.rename(&from, &to).map_err(StoreError::io("rename", &from))?;
        self.sync_names()?;
        segment.identity = self.disk.identity(&to).map_err(StoreError::io("look for", &to))?;
        named(&segment)?;
        self.files().segments.push_back(segment.clone());
        Ok(segment)
    }

    fn sync_names(&self) -> Result<(), StoreError> {
        #[cfg(simulated)]
        if crate::planted::Bug::SkipsFolderSync.is_planted() {
            return Ok(());
        }
        self.disk.sync_directory().map_err(StoreError::io("sync", "the folder"))
    }

    fn new_id(&self) -> u64 {
        let mut files = self.files();
        let id = files.next_id;
        files.next_id += 1;
        id
    }

    fn create_spare(&self, bytes: u64) -> Result<(u64, Arc<dyn DiskFile>), StoreError> {
        let id = self.new_id();
        let name = spare_name(id);
        let file = self.disk.create(&name).map_err(StoreError::io("create", &name))?;
        file.set_len(bytes).map_err(StoreError::io("grow", &name))?;
        Ok((id, file))
    }

    /// Prepares a spare file if there is none. With allocated blocks, a sync need not write the file system's
    /// journal. `pause` is called between the parts.
    pub(in crate::store) fn prepare_spare(&self, mut pause: impl FnMut()) -> Result<(), StoreError> {
        if !self.files().spares.is_empty() {
            return Ok(());
        }
        let (id, file) = self.create_spare(self.segment_bytes)?;
        let name = spare_name(id);
        let zeros = vec![0; ZEROING_BYTES];
        let mut offset = 0;
        while offset < self.segment_bytes {
            let bytes =
                usize::try_from(self.segment_bytes - offset).unwrap_or(ZEROING_BYTES).min(ZEROING_BYTES);
            let piece = zeros.get(..bytes).unwrap_or_default();
            file.write_all_at(offset, piece).map_err(StoreError::io("zero", &name))?;
            file.sync_data().map_err(StoreError::io("sync", &name))?;
            offset += bytes as u64;
            pause();
        }
        self.files().spares.push((id, file));
        Ok(())
    }

    /// Removes all spare files but one, because writing has ended.
    pub(in crate::store) fn drop_spares(&self) -> Result<(), StoreError> {
        let mut spares = std::mem::take(&mut self.files().spares);
        self.files().spares.extend(spares.pop());
        for (id, _) in spares {
            let name = spare_name(id);
            self.disk.remove(&name).map_err(StoreError::io("remove", &name))?;
        }
        Ok(())
    }

    /// Returns the completely folded segments, each with the first sequence number of the next one.
    pub(in crate::store) fn folded(&self, folded_sequence: u64) -> Vec<(Segment, u64)> {
        let files = self.files();
        let next = files.segments.iter().skip(1).map(|next| next.first_sequence);
        let pairs = files.segments.iter().cloned().zip(next);
        pairs.take_while(|(_, next)| *next <= folded_sequence + 1).collect()
    }

    /// Removes the segments up to this one from the log. They are folded, and not the last. If it fails, those that
    /// still have their names stay in the log.
    pub(in crate::store) fn trim(&self, last_segment: u64) -> Result<(), StoreError> {
        let (mut trimmed, mut room) = self.take_through(last_segment);
        if trimmed.is_empty() {
            return Ok(());
        }
        let mut spares = Vec::new();
        while let Some(segment) = trimmed.pop_front() {
            let is_kept = room > 0 && segment.file_bytes == self.segment_bytes;
            if let Err(error) = self.give_up(&segment, is_kept) {
                trimmed.push_front(segment);
                self.put_back(trimmed);
                return Err(error);
            }
            if is_kept {
                spares.push((segment.id, segment.file));
                room -= 1;
            }
        }
        // A spare file gets a new header. It must not reappear under its old name.
        self.disk.sync_directory().map_err(StoreError::io("sync", "the folder"))?;
        self.files().spares.append(&mut spares);
        Ok(())
    }

    /// Removes a segment's name, and renames the file if it is kept as a spare.
    fn give_up(&self, segment: &Segment, is_kept: bool) -> Result<(), StoreError> {
        let name = segment.name();
        if is_kept {
            self.disk.rename(&name, &spare_name(segment.id)).map_err(StoreError::io("rename", &name))
        } else {
            self.disk.remove(&name).map_err(StoreError::io("remove", &name))
        }
    }

    fn put_back(&self, mut first: VecDeque<Segment>) {
        let mut files = self.files();
        first.append(&mut files.segments);
        files.segments = first;
    }

    /// Takes out the segments up to `last`. Returns them and the number of spare files that may be kept.
    fn take_through(&self, last: u64) -> (VecDeque<Segment>, usize) {
        let mut files = self.files();
        let mut taken = VecDeque::new();
        while files.segments.len() > 1 && files.segments.front().is_some_and(|first| first.id <= last) {
            taken.extend(files.segments.pop_front());
        }
        (taken, self.spares_max.saturating_sub(files.spares.len()))
    }
}
