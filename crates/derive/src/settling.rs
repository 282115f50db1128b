//! Following effects until nothing follows from them.

use singlet_store::{ChangeFeed, ChangeReader};

use crate::error::DeriveError;
use crate::settled::{Positions, Round};
use crate::worker::{Step, Worker};

impl<S: ChangeFeed> Worker<S> {
    /// Notes after a step how far everything is.
    ///
    /// At the end of the feeds nothing is left. While changes keep coming, effects are followed through as many levels as
    /// there are rules: a rule never follows from itself.
    pub(crate) async fn settle(&mut self, step: Step) -> Result<(), DeriveError> {
        let reached: Positions =
            self.feeds.iter().map(|feed| (feed.table.clone(), feed.reader.position())).collect();
        if self.progress.tasks > 0 {
            // Their effects are still to come.
            self.round = None;
            return Ok(());
        }
        if !step.is_busy {
            self.round = None;
            self.settled.set(reached);
            return Ok(());
        }
        let has_passed = |round: &Round| {
            let is_there = |(table, mark): (&String, &String)| {
                self.feeds.iter().any(|feed| feed.table == *table && feed.reader.has_reached(mark))
            };
            round.marks.iter().all(is_there)
        };
        let round = match self.round.take() {
            Some(round) if !has_passed(&round) => round,
            Some(round) if round.levels >= self.rules.list.len() => {
                self.settled.set(round.reached);
                Round { reached, marks: self.latest().await?, levels: 1 }
            }
            Some(round) => Round { marks: self.latest().await?, levels: round.levels + 1, ..round },
            None => Round { reached, marks: self.latest().await?, levels: 1 },
        };
        self.round = Some(round);
        Ok(())
    }

    /// Returns the latest positions of all tables.
    async fn latest(&self) -> Result<Positions, DeriveError> {
        let mut latest = Positions::new();
        for feed in &self.feeds {
            let position = self.store.latest_position(&self.table_name(&feed.table)).await?;
            latest.extend(position.map(|position| (feed.table.clone(), position)));
        }
        Ok(latest)
    }
}
