//! Checking the whole log, including the part that is in the tree.

use std::sync::Arc;

use super::super::seal::Sealing;
use super::super::{Disk, StoreError};
use super::catalogue::segment_ids;
use super::replay::SegmentScan;
use super::segment::Segment;

/// The result of a check.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::store) struct LogChecked {
    pub(in crate::store) segments: u64,
    pub(in crate::store) frames: u64,
    /// The last readable segment, and its last commit.
    pub(in crate::store) last: Option<(u64, u64)>,
}

/// Reads every frame of every segment and reports errors. `report` is called with the bytes read and the total.
pub(in crate::store) fn check(
    disk: &Arc<dyn Disk>,
    sealing: Option<&Arc<Sealing>>,
    mut wrong: impl FnMut(StoreError),
    mut report: impl FnMut(u64, u64),
) -> Result<LogChecked, StoreError> {
    let ids = segment_ids(disk.as_ref())?;
    let mut segments = Vec::new();
    let mut checked = LogChecked { segments: ids.len() as u64, frames: 0, last: None };
    for id in ids {
        match Segment::open(disk.as_ref(), sealing, id) {
            Ok(segment) => segments.push(Some(segment)),
            Err(error) => {
                wrong(error);
                segments.push(None);
            }
        }
    }
    let total: u64 = segments.iter().flatten().map(|segment| segment.file_bytes).sum();
    let mut done = 0;
    for (place, segment) in segments.iter().enumerate() {
        let Some(segment) = segment else { continue };
        // If the next segment is unreadable, the end of this one is unknown. Then its frames are read as far as they
        // go.
        let next = segments.get(place + 1).and_then(Option::as_ref);
        match check_segment(segment, next) {
            Ok(frames) => {
                checked.frames += frames;
                let last_sequence = segment.first_sequence.saturating_add(frames).saturating_sub(1);
                checked.last = Some((segment.id, last_sequence));
            }
            Err((frames, error)) => {
                checked.frames += frames;
                wrong(error);
            }
        }
        done += segment.file_bytes;
        report(done, total);
    }
    Ok(checked)
}

/// Returns the number of frames, or the number before the first invalid one.
fn check_segment(segment: &Segment, next: Option<&Segment>) -> Result<u64, (u64, StoreError)> {
    let until = next.map(|next| next.first_sequence);
    let mut scan = SegmentScan::open(segment, until).map_err(|error| (0, error))?;
    let mut frames = 0;
    loop {
        match scan.next_frame() {
            Ok(Some(_)) => frames += 1,
            Ok(None) => return Ok(frames),
            Err(error) => return Err((frames, error)),
        }
    }
}
