//! Events that a subscriber missed.

use std::time::Duration;

use singlet_derive::Positions;
use singlet_store::{FeedStart, ItemChange, Store};

use super::LiveRead;
use super::dependency::Dependency;
use super::event::{self, EventId};
use super::group::{Kind, Reads, Touch, touch};
use super::hub::event_id;
use crate::feed::Following;

/// The changes that are read for one subscriber at most; beyond that the answer is sent anew.
const CHANGES_MAX: usize = 100_000;
/// The bytes of events that are sent to a subscriber at once at most; beyond that the answer is sent anew.
const BYTES_MAX: usize = 4 << 20;

const UNKNOWN: &str = "the last event is not one of this stream, or too old: the answer follows anew";
const TOO_MANY: &str = "too much has changed since the last event: the answer follows anew";
const OTHER: &str = "what the caller sees has changed: the answer follows anew";

/// The events for a subscriber that comes back.
pub(super) enum Replay {
    /// The events since its last one.
    Events(Vec<u8>),
    /// Its place isn't known any more, for this reason.
    Forgotten(&'static str),
}

/// Works out the events of a view after one that the subscriber has, up to the positions that all others have.
pub(super) async fn replay<S: Store>(
    reads: &Reads<'_, S>,
    (following, reached): (&Following, &Positions),
    view: &LiveRead,
    kind: &Kind,
    dependencies: &[Dependency],
    last: &EventId,
) -> Replay {
    let Some(mut positions) = following.read(&last.positions) else { return Replay::Forgotten(UNKNOWN) };
    let is_known = |(label, end): (&String, &String)| {
        positions.get(label).is_some_and(|position| following.has_passed(end, position))
    };
    if !reached.iter().all(is_known) {
        return Replay::Forgotten(UNKNOWN);
    }
    if let Some(end) = &last.rest
        && !reads.knows(view, end).await
    {
        return Replay::Forgotten(UNKNOWN);
    }
    let mut missed = Missed { reads, following, view, kind, dependencies, events: Vec::new(), changes: 0 };
    for (label, name) in following.tables() {
        if let Some(end) = reached.get(label)
            && let Err(reason) = missed.read((label, name), &mut positions, end).await
        {
            return Replay::Forgotten(reason);
        }
    }
    Replay::Events(missed.events)
}

/// The events that one subscriber missed.
struct Missed<'a, S> {
    reads: &'a Reads<'a, S>,
    following: &'a Following,
    view: &'a LiveRead,
    kind: &'a Kind,
    dependencies: &'a [Dependency],
    events: Vec<u8>,
    /// The changes that were read.
    changes: usize,
}

impl<S: Store> Missed<'_, S> {
    /// Reads the changes of a table from its position up to the end.
    async fn read(
        &mut self,
        (label, table): (&str, &str),
        positions: &mut Positions,
        end: &str,
    ) -> Result<(), &'static str> {
        let start = FeedStart::After(positions.get(label).cloned().unwrap_or_default());
        let reader = self.following.changes(table, start).await.ok().flatten();
        let mut reader = reader.ok_or(UNKNOWN)?;
        while !reader.has_reached(end) {
            let changes = reader.next(Duration::ZERO).await.ok().flatten().ok_or(UNKNOWN)?;
            if changes.is_empty() {
                break;
            }
            self.changes += changes.len();
            if self.changes > CHANGES_MAX || self.events.len() > BYTES_MAX {
                return Err(TOO_MANY);
            }
            for change in changes.iter().filter(|change| self.following.has_passed(end, &change.position)) {
                positions.insert(label.to_owned(), change.position.clone());
                self.take(table, change, positions).await?;
            }
        }
        positions.insert(label.to_owned(), end.to_owned());
        Ok(())
    }

    async fn take(
        &mut self,
        table: &str,
        change: &ItemChange,
        positions: &Positions,
    ) -> Result<(), &'static str> {
        match touch(self.kind, self.dependencies, table, change) {
            Touch::None => return Ok(()),
            Touch::Whole => return Err(OTHER),
            Touch::Item => {}
        }
        let event = self.reads.event(self.view, self.kind, change).await.map_err(|_| OTHER)?;
        if let Some((what, data)) = event {
            let id = event_id(self.following, positions, self.kind);
            self.events.extend_from_slice(&event::write(what, &id, &data));
        }
        Ok(())
    }
}
