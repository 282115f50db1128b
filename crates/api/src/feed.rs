//! The change feeds of a design's tables, whichever store has them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use singlet_derive::{Positions, Reached};
use singlet_design::Design;
use singlet_store::{ChangeFeed, ChangeReader, FeedStart, ItemChange, StoreError};

use crate::problem::{Problem, ProblemKind};

/// A future that a trait object returns.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The text for a table without a feed.
const NONE: &str = "-";

/// A store with change feeds, as a trait object.
pub(crate) trait Feeds: Send + Sync {
    /// Returns the position after the latest change of a table. `None` if it has no feed.
    fn latest<'a>(&'a self, table: &'a str) -> Boxed<'a, Result<Option<String>, StoreError>>;

    /// Whether a position is the other one, or one after it.
    fn has_passed(&self, position: &str, other: &str) -> bool;

    /// Starts to read the changes of a table. `None` if the changes after the position aren't kept any more.
    fn changes<'a>(
        &'a self,
        table: &'a str,
        start: FeedStart,
    ) -> Boxed<'a, Result<Option<Box<dyn FeedReader>>, StoreError>>;
}

/// A reader of the changes of one table, as a trait object.
pub(crate) trait FeedReader: Send {
    /// Waits for the next changes and returns them in order. `None` at the end of the feed.
    fn next(&mut self, wait: Duration) -> Boxed<'_, Result<Option<Vec<ItemChange>>, StoreError>>;

    /// Returns the position after the changes that were returned so far.
    fn position(&self) -> String;

    /// Whether all changes up to a position of another reader were returned.
    fn has_reached(&self, position: &str) -> bool;
}

impl<R: ChangeReader> FeedReader for R {
    fn next(&mut self, wait: Duration) -> Boxed<'_, Result<Option<Vec<ItemChange>>, StoreError>> {
        Box::pin(ChangeReader::next(self, wait))
    }

    fn position(&self) -> String {
        ChangeReader::position(self)
    }

    fn has_reached(&self, position: &str) -> bool {
        ChangeReader::has_reached(self, position)
    }
}

impl<S: ChangeFeed> Feeds for S
where
    S::Reader: 'static,
{
    fn latest<'a>(&'a self, table: &'a str) -> Boxed<'a, Result<Option<String>, StoreError>> {
        Box::pin(self.latest_position(table))
    }

    fn has_passed(&self, position: &str, other: &str) -> bool {
        ChangeFeed::has_passed(self, position, other)
    }

    fn changes<'a>(
        &'a self,
        table: &'a str,
        start: FeedStart,
    ) -> Boxed<'a, Result<Option<Box<dyn FeedReader>>, StoreError>> {
        Box::pin(async move {
            let reader = ChangeFeed::changes(self, table, start).await?;
            Ok(reader.map(|reader| Box::new(reader) as Box<dyn FeedReader>))
        })
    }
}

/// The change feeds of a design's tables, and how far its derived data has followed them.
pub(crate) struct Following {
    feeds: Arc<dyn Feeds>,
    /// The labels of the tables and their names, in the order of the design.
    tables: Vec<(String, String)>,
    derived: Option<Arc<Reached>>,
}

impl Following {
    pub(crate) fn new(
        feeds: Arc<dyn Feeds>,
        design: &Design,
        environment: &str,
        derived: Option<Arc<Reached>>,
    ) -> Self {
        let names = design.tables.iter().map(|table| (table.label.clone(), table.name_in(environment)));
        Self { feeds, tables: names.collect(), derived }
    }

    /// The latest positions of the tables that have a feed.
    pub(crate) async fn latest(&self) -> Result<Positions, Problem> {
        let mut latest = Positions::new();
        for (label, name) in &self.tables {
            let position = self.feeds.latest(name).await.map_err(|error| {
                tracing::warn!(%error, "a change feed can't be read");
                Problem::new(ProblemKind::Busy, "the database can't be used at the moment")
            })?;
            latest.extend(position.map(|position| (label.clone(), position)));
        }
        Ok(latest)
    }

    /// The text of positions: those of all tables, in the order of the design. `None` if no table has a feed.
    pub(crate) fn text(&self, positions: &Positions) -> Option<String> {
        let one = |(label, _): &(String, String)| positions.get(label).map_or(NONE, String::as_str);
        let all: Vec<&str> = self.tables.iter().map(one).collect();
        (!positions.is_empty()).then(|| all.join(","))
    }

    /// The positions that a text names. `None` if it isn't one that this design gave.
    pub(crate) fn read(&self, text: &str) -> Option<Positions> {
        let given: Vec<&str> = text.split(',').map(str::trim).collect();
        let named = self.tables.iter().zip(&given).filter(|(_, given)| **given != NONE);
        let positions = named.map(|((label, _), position)| (label.clone(), (*position).to_owned()));
        (given.len() == self.tables.len()).then(|| positions.collect())
    }

    /// The positions that a caller gave.
    pub(crate) async fn positions(&self, text: &str) -> Result<Positions, Problem> {
        let positions = self.read(text).ok_or_else(unknown_position)?;
        let latest = self.latest().await?;
        // One that nothing has reached belongs to another database, or is made up.
        let is_known = |(label, position): (&String, &String)| {
            latest.get(label).is_some_and(|latest| self.has_passed(latest, position))
        };
        if positions.iter().all(is_known) { Ok(positions) } else { Err(unknown_position()) }
    }

    /// The labels of the tables and their names.
    pub(crate) fn tables(&self) -> &[(String, String)] {
        &self.tables
    }

    /// Whether a position is the other one, or one after it.
    pub(crate) fn has_passed(&self, position: &str, other: &str) -> bool {
        self.feeds.has_passed(position, other)
    }

    /// Starts to read the changes of a table.
    pub(crate) async fn changes(
        &self,
        table: &str,
        start: FeedStart,
    ) -> Result<Option<Box<dyn FeedReader>>, StoreError> {
        self.feeds.changes(table, start).await
    }

    /// Waits until derived data has the effects of all changes up to these positions. Returns whether it has.
    pub(crate) async fn settled(&self, positions: &Positions, time: Duration) -> bool {
        let Some(derived) = &self.derived else { return true };
        let fit = |reached: &Positions| {
            let mut awaited = positions.iter().filter(|(label, _)| derived.follows(label));
            awaited.all(|(label, position)| {
                reached.get(label).is_some_and(|reached| self.feeds.has_passed(reached, position))
            })
        };
        derived.wait_until(fit, time).await
    }
}

fn unknown_position() -> Problem {
    let detail = "`Singlet-Position` isn't a position of this database: leave it out";
    Problem::new(ProblemKind::InvalidPosition, detail)
}
