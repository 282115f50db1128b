//! Counters and the state of derived data, for metrics and for people.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use singlet_design::Design;
use singlet_run::apply::DERIVED_TABLE;
use singlet_store::{ItemChange, Scan, Store, StoreError};
use singlet_values::Item;

use crate::error::DeriveError;
use crate::progress::{Progress, Stage, owner};
use crate::rules::{Rule, Rules};
use crate::waiting::{Place, Waiting};

/// The most items that couldn't take their effect and are listed.
const STUCK_MAX: usize = 100;

/// Counters of a worker. Any thread may read them.
#[derive(Debug, Default)]
pub struct Counters {
    changes: AtomicU64,
    batches: AtomicU64,
    effects: AtomicU64,
    refused: AtomicU64,
    failures: AtomicU64,
    /// How often an outlet missed changes.
    gaps: AtomicU64,
    /// The time of the last change that was taken in.
    reached_ms: AtomicU64,
    /// Whether there was nothing more to take in.
    is_at_the_end: AtomicBool,
}

impl Counters {
    pub(crate) fn changes(&self, changes: &[ItemChange]) {
        self.changes.fetch_add(changes.len() as u64, Ordering::Relaxed);
        if let Some(last) = changes.last() {
            self.reached_ms.store(last.time_ms, Ordering::Relaxed);
        }
    }

    pub(crate) fn batch(&self, effects: usize, refused: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.effects.fetch_add(effects as u64, Ordering::Relaxed);
        self.refused.fetch_add(refused as u64, Ordering::Relaxed);
    }

    pub(crate) fn failure(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.is_at_the_end.store(false, Ordering::Relaxed);
    }

    pub(crate) fn end(&self, is_reached: bool) {
        self.is_at_the_end.store(is_reached, Ordering::Relaxed);
    }

    pub(crate) fn gaps(&self, gaps: u64) {
        self.gaps.store(gaps, Ordering::Relaxed);
    }

    /// Returns how often an outlet missed changes, because the feed no longer had them.
    pub fn gaps_total(&self) -> u64 {
        self.gaps.load(Ordering::Relaxed)
    }

    /// Returns how often a step failed.
    pub fn failures_total(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Returns the changes of items that were taken in.
    pub fn changes_total(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Returns the transactions that were written.
    pub fn batches_total(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    /// Returns the items that effects were written to.
    pub fn effects_total(&self) -> u64 {
        self.effects.load(Ordering::Relaxed)
    }

    /// Returns the effects that items couldn't take, and that wait.
    pub fn refused_total(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Returns how old the last change is that was taken in, in milliseconds, while there are more. 0 at the end of the
    /// feed.
    pub fn lag_ms(&self, now_ms: u64) -> u64 {
        let reached_ms = self.reached_ms.load(Ordering::Relaxed);
        match self.is_at_the_end.load(Ordering::Relaxed) || reached_ms == 0 {
            true => 0,
            false => now_ms.saturating_sub(reached_ms),
        }
    }
}

/// A derived field, and how far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleStatus {
    /// Its name: `Post.likeCount`.
    pub name: String,
    /// The rule in words: `count of Like`.
    pub meaning: String,
    /// How far it is.
    pub phase: Phase,
}

/// How far a derived field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No worker has seen the rule yet.
    New,
    /// The items that are there already are being counted.
    Counting,
    /// The result is being written to the items.
    Showing,
    /// It is up to date, except for the latest changes.
    Ready,
}

/// An item that can't take its derived values.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuck {
    /// The entity.
    pub entity: String,
    /// The table's key.
    pub key: Item,
    /// The reason.
    pub reason: String,
}

/// How far the derived data of a design is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DerivedStatus {
    /// The derived fields.
    pub rules: Vec<RuleStatus>,
    /// The batches that were written.
    pub batches: u64,
    /// The changes that concern many items, and whose effects aren't complete yet.
    pub tasks: u64,
    /// The items that don't exist, but to which others belong.
    pub waiting: u64,
    /// The items that can't take their derived values: all of them, listed or not.
    pub stuck: u64,
    /// The first of these.
    pub stuck_items: Vec<Stuck>,
}

impl Phase {
    /// Returns it in a word.
    pub fn word(self) -> &'static str {
        match self {
            Phase::New => "new",
            Phase::Counting => "counting",
            Phase::Showing => "writing",
            Phase::Ready => "ready",
        }
    }
}

/// Returns the rules that the design has and no worker knows in this form: those that the next worker fills.
pub async fn unknown_rules(
    store: &impl Store,
    design: &Design,
    environment: &str,
) -> Result<Vec<String>, DeriveError> {
    let (rules, owner) = (Rules::of(design), owner(design, environment));
    if rules.list.is_empty() {
        return Ok(Vec::new());
    }
    let progress = match Progress::read(store, &owner).await {
        // The design was never applied.
        Err(StoreError::NotFound(_)) => Progress::default(),
        other => other?,
    };
    let is_known =
        |rule: &Rule| progress.rule(&rule.name).is_some_and(|known| known.fingerprint == rule.fingerprint());
    Ok(rules.list.iter().filter(|rule| !is_known(rule)).map(|rule| rule.name.clone()).collect())
}

/// Reads how far the derived data of a design is.
pub async fn status(
    store: &impl Store,
    design: &Design,
    environment: &str,
) -> Result<DerivedStatus, DeriveError> {
    let (rules, owner) = (Rules::of(design), owner(design, environment));
    let mut status = DerivedStatus::default();
    if rules.list.is_empty() {
        return Ok(status);
    }
    let progress = Progress::read(store, &owner).await?;
    status.batches = progress.batch;
    status.tasks = progress.tasks;
    for rule in &rules.list {
        let known = progress.rule(&rule.name).filter(|known| known.fingerprint == rule.fingerprint());
        let phase = match (known, &progress.sweep) {
            (None, _) => Phase::New,
            (Some(state), _) if state.is_ready => Phase::Ready,
            (Some(_), Some(sweep)) if sweep.stage == Stage::Show => Phase::Showing,
            (Some(_), _) => Phase::Counting,
        };
        status.rules.push(RuleStatus { name: rule.name.clone(), meaning: rule.meaning(), phase });
    }
    let mut next = Some(Scan {
        table: DERIVED_TABLE.to_owned(),
        index: None,
        filter: None,
        projection: None,
        limit: None,
        start_key: None,
    });
    while let Some(scan) = next {
        let page = store.scan(scan).await?;
        for item in &page.items {
            let item = item.decode().map_err(DeriveError::corrupt)?;
            let Some((entity, key)) = Place::read(&item, &owner) else { continue };
            let waiting = Waiting::of(&item);
            match waiting.reason {
                None => status.waiting += u64::from(has_some(&rules, &progress, &entity, &waiting)),
                Some(reason) => {
                    status.stuck += 1;
                    if status.stuck_items.len() < STUCK_MAX {
                        status.stuck_items.push(Stuck { entity, key, reason });
                    }
                }
            }
        }
        next = page.next;
    }
    Ok(status)
}

/// Whether what waits for an item of an entity isn't void.
fn has_some(rules: &Rules, progress: &Progress, entity: &str, waiting: &Waiting) -> bool {
    rules.aggregates_of(entity).any(|(_, rule, aggregate)| {
        let state = progress.rule(&rule.name);
        state.is_some_and(|state| !waiting.tallies.get(&aggregate.field, state.generation).is_zero())
    })
}
