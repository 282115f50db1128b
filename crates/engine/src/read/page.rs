//! One page of a query or scan.

use singlet_expr::{Condition, Projection};
use singlet_values::EncodedItem;

use super::View;
use super::bounds::Bounds;
use super::get::project;
use super::source::Source;
use crate::capacity::{Consumed, ReadKind, Units};
use crate::error::Result;
use crate::request::{PageOutcome, Select};
use crate::store::Direction;

/// Most bytes that a page reads, before the filter.
const PAGE_BYTES_MAX: usize = 1024 * 1024;

/// What a page reads and what it returns of it.
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

/// What has been read so far.
#[derive(Default)]
struct Progress {
    items: Vec<EncodedItem>,
    count: usize,
    scanned_count: usize,
    bytes: usize,
    fetched_units: f64,
    last: Option<EncodedItem>,
}

impl Page<'_> {
    /// Reads the page.
    pub(super) fn read(&self, view: &View) -> Result<PageOutcome> {
        let fetch = self.source.needs_fetch(self.select, self.projection)?;
        let mut progress = Progress::default();
        for row in view.range(self.bounds.lower(), self.bounds.upper(), self.direction) {
            let (_, value) = row?;
            let item = EncodedItem::from_bytes(value);
            progress.bytes += item.size_bytes();
            progress.scanned_count += 1;
            let is_full = self.limit.is_some_and(|limit| progress.scanned_count >= limit)
                || progress.bytes >= PAGE_BYTES_MAX;
            if is_full {
                progress.last = Some(item.clone());
            }
            self.take(view, item, fetch, &mut progress)?;
            if is_full {
                break;
            }
        }
        Ok(self.outcome(progress))
    }

    /// Keeps an item if it passes the filter.
    fn take(&self, view: &View, entry: EncodedItem, fetch: bool, progress: &mut Progress) -> Result<()> {
        let item = if fetch { self.fetch(view, entry, progress)? } else { entry };
        if let Some(filter) = self.filter
            && !filter.matches(item.view())
        {
            return Ok(());
        }
        progress.count += 1;
        if self.select != Some(Select::Count) {
            progress.items.push(project(item, self.projection));
        }
        Ok(())
    }

    /// The whole item of a local index entry.
    fn fetch(&self, view: &View, entry: EncodedItem, progress: &mut Progress) -> Result<EncodedItem> {
        let table = self.source.table;
        let row = table.key.row_key(table.items(), entry.view()).map_err(crate::table::KeyProblem::in_key)?;
        let item = view.get(&row)?.map_or(entry, EncodedItem::from_bytes);
        progress.fetched_units += self.kind().units(item.size_bytes());
        Ok(item)
    }

    fn kind(&self) -> ReadKind {
        ReadKind::from_consistent(self.consistent)
    }

    fn outcome(&self, progress: Progress) -> PageOutcome {
        let mut consumed = Consumed::of(&self.source.table.name);
        let units = Units::read(self.kind().units(progress.bytes));
        match self.source.index {
            Some(index) => consumed.add_index(index.local, &index.name, units),
            None => consumed.table_units = units,
        }
        consumed.table_units.add(Units::read(progress.fetched_units));
        PageOutcome {
            items: (self.select != Some(Select::Count)).then_some(progress.items),
            count: progress.count,
            scanned_count: progress.scanned_count,
            last_key: progress.last.map(|item| self.source.cursor(item.view())),
            consumed,
        }
    }
}
