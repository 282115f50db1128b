//! Reading a part of the log while it is written and trimmed.

use super::super::StoreError;
use super::frame::Frame;
use super::segment::Segment;

/// Consecutive commits.
pub(in crate::store) struct Chunk {
    /// The sequence number of the first commit. The caller may not need it.
    pub(in crate::store) first_sequence: u64,
    pub(in crate::store) frames: Vec<Frame>,
}

/// Returns the part of the log with the durable commit `sequence`, and with commits up to `until`. `segments` is a
/// recent list. `None` if the commit is before all of them.
///
/// Meanwhile a segment may be trimmed and its file reused. Then the frame isn't found. The caller distinguishes this
/// from damage with a newer list.
pub(in crate::store) fn chunk_at(
    segments: &[Segment],
    sequence: u64,
    until: u64,
) -> Result<Option<Chunk>, StoreError> {
    let Some(place) = segments.iter().rposition(|segment| segment.first_sequence <= sequence) else {
        return Ok(None);
    };
    let Some(segment) = segments.get(place) else { return Ok(None) };
    let until = segments.get(place + 1).map_or(until, |next| until.min(next.first_sequence - 1));
    let Some(piece) = segment.marks.piece_with(sequence) else { return Ok(None) };
    let name = segment.name();
    let mut bytes = vec![0; usize::try_from(piece.end.saturating_sub(piece.start)).unwrap_or(usize::MAX)];
    segment.file.read_exact_at(piece.start, &mut bytes).map_err(StoreError::io("read", &name))?;

    let mut frames: Vec<Frame> = Vec::new();
    let mut rest = bytes.as_slice();
    let mut expected = piece.first_sequence;
    while expected <= until && !rest.is_empty() {
        let offset = piece.end - rest.len() as u64;
        let sealed = Frame::parse(&segment.seal, offset, rest).filter(|frame| frame.sequence == expected);
        let Some(sealed) = sealed else { break };
        rest = rest.get(sealed.length..).unwrap_or_default();
        let Some((frame, _)) = sealed.decode() else { break };
        frames.push(frame);
        expected += 1;
    }
    if expected <= sequence {
        let offset = piece.end - rest.len() as u64;
        let reason = format!("the frame is missing or not what was written (commit {expected})");
        return Err(StoreError::corrupt(name, offset, reason));
    }
    Ok(Some(Chunk { first_sequence: piece.first_sequence, frames }))
}
