//! Reading past moments for exports.
//!
//! An export creates no table. It walks the log back from the present to the moment and notes the earlier state of
//! each changed item. The present items, with these states put in, are the state at the moment. The memory for notes
//! is bounded. When it is full, only the items up to some key are noted and exported, and the walk is repeated for
//! the rest.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;

use super::Recovery;
use crate::background::Stop;
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::keyspace::RowSpace;
use crate::store::{Direction, Logged, Position, View};
use crate::table::Table;

/// The approximate memory of a noted change besides its bytes.
const ENTRY_BYTES: usize = 160;
/// The number of changes between two checks for a stop.
const LOOK_EVERY: usize = 256;

/// The change of one item between two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) old: Option<Bytes>,
    pub(crate) new: Option<Bytes>,
    /// The time of the last write in the period.
    pub(crate) written_ms: u64,
}

impl Changed {
    fn bytes(&self) -> usize {
        let bytes = |value: &Option<Bytes>| value.as_ref().map_or(0, Bytes::len);
        bytes(&self.old) + bytes(&self.new)
    }
}

/// The past of one table, as seen from a snapshot.
pub(crate) struct TablePast<'a> {
    recovery: &'a Recovery,
    view: &'a View<Catalogue>,
    items: RowSpace,
    /// The most bytes of changes that are noted at once.
    noted_bytes_max: usize,
    stop: &'a Stop,
}

/// All changes of the items between two row keys.
struct Slice {
    changes: BTreeMap<Bytes, Changed>,
    /// The beginning of the next slice.
    end: Option<Bytes>,
}

impl Recovery {
    /// Gives access to the past of a table. The caller must hold a pin.
    pub(crate) fn past<'a>(
        &'a self,
        view: &'a View<Catalogue>,
        table: &Table,
        noted_bytes_max: usize,
        stop: &'a Stop,
    ) -> TablePast<'a> {
        TablePast { recovery: self, view, items: table.items(), noted_bytes_max, stop }
    }
}

impl TablePast<'_> {
    /// Passes all items at a moment to a function, in the order of their row keys.
    pub(crate) fn items_at(&self, time_ms: u64, take: &mut dyn FnMut(&Bytes) -> Result<()>) -> Result<()> {
        self.slices(time_ms, u64::MAX, |start, slice| {
            let end = slice.end.as_deref().map_or_else(|| self.items.end(), <[u8]>::to_vec);
            let mut changes = slice.changes.into_iter().peekable();
            let rows = self.view.range(Bound::Included(start), Bound::Excluded(&end), Direction::Forward);
            for row in rows {
                let (key, item) = row?;
                while let Some((_, change)) = changes.next_if(|(changed, _)| *changed < key) {
                    take_undone(change, None, take)?;
                }
                match changes.next_if(|(changed, _)| *changed == key) {
                    Some((_, change)) => take_undone(change, Some(&item), take)?,
                    None => take(&item)?,
                }
            }
            changes.try_for_each(|(_, change)| take_undone(change, None, take))
        })
    }

    /// Passes the change of each item between two moments to a function.
    pub(crate) fn changes_between(
        &self,
        from_ms: u64,
        to_ms: u64,
        take: &mut dyn FnMut(&Changed) -> Result<()>,
    ) -> Result<()> {
        self.slices(from_ms, to_ms, |_, slice| slice.changes.values().try_for_each(&mut *take))
    }

    fn slices(
        &self,
        from_ms: u64,
        to_ms: u64,
        mut take: impl FnMut(&[u8], Slice) -> Result<()>,
    ) -> Result<()> {
        let mut start = self.items.key(&[]);
        loop {
            let slice = self.slice(from_ms, to_ms, &start)?;
            let end = slice.end.clone();
            take(&start, slice)?;
            match end {
                Some(end) => start = end,
                None => return Ok(()),
            }
        }
    }

    /// Walks back from the snapshot to the earlier moment, and notes changes from a row key on.
    fn slice(&self, from_ms: u64, to_ms: u64, start: &Bytes) -> Result<Slice> {
        let mut slice = Slice { changes: BTreeMap::new(), end: None };
        let mut bytes = 0;
        let last = Position::end_of(self.view.sequence());
        let turns = self.view.catalogue().turns();
        let store = self.recovery.shared.background.store()?;
        let changes = store.changes_before(self.items.table_number(), last);
        drop(store);
        for (count, change) in changes.enumerate() {
            if count.is_multiple_of(LOOK_EVERY) {
                self.stop.check()?;
            }
            let mut change = change?;
            change.time_ms = turns.effective_ms(change.position.sequence, change.time_ms);
            if change.time_ms <= from_ms {
                break;
            }
            let is_wanted = change.time_ms <= to_ms
                && change.key >= *start
                && slice.end.as_ref().is_none_or(|end| change.key < *end);
            if is_wanted {
                bytes += slice.note(change)?;
            }
            if bytes > self.noted_bytes_max {
                bytes = slice.halve();
            }
        }
        Ok(slice)
    }
}

/// Passes on an item as it was before a change, after checking that it is as the change left it.
fn take_undone(
    change: Changed,
    found: Option<&Bytes>,
    take: &mut dyn FnMut(&Bytes) -> Result<()>,
) -> Result<()> {
    if change.new.as_ref() != found {
        return Err(Error::HistoryGap);
    }
    change.old.as_ref().map_or(Ok(()), take)
}

impl Slice {
    /// Notes a change that precedes all noted ones. Returns an upper bound for the added bytes.
    fn note(&mut self, change: Logged) -> Result<usize> {
        // A change is a slice of a larger part of the log, which must not be kept in memory for it.
        let copied = |value: &Bytes| Bytes::copy_from_slice(value);
        let old = change.before.as_ref().map(copied);
        if let Some(noted) = self.changes.get_mut(&change.key) {
            if noted.old != change.after {
                return Err(Error::HistoryGap);
            }
            let bytes_before = noted.bytes();
            noted.old = old;
            return Ok(noted.bytes().saturating_sub(bytes_before));
        }
        let key = copied(&change.key);
        let noted = Changed { old, new: change.after.as_ref().map(copied), written_ms: change.time_ms };
        let bytes = ENTRY_BYTES + key.len() + noted.bytes();
        self.changes.insert(key, noted);
        Ok(bytes)
    }

    /// Drops the changes with the larger keys, for a later slice. Returns the remaining bytes.
    fn halve(&mut self) -> usize {
        // A single item is always kept.
        let middle = self.changes.keys().nth((self.changes.len() / 2).max(1)).cloned();
        if let Some(middle) = middle {
            self.changes.split_off(&middle);
            self.end = Some(middle);
        }
        self.changes.iter().map(|(key, noted)| ENTRY_BYTES + key.len() + noted.bytes()).sum()
    }
}
