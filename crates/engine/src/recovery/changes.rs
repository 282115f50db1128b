//! Reading the recorded changes of a table, forwards and backwards.
//!
//! Changes are recorded for streams and for recovery. Both directions are bounded by the number of changes.

use singlet_values::EncodedItem;

use super::Recovery;
use crate::error::Result;
use crate::request::{ChangePosition, ChangesFrom, ReadChanges, RecordedChange};
use crate::store::{Logged, Position};

impl Recovery {
    /// Reads recorded changes of a table.
    pub(crate) fn read_changes(&self, request: &ReadChanges) -> Result<Vec<RecordedChange>> {
        let view = self.shared.background.view()?;
        let (table, now) = (view.catalogue().resource(&request.table)?.number, self.now(&view));
        let last = Position::end_of(view.sequence());
        drop(view);
        let store = self.shared.background.store()?;
        let recorded = |change: Logged| {
            let Logged { position, before, after, time_ms, .. } = change;
            let time_ms = now.effective_ms(position.sequence, time_ms);
            let [before, after] = [before, after].map(|item| item.map(EncodedItem::from_bytes));
            let position = ChangePosition { commit: position.sequence, place: position.place };
            RecordedChange { position, time_ms, before, after }
        };
        let before = match request.from {
            ChangesFrom::After(after) => {
                let changes = store.changes_after(table, logged(after)).take(request.changes_max);
                return changes.map(|change| Ok(recorded(change?))).collect();
            }
            ChangesFrom::Latest => last,
            ChangesFrom::Before(before) => logged(before),
        };
        let changes = store.changes_before(table, before).take(request.changes_max);
        changes.map(|change| Ok(recorded(change?))).collect()
    }
}

fn logged(position: ChangePosition) -> Position {
    Position { sequence: position.commit, place: position.place }
}
