//! Reading change feeds for one outlet, with positions of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use singlet_design::Design;
use singlet_expr::{Condition, Path};
use singlet_run::apply::DERIVED_TABLE;
use singlet_run::{Entropy, SystemEntropy};
use singlet_store::{
    Cancellation, ChangeFeed, ChangeReader, FeedStart, GetItem, ItemChange, PutItem, ReturnItem, Store,
    StoreError, TransactAction, TransactWrite,
};
use singlet_values::{AttributeValue, Item};

use crate::error::DeriveError;
use crate::progress::{KIND, OWNER, owner};
use crate::tally::whole;

const VERSION: &str = "version";
const POSITIONS: &str = "positions";
const MARK: &str = "mark";
const DONE: &str = "done";
const REACHED: &str = "reached_ms";
const GAPS: &str = "gaps";
const GAP_FROM: &str = "gap_from_ms";
const GAP_TO: &str = "gap_to_ms";

/// How often an intake opens its feeds anew because others write its progress, before it gives way.
const OPENINGS_MAX: usize = 10;
/// Attempts to save while the store is busy.
const ATTEMPTS_MAX: u32 = 20;
/// Changes without an effect after which the position is saved all the same.
const UNSAVED_MAX: usize = 10_000;
/// How long one of several feeds is waited for.
const TURN: Duration = Duration::from_millis(2);

/// Changes that an outlet never saw: the feed no longer had them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The time of the last change before the gap, in milliseconds since 1970; 0 if none was seen.
    pub from_ms: u64,
    /// The time at which the gap was noticed.
    pub to_ms: u64,
}

/// How far an outlet is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutletStatus {
    /// The items that were archived, or the changes that were handed over.
    pub done: u64,
    /// How often changes were missed.
    pub gaps: u64,
    /// The last of these gaps.
    pub last_gap: Option<Gap>,
    /// Whether an outlet has ever run.
    pub has_begun: bool,
}

/// The progress of an outlet, as it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Saved {
    /// Each save expects the version before; 0 if there was none.
    version: u64,
    /// The positions in the feeds, by the labels of the tables.
    positions: BTreeMap<String, String>,
    /// A mark that the outlet chose.
    pub(super) mark: String,
    /// The time of the last change.
    reached_ms: u64,
    pub(super) status: OutletStatus,
}

/// Reads the change feeds of some tables.
pub(super) struct Intake<S: ChangeFeed> {
    pub(super) store: S,
    environment: String,
    owner: String,
    kind: String,
    /// The tables: their labels and names.
    tables: Vec<(String, String)>,
    feeds: Vec<(String, S::Reader)>,
    pub(super) saved: Saved,
    unsaved: usize,
    turn: usize,
}

/// Changes of one table.
pub(super) struct Page {
    /// The label of the table.
    pub(super) table: String,
    pub(super) changes: Vec<ItemChange>,
}

/// Returns the names of the tables of some entities, by their labels.
pub(super) fn tables<'l>(
    design: &Design,
    environment: &str,
    labels: impl Iterator<Item = &'l str>,
) -> Vec<(String, String)> {
    let mut labels: Vec<&str> = labels.collect();
    labels.sort_unstable();
    labels.dedup();
    let named = |label: &str| {
        let table = design.tables.iter().find(|table| table.label == label)?;
        Some((label.to_owned(), table.name_in(environment)))
    };
    labels.into_iter().filter_map(named).collect()
}

impl<S: ChangeFeed> Intake<S> {
    /// Opens the feeds where this outlet stopped, or at the next change if it is new.
    pub(super) async fn open(
        store: S,
        design: &Design,
        environment: &str,
        kind: String,
        tables: Vec<(String, String)>,
        now_ms: u64,
    ) -> Result<Self, DeriveError> {
        let owner = owner(design, environment);
        let (feeds, saved) = (Vec::new(), Saved::default());
        let environment = environment.to_owned();
        let mut intake =
            Intake { store, environment, owner, kind, tables, feeds, saved, unsaved: 0, turn: 0 };
        intake.reopen(now_ms, None).await?;
        Ok(intake)
    }

    /// Starts from what is saved. The feed of the table `gap` has ended, and goes on with
    /// the oldest change that is kept.
    pub(super) async fn reopen(&mut self, now_ms: u64, gap: Option<&str>) -> Result<(), DeriveError> {
        for _ in 0..OPENINGS_MAX {
            let saved = Saved::read(&self.store, &self.owner, &self.kind).await?;
            let mut next = saved.clone();
            let mut feeds = Vec::new();
            for (label, name) in &self.tables {
                let known = saved.positions.get(label);
                let reader = match known.filter(|_| gap != Some(label.as_str())) {
                    Some(position) => self.store.changes(name, FeedStart::After(position.clone())).await?,
                    None => None,
                };
                if known.is_some() && reader.is_none() {
                    next.status.gaps += 1;
                    next.status.last_gap = Some(Gap { from_ms: saved.reached_ms, to_ms: now_ms });
                }
                let reader = match reader {
                    Some(reader) => reader,
                    None => {
                        // After a gap, everything that is still there. A new outlet begins with the next change.
                        let start = if known.is_some() { FeedStart::Oldest } else { FeedStart::Now };
                        self.store.changes(name, start).await?.ok_or_else(|| no_feed(name))?
                    }
                };
                next.positions.insert(label.clone(), reader.position());
                feeds.push((label.clone(), reader));
            }
            if next.mark.is_empty() {
                next.mark = new_mark();
            }
            // Positions of tables that are no longer followed would be gaps later.
            next.positions.retain(|label, _| feeds.iter().any(|(known, _)| known == label));
            if next.positions != saved.positions || next.status != saved.status {
                let has_gap = next.status.gaps > saved.status.gaps;
                match self.write(&saved, next, Vec::new()).await? {
                    Some(written) => self.saved = written,
                    None => continue,
                }
                if has_gap {
                    tracing::error!(
                        outlet = self.kind,
                        environment = self.environment,
                        "changes were missed: the change feed keeps them for 24 hours, and this worker was off longer"
                    );
                }
            } else {
                self.saved = saved;
            }
            (self.feeds, self.unsaved) = (feeds, 0);
            return Ok(());
        }
        Err(StoreError::TryAgain("other workers change the progress all the time".to_owned()).into())
    }

    /// Returns the next changes of one table. Empty after the wait, if there are none in any.
    pub(super) async fn next(&mut self, wait: Duration, now_ms: u64) -> Result<Option<Page>, DeriveError> {
        let wait = if self.feeds.len() > 1 { wait.min(TURN) } else { wait };
        for _ in 0..self.feeds.len() {
            self.turn = (self.turn + 1) % self.feeds.len().max(1);
            let Some((label, reader)) = self.feeds.get_mut(self.turn) else { continue };
            let label = label.clone();
            match reader.next(wait).await? {
                None => self.reopen(now_ms, Some(&label)).await?,
                Some(changes) if changes.is_empty() => {}
                Some(changes) => return Ok(Some(Page { table: label, changes })),
            }
        }
        Ok(None)
    }

    /// Notes changes that had no effect. They are saved from time to time.
    pub(super) async fn pass(&mut self, table: &str, changes: &[ItemChange]) -> Result<bool, DeriveError> {
        let Some(last) = changes.last() else { return Ok(true) };
        self.saved.positions.insert(table.to_owned(), last.position.clone());
        self.saved.reached_ms = last.time_ms;
        self.unsaved += changes.len();
        if self.unsaved < UNSAVED_MAX { Ok(true) } else { self.save().await }
    }

    /// Saves the positions, if changes without an effect were passed. Returns whether nobody else has gone on meanwhile.
    pub(super) async fn save(&mut self) -> Result<bool, DeriveError> {
        if self.unsaved == 0 {
            return Ok(true);
        }
        self.commit(self.saved.clone(), Vec::new()).await
    }

    /// Returns what is to be saved after some changes of a table.
    pub(super) fn after(&self, table: &str, changes: &[ItemChange]) -> Saved {
        let mut saved = self.saved.clone();
        if let Some(last) = changes.last() {
            saved.positions.insert(table.to_owned(), last.position.clone());
            saved.reached_ms = last.time_ms;
        }
        saved
    }

    /// Saves in one transaction with other writes. Returns whether nobody else has gone on meanwhile.
    pub(super) async fn commit(
        &mut self,
        next: Saved,
        actions: Vec<TransactAction>,
    ) -> Result<bool, DeriveError> {
        let before = self.saved.clone();
        match self.write(&before, next, actions).await? {
            Some(written) => {
                (self.saved, self.unsaved) = (written, 0);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    async fn write(
        &self,
        before: &Saved,
        next: Saved,
        actions: Vec<TransactAction>,
    ) -> Result<Option<Saved>, DeriveError> {
        let next = Saved { version: before.version + 1, ..next };
        let put = TransactAction::Put(next.put(&self.owner, &self.kind, before.version));
        let actions: Vec<TransactAction> = std::iter::once(put).chain(actions).collect();
        let mut last = String::new();
        for attempt in 0..ATTEMPTS_MAX {
            let request = TransactWrite { actions: actions.clone(), token: None, yields: true };
            match self.store.transact_write(request).await {
                Ok(_) => return Ok(Some(next)),
                Err(StoreError::Cancelled { reasons })
                    if matches!(reasons.first(), Some(Cancellation::ConditionFailed { .. })) =>
                {
                    return Ok(None);
                }
                Err(StoreError::Cancelled { reasons }) if refused(&reasons).is_some() => {
                    return Err(StoreError::Refused(refused(&reasons).unwrap_or_default()).into());
                }
                Err(StoreError::Cancelled { .. }) => {
                    last = "the items of a transaction are in use".to_owned()
                }
                Err(StoreError::TryAgain(reason)) => last = reason,
                Err(error) => return Err(error.into()),
            }
            tokio::time::sleep(Duration::from_millis(u64::from(attempt))).await;
        }
        Err(StoreError::TryAgain(last).into())
    }
}

/// Returns a mark that nothing has had.
pub(super) fn new_mark() -> String {
    let mut bytes = [0; 16];
    SystemEntropy::default().fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn refused(reasons: &[Cancellation]) -> Option<String> {
    reasons.iter().find_map(|reason| match reason {
        Cancellation::Refused(reason) => Some(reason.clone()),
        _ => None,
    })
}

fn no_feed(table: &str) -> DeriveError {
    StoreError::NotFound(format!("the table {table} has no change feed: apply the design first")).into()
}

impl Saved {
    /// Reads what an outlet has saved. It begins with nothing.
    pub(super) async fn read(store: &impl Store, owner: &str, kind: &str) -> Result<Saved, DeriveError> {
        let key = Item::from([(OWNER, owner), (KIND, kind)]);
        let request = GetItem { table: DERIVED_TABLE.to_owned(), key, consistent: true, projection: None };
        let Some(item) = store.get(request).await?.item else { return Ok(Saved::default()) };
        let item = item.decode().map_err(DeriveError::corrupt)?;
        let number = |name: &str| item.get(name).and_then(whole).unwrap_or_default();
        let text = |value: &AttributeValue| match value {
            AttributeValue::S(text) => Some(text.clone()),
            _ => None,
        };
        let positions = match item.get(POSITIONS) {
            Some(AttributeValue::M(members)) => members
                .iter()
                .filter_map(|(table, position)| Some((table.to_owned(), text(position)?)))
                .collect(),
            _ => BTreeMap::new(),
        };
        let gaps = number(GAPS);
        let last_gap = (gaps > 0).then(|| Gap { from_ms: number(GAP_FROM), to_ms: number(GAP_TO) });
        Ok(Saved {
            version: number(VERSION),
            positions,
            mark: item.get(MARK).and_then(text).unwrap_or_default(),
            reached_ms: number(REACHED),
            status: OutletStatus { done: number(DONE), gaps, last_gap, has_begun: true },
        })
    }

    fn put(&self, owner: &str, kind: &str, expected: u64) -> PutItem {
        let mut item = Item::from([(OWNER, owner), (KIND, kind)]);
        item.insert(VERSION, self.version);
        let positions = self.positions.iter();
        let positions: Item =
            positions.map(|(table, at)| (table.clone(), AttributeValue::from(at.as_str()))).collect();
        item.insert(POSITIONS, positions);
        item.insert(MARK, self.mark.as_str());
        item.insert(REACHED, self.reached_ms);
        item.insert(DONE, self.status.done);
        item.insert(GAPS, self.status.gaps);
        if let Some(gap) = self.status.last_gap {
            item.insert(GAP_FROM, gap.from_ms);
            item.insert(GAP_TO, gap.to_ms);
        }
        let version = Path::attribute(VERSION);
        let condition = match expected {
            0 => Condition::missing(version),
            _ => Condition::equal(version, AttributeValue::from(expected)),
        };
        let table = DERIVED_TABLE.to_owned();
        PutItem { table, item, condition: Some(condition), returned: ReturnItem::None }
    }
}
