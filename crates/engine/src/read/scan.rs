//! Reading a whole table or index, or one segment of it.

use singlet_values::{EncodedItem, Item};

use super::Snapshot;
use super::bounds::Bounds;
use super::page::Page;
use super::source::Source;
use crate::error::{Invalid, Result};
use crate::keyspace::RowSpace;
use crate::request::{PageOutcome, Scan, ScanSegment};
use crate::store::Direction;

/// Reads a page of a scan.
pub(crate) fn scan(view: &Snapshot, request: &Scan) -> Result<PageOutcome> {
    page(view, request)?.read(view)
}

/// Reads a page of a scan, and regularly lets other tasks of the thread run.
pub(crate) async fn scan_in_parts(view: &Snapshot, request: &Scan) -> Result<PageOutcome> {
    page(view, request)?.read_in_parts(view).await
}

/// Returns the place of an item in the order of a scan.
pub(crate) fn scan_place(view: &Snapshot, table: &str, key: &Item) -> Result<Vec<u8>> {
    let source = Source::find(view, table, None, false)?;
    let mut row = start_row(source, key, StartKeyOf::Scan)?;
    Ok(row.split_off(source.space().prefix().len()))
}

fn page<'a>(view: &'a Snapshot, request: &'a Scan) -> Result<Page<'a>> {
    let source = Source::find(view, &request.table, request.index.as_deref(), request.consistent)?;
    let mut bounds = segment_bounds(source.space(), request.segment);
    if let Some(start) = &request.start_key {
        let row = start_row(source, start, StartKeyOf::Scan)?;
        if !bounds.contain(&row) {
            return Err(match request.segment {
                Some(ScanSegment { segment, total }) => Invalid::StartKeySegment { total, segment },
                None => Invalid::StartKey,
            }
            .into());
        }
        bounds = bounds.after(row, Direction::Forward);
    }
    Ok(Page {
        source,
        bounds,
        direction: Direction::Forward,
        filter: request.filter.as_ref(),
        projection: request.projection.as_ref(),
        select: request.select,
        limit: request.limit,
        consistent: request.consistent,
    })
}

/// Rows are ordered by the hash of their partition, so equal parts of the hash range are about equal parts of the
/// data.
fn segment_bounds(space: RowSpace, segment: Option<ScanSegment>) -> Bounds {
    let Some(ScanSegment { segment, total }) = segment else {
        return Bounds::new(space.prefix().to_vec(), Some(space.end()));
    };
    let total = u64::from(total.max(1));
    let at = |segment: u64| {
        let hash = (segment << u32::BITS).div_ceil(total);
        let hash = u32::try_from(hash).ok()?;
        Some(space.key(&hash.to_be_bytes()).to_vec())
    };
    let first = at(u64::from(segment)).unwrap_or_else(|| space.end());
    let end = at(u64::from(segment) + 1).unwrap_or_else(|| space.end());
    Bounds::new(first, Some(end))
}

/// The row after which a page starts. A start key must have exactly the attributes of a cursor, with their types.
pub(super) fn start_row(source: Source<'_>, start: &Item, of: StartKeyOf) -> Result<Vec<u8>, Invalid> {
    let names = source.cursor_names();
    let mismatch = || Invalid::StartKeyDetail(Box::new(Invalid::KeyMismatch));
    if start.len() != names.len() || !names.iter().all(|name| start.contains(name)) {
        let is_table_scan = of == StartKeyOf::Scan && source.index.is_none();
        return Err(if is_table_scan { mismatch() } else { Invalid::StartKey });
    }
    let encoded = EncodedItem::encode(start);
    source.row_key(encoded.view()).map_err(|problem| match problem.in_key() {
        Invalid::KeyMismatch if of == StartKeyOf::Query && !source.key().suits(start) => Invalid::KeyMismatch,
        Invalid::KeyMismatch => mismatch(),
        detail => Invalid::StartKeyDetail(Box::new(detail)),
    })
}

/// The operation that a start key belongs to. The errors differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartKeyOf {
    Query,
    Scan,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_every_row_exactly_once() {
        let space = RowSpace::items(3);
        for total in [1, 2, 3, 7, 1000, 1_000_000] {
            for hash in [0u32, 1, 77, 1 << 31, u32::MAX - 1, u32::MAX, u32::MAX / 3, u32::MAX / 7 * 3] {
                let row = space.key(&[&hash.to_be_bytes()[..], b"part"].concat());
                let guess = (u64::from(hash) * u64::from(total)) >> 32;
                let near = guess.saturating_sub(1)..=(guess + 1).min(u64::from(total) - 1);
                let owners = near.filter(|segment| {
                    let segment = u32::try_from(*segment).unwrap();
                    segment_bounds(space, Some(ScanSegment { segment, total })).contain(&row)
                });
                assert_eq!(owners.count(), 1, "hash {hash} of {total} segments");
            }
        }
    }
}
