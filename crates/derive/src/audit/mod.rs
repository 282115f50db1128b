//! Audits: derived fields are counted again from the data and compared. The expected answer is nothing.
//!
//! A recount keeps sums in memory. If there are too many, the items with derived fields are divided into parts by a hash
//! of their keys, and the tables are read once for each part.

mod fanned;
mod followed;
mod report;
mod sums;

use std::sync::Arc;

use singlet_design::Design;
use singlet_store::{Clock, Scan, Store, StoreError, SystemClock};
use singlet_values::limits::TRANSACTION_ACTIONS_MAX;

use crate::commit::{Committed, Committer};
use crate::effects::Effects;
use crate::error::DeriveError;
use crate::progress::{Progress, owner};
use crate::rules::{Rule, Rules};

use report::LISTED_MAX;
pub use report::{AuditReport, Difference};
use sums::Sums;

/// The most sums in memory: about 100 MB.
const SUMS_MAX: usize = 250_000;
/// Differences that are repaired in one transaction.
const REPAIRED_AT_ONCE: usize = 40;
const PAGE_ITEMS: u32 = 1_000;
/// The most parts. Each reads the tables twice.
const PARTS_MAX: u64 = 4_096;

/// Audits the derived fields of one design.
pub struct Audit<S> {
    store: S,
    design: Arc<Design>,
    environment: String,
    rules: Rules,
    owner: String,
    sums_max: usize,
    /// The time for `{now}`.
    now_ms: u64,
}

impl<S: Store> Audit<S> {
    /// An audit of the design's derived fields. `None` if it has none.
    pub fn new(store: S, design: Arc<Design>, environment: &str) -> Option<Self> {
        let rules = Rules::of(&design);
        if rules.list.is_empty() {
            return None;
        }
        let owner = owner(&design, environment);
        let environment = environment.to_owned();
        let now_ms = SystemClock.now_ms();
        Some(Audit { store, environment, rules, owner, design, sums_max: SUMS_MAX, now_ms })
    }

    /// Takes the time from this clock: counted items that have expired aren't missing.
    #[must_use]
    pub fn with_clock(mut self, clock: &dyn Clock) -> Self {
        self.now_ms = clock.now_ms();
        self
    }

    /// Keeps at most so many sums in memory, and reads the tables more often.
    #[must_use]
    pub fn with_sums_max(mut self, sums_max: usize) -> Self {
        self.sums_max = sums_max.max(1);
        self
    }

    /// Counts all derived fields again and compares them. `watch` is told how many items were read.
    ///
    /// It is exact while nothing is written and a worker has caught up. With writers, use [`Audit::confirmed`].
    pub async fn run(&self, watch: &mut (dyn FnMut(u64) + Send)) -> Result<AuditReport, DeriveError> {
        let progress = Progress::read(&self.store, &self.owner).await?;
        let mut report = AuditReport { batch: progress.batch, ..AuditReport::default() };
        for rule in self.rules.list.iter().filter(|rule| !is_ready(rule, &progress)) {
            report.filling.push(rule.name.clone());
        }
        let mut parts = 1;
        let mut part = 0;
        while part < parts {
            let mut sums = Sums::new(part, parts);
            let before = report.items;
            if !self.count(&mut sums, &progress, &mut report, watch).await? {
                // Each part becomes two. Those that are done stay done.
                report.items = before;
                parts *= 2;
                part *= 2;
                continue;
            }
            self.compare(sums, &progress, &mut report).await?;
            part += 1;
        }
        self.compare_feeds(&progress, &mut report).await?;
        Ok(report)
    }

    /// Audits twice and reports what differs in the same way both times: for stores with writers, where a first
    /// difference may be an effect that was still under way.
    pub async fn confirmed(&self, watch: &mut (dyn FnMut(u64) + Send)) -> Result<AuditReport, DeriveError> {
        let first = self.run(watch).await?;
        if first.differing == 0 {
            return Ok(first);
        }
        let mut second = self.run(watch).await?;
        second.differences.retain(|difference| first.differences.contains(difference));
        if first.differing <= LISTED_MAX as u64 {
            second.differing = second.differences.len() as u64;
        }
        Ok(second)
    }

    /// Gives the fields of a report their correct values. Returns how many differences it repaired; items that can't take
    /// their values keep theirs.
    ///
    /// It is refused if a worker has written something since the audit: the worker may have taken in what the audit missed.
    /// Where a worker runs, rebuild the fields instead.
    pub async fn repair(&self, report: &AuditReport) -> Result<u64, DeriveError> {
        let (mut repaired, mut batch) = (0, report.batch);
        for some in report.differences.chunks(REPAIRED_AT_ONCE) {
            let progress = Progress::read(&self.store, &self.owner).await?;
            if progress.batch != batch {
                return Err(overtaken());
            }
            let mut effects = Effects::default();
            for difference in some {
                let Some(entity) = self.design.entity(&difference.entity) else { continue };
                if let Some(pair) = &difference.pair {
                    effects.pair(difference.at, pair.clone());
                    continue;
                }
                let missing = (difference.at, &difference.missing);
                effects.add((entity, difference.key.clone()), difference.identity.clone(), missing)?;
            }
            let committer = Committer {
                store: &self.store,
                rules: &self.rules,
                owner: &self.owner,
                environment: &self.environment,
                now_ms: self.now_ms,
                actions_max: TRANSACTION_ACTIONS_MAX,
            };
            match committer.commit(&effects, &progress, &progress, true).await? {
                Committed::Done { progress, refused } => {
                    batch = progress.batch;
                    repaired += some.len().saturating_sub(refused) as u64;
                }
                // The items can't take their values, and are known for it.
                Committed::Nothing => {}
                Committed::Overtaken | Committed::TooLarge(_) => return Err(overtaken()),
            }
        }
        Ok(repaired)
    }

    fn scan(&self, table: &str) -> Scan {
        Scan {
            table: table.to_owned(),
            index: None,
            filter: None,
            projection: None,
            limit: Some(PAGE_ITEMS),
            start_key: None,
        }
    }

    fn table_name(&self, label: &str) -> String {
        let table = self.design.tables.iter().find(|table| table.label == label);
        table.map(|table| table.name_in(&self.environment)).unwrap_or_default()
    }
}

fn overtaken() -> DeriveError {
    StoreError::TryAgain("a worker has written since: run the audit again".to_owned()).into()
}

fn is_ready(rule: &Rule, progress: &Progress) -> bool {
    progress.rule(&rule.name).is_some_and(|state| state.is_ready)
}
