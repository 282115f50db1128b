//! One history file: a header, blocks, and an index of the blocks once the file is full.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::log::{FieldReader, put_u32, put_u64};
use super::super::{Disk, DiskFile, StoreError};
use super::block::{self, BLOCK_HEADER_BYTES, BlockHeader};
use super::{Latest, Logged};

const MAGIC: [u8; 8] = *b"SNGLTPST";
const END_MAGIC: [u8; 8] = *b"SNGLTPSE";
const FORMAT_VERSION: u32 = 1;
const HEADER_BYTES: u64 = 24;
const TRAILER_BYTES: u64 = 24;
const NAME_PREFIX: &str = "past-";

pub(super) fn name_of(id: u64) -> String {
    format!("{NAME_PREFIX}{id:016x}")
}

/// The id in the name of a history file.
pub(super) fn parse_name(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(NAME_PREFIX)?;
    (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok())?
}

/// The position of a block and its header.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockPlace {
    pub(super) offset: u64,
    pub(super) header: BlockHeader,
}

/// One history file. A change creates a new value, and readers keep theirs.
#[derive(Clone)]
pub(super) struct HistoryFile {
    pub(super) id: u64,
    file: Arc<dyn DiskFile>,
    /// The offset of the next block.
    end: u64,
    /// The last segment in it, and that segment's last commit.
    pub(super) last_segment: u64,
    pub(super) last_sequence: u64,
    /// The latest change of each group in the file.
    pub(super) groups: BTreeMap<u32, Latest>,
    /// The blocks, until the file is full. A full file has them in its index.
    open: Option<Arc<Vec<BlockPlace>>>,
}

impl HistoryFile {
    /// Creates an empty file. It counts only after something was appended.
    pub(super) fn create(disk: &dyn Disk, id: u64) -> Result<Self, StoreError> {
        let name = name_of(id);
        let file = disk.create(&name).map_err(StoreError::io("create", &name))?;
        let mut header = MAGIC.to_vec();
        put_u32(&mut header, FORMAT_VERSION);
        put_u64(&mut header, id);
        let sum = crc32fast::hash(&header);
        put_u32(&mut header, sum);
        file.set_len(0).map_err(StoreError::io("cut", &name))?;
        file.write_all_at(0, &header).map_err(StoreError::io("write", &name))?;
        file.sync_data().map_err(StoreError::io("sync", &name))?;
        disk.sync_directory().map_err(StoreError::io("sync", "the folder"))?;
        Ok(Self::empty(id, file))
    }

    fn empty(id: u64, file: Arc<dyn DiskFile>) -> Self {
        let (last_segment, last_sequence) = (0, 0);
        let open = Some(Arc::default());
        Self { id, file, end: HEADER_BYTES, last_segment, last_sequence, groups: BTreeMap::new(), open }
    }

    /// Opens a file; `None` if it is empty. `is_live` returns whether the log still has a segment. The kept changes
    /// of such a segment may not be durable, so they are cut off and kept again, like the rest of an interrupted
    /// append.
    pub(super) fn open(
        disk: &dyn Disk,
        id: u64,
        is_live: impl Fn(u64) -> bool,
    ) -> Result<Option<Self>, StoreError> {
        let name = name_of(id);
        let file = disk.open(&name).map_err(StoreError::io("open", &name))?;
        let bytes = file.len().map_err(StoreError::io("measure", &name))?;
        if bytes < HEADER_BYTES {
            // Its creation was interrupted, so it is empty.
            return Ok(None);
        }
        if let Err(error) = check_header(&name, id, file.as_ref()) {
            return if was_being_made(&name, id, file.as_ref(), bytes, is_live)? {
                Ok(None)
            } else {
                Err(error)
            };
        }
        match read_index(&name, file.as_ref(), bytes)? {
            Some(marks) => {
                let mut past = Self::empty(id, file);
                past.end = bytes;
                past.add(&marks);
                past.open = None;
                Ok(Some(past))
            }
            None => {
                Self::scan(id, file, bytes, is_live).map(|past| Some(past).filter(HistoryFile::holds_any))
            }
        }
    }

    fn holds_any(&self) -> bool {
        self.end > HEADER_BYTES
    }

    /// Reads the blocks of a file that isn't full, up to the last segment that is no longer in the log.
    fn scan(
        id: u64,
        file: Arc<dyn DiskFile>,
        bytes: u64,
        is_live: impl Fn(u64) -> bool,
    ) -> Result<Self, StoreError> {
        let name = name_of(id);
        let content = read_whole(&name, file.as_ref(), bytes)?;
        let mut past = Self::empty(id, file);
        let mut marks = Vec::new();
        let mut offset = HEADER_BYTES as usize;
        while let Some(header) = content.get(offset..).and_then(|rest| block::check(id, rest)) {
            marks.push(BlockPlace { offset: offset as u64, header });
            offset += header.length;
            if header.segment_done().is_some_and(|segment| !is_live(segment)) {
                past.add(&marks);
                past.open = Some(Arc::new([past.open_marks(), marks.as_slice()].concat()));
                past.end = offset as u64;
                marks.clear();
            }
        }
        // After the end there is nothing, or an interrupted append whose segment is still in the log.
        let rest = content.get(offset..).unwrap_or_default();
        if let Some(segment) = segments_done(id, rest).find(|&segment| !is_live(segment)) {
            let reason = format!("a block is damaged, though segment {segment:016x} follows");
            return Err(StoreError::corrupt(name, offset as u64, reason));
        }
        past.file.set_len(past.end).map_err(StoreError::io("cut", &name))?;
        Ok(past)
    }

    fn open_marks(&self) -> &[BlockPlace] {
        self.open.as_deref().map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, marks: &[BlockPlace]) {
        for BlockPlace { header, .. } in marks {
            match header.segment_done() {
                Some(segment) => (self.last_segment, self.last_sequence) = (segment, header.last_sequence),
                None => {
                    // Blocks of a group are in order, but times need not be.
                    let latest = Latest { sequence: header.last_sequence, time_ms: header.last_time_ms };
                    self.groups.insert(header.group, latest);
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.end
    }

    /// Whether the file is full.
    pub(super) fn is_full(&self) -> bool {
        self.open.is_none()
    }

    /// Returns the file with the durable changes of one more segment. `changes` are by group, each in order.
    pub(super) fn append(
        &self,
        segment: u64,
        last_sequence: u64,
        time_ms: u64,
        changes: &BTreeMap<u32, Vec<Logged>>,
        bytes_max: u64,
    ) -> Result<Self, StoreError> {
        let name = name_of(self.id);
        let mut out = Vec::new();
        for (&group, changes) in changes {
            block::encode(self.id, group, changes, &mut out);
        }
        // Twice, so that damage to one is noticed by the other and isn't taken for an interrupted append.
        for _ in 0..2 {
            block::encode_segment_done(self.id, segment, last_sequence, time_ms, &mut out);
        }
        let added = self.marks_in(&out);
        let mut next = self.clone();
        next.add(&added);
        let marks = [self.open_marks(), added.as_slice()].concat();
        next.end += out.len() as u64;
        self.file.write_all_at(self.end, &out).map_err(StoreError::io("write", &name))?;
        self.file.sync_data().map_err(StoreError::io("sync", &name))?;
        if next.end < bytes_max {
            next.open = Some(Arc::new(marks));
            return Ok(next);
        }
        // Only now, because an index confirms that the blocks are durable.
        let mut index = Vec::new();
        put_index(&marks, next.end, &mut index);
        self.file.write_all_at(next.end, &index).map_err(StoreError::io("write", &name))?;
        self.file.sync_data().map_err(StoreError::io("sync", &name))?;
        next.end += index.len() as u64;
        next.open = None;
        Ok(next)
    }

    /// Returns the blocks that were just encoded for the end of the file.
    fn marks_in(&self, mut encoded: &[u8]) -> Vec<BlockPlace> {
        let mut marks = Vec::new();
        let mut offset = self.end;
        while let Some((header, _)) = BlockHeader::decode(&mut FieldReader::new(encoded)) {
            marks.push(BlockPlace { offset, header });
            offset += header.length as u64;
            encoded = encoded.get(header.length..).unwrap_or_default();
        }
        marks
    }

    /// All blocks, in the order of the file.
    pub(super) fn marks(&self) -> Result<Arc<Vec<BlockPlace>>, StoreError> {
        if let Some(marks) = &self.open {
            return Ok(marks.clone());
        }
        let name = name_of(self.id);
        let marks = read_index(&name, self.file.as_ref(), self.end)?;
        marks.map(Arc::new).ok_or_else(|| StoreError::corrupt(name, self.end, "the index is damaged"))
    }

    /// The changes of a block.
    pub(super) fn read(&self, mark: &BlockPlace) -> Result<Vec<Logged>, StoreError> {
        let name = name_of(self.id);
        let mut bytes = vec![0; mark.header.length];
        self.file.read_exact_at(mark.offset, &mut bytes).map_err(StoreError::io("read", &name))?;
        let is_right = block::check(self.id, &bytes) == Some(mark.header);
        let changes = is_right.then(|| block::decode(&bytes)).flatten();
        changes.ok_or_else(|| StoreError::corrupt(name, mark.offset, "the block's checksum is wrong"))
    }
}

fn read_whole(name: &str, file: &dyn DiskFile, bytes: u64) -> Result<Vec<u8>, StoreError> {
    let mut content = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
    file.read_exact_at(0, &mut content).map_err(StoreError::io("read", name))?;
    Ok(content)
}

/// Whether a file without a header was being created. Then the log has everything in it.
fn was_being_made(
    name: &str,
    id: u64,
    file: &dyn DiskFile,
    bytes: u64,
    is_live: impl Fn(u64) -> bool,
) -> Result<bool, StoreError> {
    let content = read_whole(name, file, bytes)?;
    let has_header = content.iter().take(HEADER_BYTES as usize).any(|byte| *byte != 0);
    Ok(!has_header && segments_done(id, &content).all(is_live))
}

/// Returns the segments that complete blocks anywhere in `bytes` mark as complete.
fn segments_done(id: u64, bytes: &[u8]) -> impl Iterator<Item = u64> {
    (0..bytes.len()).filter_map(move |offset| {
        let rest = bytes.get(offset..)?;
        // Checked first, because it is cheap. Checksums at every offset would take long.
        BlockHeader::decode(&mut FieldReader::new(rest))?.0.segment_done()?;
        block::check(id, rest)?.segment_done()
    })
}

fn check_header(name: &str, id: u64, file: &dyn DiskFile) -> Result<(), StoreError> {
    let mut header = [0; HEADER_BYTES as usize];
    file.read_exact_at(0, &mut header).map_err(StoreError::io("read", name))?;
    let mut reader = FieldReader::new(header.get(8..).unwrap_or_default());
    let (version, found, sum) = (reader.u32(), reader.u64(), reader.u32());
    if !header.starts_with(&MAGIC) {
        return Err(StoreError::corrupt(name, 0, "this isn't a history file"));
    }
    if let Some(version) = version.filter(|&version| version != FORMAT_VERSION) {
        let (found, known) = (version.into(), FORMAT_VERSION.into());
        return Err(StoreError::UnknownVersion { file: name.into(), found, known });
    }
    if found != Some(id) || sum != Some(crc32fast::hash(header.get(..20).unwrap_or_default())) {
        return Err(StoreError::corrupt(name, 0, "the checksum of the header is wrong"));
    }
    Ok(())
}

/// Appends the index of a full file, and its offset at the end.
fn put_index(marks: &[BlockPlace], index_offset: u64, out: &mut Vec<u8>) {
    let mut index = Vec::with_capacity(marks.len() * (8 + BLOCK_HEADER_BYTES));
    for mark in marks {
        put_u64(&mut index, mark.offset);
        mark.header.encode(&mut index);
    }
    let sum = crc32fast::hash(&index);
    out.append(&mut index);
    out.extend_from_slice(&END_MAGIC);
    put_u64(out, index_offset);
    put_u32(out, u32::try_from(marks.len()).unwrap_or(u32::MAX));
    put_u32(out, sum);
}

/// Reads the index of a full file; `None` if the file isn't full.
fn read_index(name: &str, file: &dyn DiskFile, bytes: u64) -> Result<Option<Vec<BlockPlace>>, StoreError> {
    if bytes < HEADER_BYTES + TRAILER_BYTES {
        return Ok(None);
    }
    let mut trailer = [0; TRAILER_BYTES as usize];
    file.read_exact_at(bytes - TRAILER_BYTES, &mut trailer).map_err(StoreError::io("read", name))?;
    let mut reader = FieldReader::new(trailer.get(8..).unwrap_or_default());
    let (Some(offset), Some(count), Some(sum)) = (reader.u64(), reader.u32(), reader.u32()) else {
        return Ok(None);
    };
    let index_bytes = u64::from(count) * (8 + BLOCK_HEADER_BYTES as u64);
    if !trailer.starts_with(&END_MAGIC) || offset.checked_add(index_bytes) != Some(bytes - TRAILER_BYTES) {
        return Ok(None);
    }
    let mut index = vec![0; usize::try_from(index_bytes).unwrap_or(usize::MAX)];
    file.read_exact_at(offset, &mut index).map_err(StoreError::io("read", name))?;
    if crc32fast::hash(&index) != sum {
        // Its writing was interrupted, or it is damaged. The blocks have the same information.
        return Ok(None);
    }
    let mut reader = FieldReader::new(&index);
    let marks = (0..count).map(|_| {
        let offset = reader.u64()?;
        let (header, _) = BlockHeader::decode(&mut reader)?;
        Some(BlockPlace { offset, header })
    });
    Ok(marks.collect())
}
