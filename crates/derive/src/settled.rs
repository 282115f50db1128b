//! How far everything is that follows from changes: their effects, and the effects of these.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::watch;

/// Positions in the change feeds of a design's tables, by the tables' labels.
pub type Positions = BTreeMap<String, String>;

/// The positions up to which all effects of changes are in the items. Any task may wait for them.
#[derive(Debug)]
pub struct Reached {
    /// The labels of the tables whose changes are followed.
    tables: Vec<String>,
    positions: watch::Sender<Positions>,
}

impl Reached {
    pub(crate) fn new(tables: Vec<String>) -> Self {
        Self { tables, positions: watch::Sender::default() }
    }

    /// Whether the changes of the table with this label are followed.
    pub fn follows(&self, label: &str) -> bool {
        self.tables.iter().any(|table| table == label)
    }

    /// Waits until the positions fit, for at most so long. Returns whether they do.
    pub async fn wait_until(&self, mut fit: impl FnMut(&Positions) -> bool, time: Duration) -> bool {
        let mut positions = self.positions.subscribe();
        let fitting = tokio::time::timeout(time, positions.wait_for(|positions| fit(positions)));
        matches!(fitting.await, Ok(Ok(_)))
    }

    pub(crate) fn set(&self, positions: Positions) {
        self.positions.send_if_modified(|known| {
            let is_new = *known != positions;
            *known = positions;
            is_new
        });
    }
}

/// The effects of some changes, which are followed until they have no effects of their own.
#[derive(Debug)]
pub(crate) struct Round {
    /// The changes up to there have had their first effects.
    pub(crate) reached: Positions,
    /// The latest effects are before these positions.
    pub(crate) marks: Positions,
    /// How often effects have been followed.
    pub(crate) levels: usize,
}
