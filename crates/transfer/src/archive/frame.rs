//! One batch in a file: a frame that says what is in the next one, and a frame with the lines.

use std::io::{self, Read, Seek, SeekFrom};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde::{Deserialize, Serialize};
use singlet_derive::ArchivedItem;
use singlet_wire::items::write_item_line;

/// The number of a frame to skip. The format leaves sixteen of them to everybody.
const MAGIC: u32 = 0x184D_2A5B;
const HEAD_BYTES: u64 = 8;
/// The largest summary that is accepted.
const SUMMARY_BYTES_MAX: u32 = 4096;

/// The content of a frame in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BatchSummary {
    /// The number of lines.
    pub(super) items: u64,
    /// Their length.
    pub(super) bytes: u64,
    /// The length of the frame behind it.
    pub(super) packed: u64,
    /// The time of the first and of the last deletion, in milliseconds since 1970.
    pub(super) from_ms: u64,
    pub(super) to_ms: u64,
}

/// The members of a line besides the item.
#[derive(Serialize)]
struct LineHead<'a> {
    #[serde(rename = "Entity")]
    entity: &'a str,
    #[serde(rename = "Event")]
    event: &'a str,
    #[serde(rename = "TimeMs")]
    time_ms: u64,
}

/// Returns the frames for some items.
pub(super) fn frames<'a>(items: impl Iterator<Item = &'a ArchivedItem>) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    let (mut count, mut from_ms, mut to_ms) = (0, u64::MAX, 0);
    for ArchivedItem { entity, event, time_ms, item, .. } in items {
        serde_json::to_writer(&mut lines, &LineHead { entity, event: event.word(), time_ms: *time_ms })?;
        // The item goes into the same object.
        lines.pop();
        lines.push(b',');
        let mut line = Vec::with_capacity(item.size_bytes() * 2);
        write_item_line(&mut line, item.view());
        lines.extend_from_slice(line.strip_prefix(b"{").unwrap_or(&line));
        lines.push(b'\n');
        count += 1;
        (from_ms, to_ms) = (from_ms.min(*time_ms), to_ms.max(*time_ms));
    }
    let packed = compress_to_vec(lines.as_slice(), CompressionLevel::Fastest);
    let summary = BatchSummary {
        items: count,
        bytes: lines.len() as u64,
        packed: packed.len() as u64,
        from_ms: from_ms.min(to_ms),
        to_ms,
    };
    let summary = serde_json::to_vec(&summary)?;
    let length = u32::try_from(summary.len()).map_err(io::Error::other)?;
    let head = [MAGIC.to_le_bytes(), length.to_le_bytes()];
    Ok([head.as_flattened(), &summary, &packed].concat())
}

/// Reads the summaries of a file from a position on. Returns the position after the last whole batch.
pub(super) fn summaries(
    file: &mut (impl Read + Seek),
    from: u64,
    each: &mut dyn FnMut(&BatchSummary),
) -> io::Result<u64> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut at = from;
    while let Some(summary) = summary(file, at, end)? {
        at = summary.1;
        each(&summary.0);
    }
    Ok(at)
}

/// Reads the summary at a position. Returns it with the position after its batch. `None` if the batch isn't whole.
fn summary(file: &mut (impl Read + Seek), at: u64, end: u64) -> io::Result<Option<(BatchSummary, u64)>> {
    if end.saturating_sub(at) < HEAD_BYTES {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(at))?;
    let (mut magic, mut length) = ([0; 4], [0; 4]);
    file.read_exact(&mut magic)?;
    file.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    let packed_at = at.saturating_add(HEAD_BYTES).saturating_add(u64::from(length));
    if u32::from_le_bytes(magic) != MAGIC || length > SUMMARY_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it isn't a file of an archive, or is damaged",
        ));
    }
    if packed_at > end {
        return Ok(None);
    }
    let mut bytes = vec![0; length as usize];
    file.read_exact(&mut bytes)?;
    let summary: BatchSummary = serde_json::from_slice(&bytes)?;
    let after = packed_at.saturating_add(summary.packed);
    Ok((after <= end).then_some((summary, after)))
}
