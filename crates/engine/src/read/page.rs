//! One page of a query or scan.

use bytes::Bytes;
use singlet_expr::{Condition, Projection};
use singlet_values::{EncodedItem, Item, ItemRef};

use super::Snapshot;
use super::bounds::Bounds;
use super::source::Source;
use crate::capacity::{Consumed, ReadKind, Units};
use crate::error::Result;
use crate::pending::give_way;
use crate::request::{PAGE_BYTES_MAX, PageOutcome, Select};
use crate::store::Direction;
use crate::table::KeyProblem;

/// The number of rows after which a read in parts lets other tasks run. A page of small items has twenty thousand.
const PART_ROWS: usize = 256;

/// Capacity for a page of a few dozen small items, which most pages are.
const FIRST_BYTES: usize = 16 << 10;
const FIRST_ITEMS: usize = 32;

/// The rows that a page reads, and the part of them that it returns.
pub(super) struct Page<'a> {
    pub(super) source: Source<'a>,
    pub(super) bounds: Bounds,
    pub(super) direction: Direction,
    pub(super) filter: Option<&'a Condition>,
    pub(super) projection: Option<&'a Projection>,
    pub(super) select: Option<Select>,
    pub(super) limit: Option<usize>,
    pub(super) consistent: bool,
}

/// The state of a page.
#[derive(Default)]
struct PageProgress {
    items: Items,
    count: usize,
    scanned_count: usize,
    bytes: usize,
    fetched_units: f64,
    cursor: Option<Item>,
}

/// The items of a page, one after the other in a single allocation.
#[derive(Default)]
struct Items {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Items {
    fn push(&mut self, item: ItemRef<'_>) {
        if self.ends.is_empty() {
            self.bytes.reserve(FIRST_BYTES);
            self.ends.reserve(FIRST_ITEMS);
        }
        self.bytes.extend_from_slice(item.as_bytes());
        self.ends.push(self.bytes.len());
    }

    fn into_items(self) -> Vec<EncodedItem> {
        let bytes = Bytes::from(self.bytes);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(self.ends.iter().copied());
        spans.map(|(start, end)| EncodedItem::from_bytes(bytes.slice(start..end))).collect()
    }
}

impl Page<'_> {
    /// Reads the page.
    pub(super) fn read(&self, view: &Snapshot) -> Result<PageOutcome> {
        let fetch = self.source.needs_fetch(self.select, self.projection)?;
        let mut progress = PageProgress::default();
        self.read_part(view, &self.bounds, fetch, &mut progress, usize::MAX)?;
        Ok(self.outcome(progress))
    }

    /// Reads the page, and regularly lets other tasks of the thread run.
    pub(super) async fn read_in_parts(&self, view: &Snapshot) -> Result<PageOutcome> {
        let fetch = self.source.needs_fetch(self.select, self.projection)?;
        let mut progress = PageProgress::default();
        let mut last = self.read_part(view, &self.bounds, fetch, &mut progress, PART_ROWS)?;
        while let Some(row) = last {
            give_way().await;
            let bounds = self.bounds.clone().after(row, self.direction);
            last = self.read_part(view, &bounds, fetch, &mut progress, PART_ROWS)?;
        }
        Ok(self.outcome(progress))
    }

    /// Reads a number of rows, or to the end of the page. Returns the last row if there may be more.
    fn read_part(
        &self,
        view: &Snapshot,
        bounds: &Bounds,
        fetch: bool,
        progress: &mut PageProgress,
        rows_max: usize,
    ) -> Result<Option<Vec<u8>>> {
        let rows_until = progress.scanned_count.saturating_add(rows_max);
        let mut rows = view.range(bounds.lower(), bounds.upper(), self.direction);
        while progress.cursor.is_none() {
            let read: Option<Result<_>> = rows.read_next(|row, value| {
                self.visit(view, ItemRef::new(value), fetch, progress)?;
                let is_last = progress.scanned_count >= rows_until && progress.cursor.is_none();
                Ok(is_last.then(|| row.to_vec()))
            })?;
            let Some(visited) = read else { break };
            if let Some(last) = visited? {
                return Ok(Some(last));
            }
        }
        Ok(None)
    }

    /// Counts an item, keeps it if it passes the filter, and sets the cursor if the page is full.
    fn visit(
        &self,
        view: &Snapshot,
        item: ItemRef<'_>,
        fetch: bool,
        progress: &mut PageProgress,
    ) -> Result<()> {
        progress.bytes += item.size_bytes();
        progress.scanned_count += 1;
        let is_full = self.limit.is_some_and(|limit| progress.scanned_count >= limit)
            || progress.bytes >= PAGE_BYTES_MAX;
        if is_full {
            progress.cursor = Some(self.source.cursor(item));
        }
        if fetch {
            let whole = self.fetch(view, item, progress)?;
            self.keep(whole.as_ref().map_or(item, EncodedItem::view), progress);
        } else {
            self.keep(item, progress);
        }
        Ok(())
    }

    fn keep(&self, item: ItemRef<'_>, progress: &mut PageProgress) {
        if self.filter.is_some_and(|filter| !filter.matches(item)) {
            return;
        }
        progress.count += 1;
        if self.select == Some(Select::Count) {
            return;
        }
        match self.projection {
            Some(projection) => progress.items.push(projection.project(item).view()),
            None => progress.items.push(item),
        }
    }

    /// Returns the whole item of a local index entry.
    fn fetch(
        &self,
        view: &Snapshot,
        entry: ItemRef<'_>,
        progress: &mut PageProgress,
    ) -> Result<Option<EncodedItem>> {
        let table = self.source.table;
        let row = table.key.row_key(table.items(), entry).map_err(KeyProblem::in_key)?;
        let item = view.get(&row)?.map(EncodedItem::from_bytes);
        progress.fetched_units += self.kind().units(item.as_ref().map_or(0, EncodedItem::size_bytes));
        Ok(item)
    }

    fn kind(&self) -> ReadKind {
        ReadKind::from_consistent(self.consistent)
    }

    fn outcome(&self, progress: PageProgress) -> PageOutcome {
        let mut consumed = Consumed::of(&self.source.table.name);
        let units = Units::read(self.kind().units(progress.bytes));
        match self.source.index {
            Some(index) => consumed.add_index(index.local, &index.name, units),
            None => consumed.table_units = units,
        }
        consumed.table_units.add(Units::read(progress.fetched_units));
        PageOutcome {
            items: (self.select != Some(Select::Count)).then(|| progress.items.into_items()),
            count: progress.count,
            scanned_count: progress.scanned_count,
            last_key: progress.cursor,
            consumed,
        }
    }
}
