//! Reading a few items as they were at a moment, without creating a table.
//!
//! The present items of the range are read first. Then the recorded changes of the table are gone back, the latest
//! first, and those of the range are undone. Both the items and the changes are bounded.

use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;
use singlet_values::{EncodedItem, Item, ItemRef, key_successor};

use super::Recovery;
use crate::error::{Error, Result};
use crate::request::{Past, PastItems, PastRange, ReadPast};
use crate::store::{Direction, Logged, Position};
use crate::table::{KeyProblem, Table};

/// The rows of a page: from its first row up to its end.
struct PastPage {
    start: Bound<Vec<u8>>,
    end: Bound<Vec<u8>>,
    rows: BTreeMap<Bytes, Bytes>,
    /// The key of the last item that was read, if there are more.
    next: Option<Item>,
}

impl Recovery {
    /// Reads items as they were at a moment.
    pub(crate) fn read_past(&self, request: &ReadPast) -> Result<Past> {
        let view = self.shared.background.view()?;
        let (table, time_ms) = self.source(&view, &request.table, Some(request.time_ms))?;
        let present = view.catalogue().resource(&request.table).map(|table| table.number);
        if present.ok() != Some(table.number) {
            // The table of that time was deleted, and only a restore brings it back.
            return Err(Error::SourceTableNotFound(request.table.clone()));
        }
        let _pin = self.pin(table.number, time_ms);
        let now = self.now(&view);
        let mut page = PastPage::of(&table, request)?;
        for row in view.range(bound(&page.start), bound(&page.end), Direction::Forward) {
            let (key, item) = row?;
            if page.rows.len() >= request.items_max.max(1) {
                page.cut(&table)?;
                break;
            }
            page.rows.insert(key, item);
        }
        let last = Position::end_of(view.sequence());
        // A snapshot prevents the tree from reusing its pages.
        drop(view);
        let mut changes = 0;
        for change in self.shared.background.store()?.changes_before(table.number, last) {
            let Logged { position, key, before, after, time_ms: changed_ms, .. } = change?;
            let changed_ms = now.effective_ms(position.sequence, changed_ms);
            if changed_ms <= time_ms {
                break;
            }
            if changes >= request.changes_max {
                return Ok(Past::TooManyChanges { reached_ms: changed_ms });
            }
            changes += 1;
            if page.contains(&key) {
                page.undo(key, before, after.as_ref())?;
            }
        }
        let items = page.rows.into_values().map(EncodedItem::from_bytes).collect();
        Ok(Past::Items(PastItems { items, changes, next: page.next }))
    }
}

impl PastPage {
    /// The page of a request, without its rows.
    fn of(table: &Table, request: &ReadPast) -> Result<PastPage> {
        let space = table.items();
        let (mut start, end) = match &request.range {
            PastRange::Table => (Bound::Included(space.prefix().to_vec()), Bound::Excluded(space.end())),
            PastRange::Item(key) => {
                let (row, _) = table.encode_key(key)?;
                (Bound::Included(row.to_vec()), Bound::Included(row.to_vec()))
            }
            PastRange::Partition(key) => {
                let key = EncodedItem::encode(key);
                let row = table.key.partition_row(space, key.view()).map_err(KeyProblem::in_key)?;
                let end = key_successor(&row).map_or_else(|| Bound::Excluded(space.end()), Bound::Excluded);
                (Bound::Included(row), end)
            }
        };
        if let Some(after) = &request.after {
            start = Bound::Excluded(table.encode_key(after)?.0.to_vec());
        }
        Ok(PastPage { start, end, rows: BTreeMap::new(), next: None })
    }

    /// Ends the page after the rows that it has.
    fn cut(&mut self, table: &Table) -> Result<()> {
        if let Some((row, item)) = self.rows.last_key_value() {
            self.end = Bound::Included(row.to_vec());
            self.next = Some(key_of(table, EncodedItem::from_bytes(item.clone()).view())?);
        }
        Ok(())
    }

    fn contains(&self, row: &Bytes) -> bool {
        RangeBounds::<[u8]>::contains(&(bound(&self.start), bound(&self.end)), row)
    }

    /// Takes a change back. A gap in the log is an error and never a wrong item.
    fn undo(&mut self, row: Bytes, before: Option<Bytes>, after: Option<&Bytes>) -> Result<()> {
        if self.rows.get(&row) != after {
            return Err(Error::HistoryGap);
        }
        match before {
            Some(before) => _ = self.rows.insert(row, before),
            None => _ = self.rows.remove(&row),
        }
        Ok(())
    }
}

fn bound(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

fn key_of(table: &Table, item: ItemRef<'_>) -> Result<Item> {
    let item = item.to_item().map_err(|_| Error::HistoryGap)?;
    let attributes = table.key.attributes().map(|attribute| attribute.name.as_str());
    Ok(attributes.filter_map(|name| Some((name, item.get(name)?.clone()))).collect())
}
