//! Audits: derived fields are counted again from the data and compared. The expected answer is nothing.
//!
//! A recount keeps sums in memory. If there are too many, the items with derived fields are divided into parts by a hash
//! of their keys, and the tables are read once for each part.

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_design::Design;
use singlet_run::apply::DERIVED_TABLE;
use singlet_run::derive::{key_of, with_defaults};
use singlet_store::{Scan, Store, StoreError};
use singlet_values::{AttributeValue, EncodedItem, Item, partition_hash};

use crate::commit::{Committed, Committer};
use crate::effects::Effects;
use crate::error::DeriveError;
use crate::progress::{Progress, owner};
use crate::rules::{Member, Rule, Rules};
use crate::tally::{Tallies, Tally};
use crate::waiting::{Place, Waiting};

/// The most sums in memory: about 100 MB.
const SUMS_MAX: usize = 250_000;
/// The most differences that are listed. All are counted.
const LISTED_MAX: usize = 1_000;
/// Differences that are repaired in one transaction.
const REPAIRED_AT_ONCE: usize = 40;
const PAGE_ITEMS: u32 = 1_000;
/// The most parts. Each reads the tables twice.
const PARTS_MAX: u64 = 4_096;

/// A derived field that isn't what a recount says.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The entity.
    pub entity: String,
    /// The table's key of the item.
    pub key: Item,
    /// The field.
    pub field: String,
    /// The stored value. `None` if the item has none, or if there is no such item.
    pub stored: Option<AttributeValue>,
    /// The value that it should have.
    pub correct: Option<AttributeValue>,
    /// Whether the item exists. Otherwise what waits for it is wrong.
    pub has_item: bool,
    rule: usize,
    missing: Tally,
}

/// The result of an audit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditReport {
    /// The items that were read.
    pub items: u64,
    /// The derived fields that were compared.
    pub fields: u64,
    /// The differences: all of them, listed or not.
    pub differing: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// The rules that can't be audited yet, because existing items are still being counted.
    pub filling: Vec<String>,
}

/// Audits the derived fields of one design.
pub struct Audit<S> {
    store: S,
    design: Arc<Design>,
    environment: String,
    rules: Rules,
    owner: String,
    sums_max: usize,
}

/// A place in a recount: the rule and the encoded key of the item.
type SumPlace = (usize, Vec<u8>);

/// The sums of one part of the items.
struct Sums {
    part: u64,
    parts: u64,
    counted: BTreeMap<SumPlace, Tally>,
    waiting: BTreeMap<SumPlace, Tally>,
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
        Some(Audit { store, environment, rules, owner, design, sums_max: SUMS_MAX })
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
        let mut report = AuditReport::default();
        for rule in self.rules.list.iter().filter(|rule| !is_ready(rule, &progress)) {
            report.filling.push(rule.name());
        }
        let mut parts = 1;
        let mut part = 0;
        while part < parts {
            let mut sums = Sums { part, parts, counted: BTreeMap::new(), waiting: BTreeMap::new() };
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

    /// Gives the fields of a report their correct values. Returns how many differences it repaired.
    pub async fn repair(&self, report: &AuditReport) -> Result<u64, DeriveError> {
        let mut repaired = 0;
        for some in report.differences.chunks(REPAIRED_AT_ONCE) {
            let progress = Progress::read(&self.store, &self.owner).await?;
            let mut effects = Effects::default();
            for difference in some {
                let Some(entity) = self.design.entity(&difference.entity) else { continue };
                effects.add(entity, difference.key.clone(), difference.rule, &difference.missing)?;
            }
            let committer = Committer {
                store: &self.store,
                rules: &self.rules,
                owner: &self.owner,
                environment: &self.environment,
            };
            match committer.commit(&effects, &progress, &progress, true).await? {
                Committed::Done { .. } | Committed::Nothing => repaired += some.len() as u64,
                Committed::Overtaken | Committed::TooLarge(_) => {
                    let reason = "a worker was faster: run the audit again".to_owned();
                    return Err(StoreError::TryAgain(reason).into());
                }
            }
        }
        Ok(repaired)
    }

    /// Sums up the contributions of all items to one part. Returns whether the sums fit into memory.
    async fn count(
        &self,
        sums: &mut Sums,
        progress: &Progress,
        report: &mut AuditReport,
        watch: &mut (dyn FnMut(u64) + Send),
    ) -> Result<bool, DeriveError> {
        for label in self.rules.tables() {
            let mut next = Some(self.scan(&self.table_name(label)));
            while let Some(scan) = next {
                let page = self.store.scan(scan).await?;
                for item in &page.items {
                    self.add(sums, label, item)?;
                }
                report.items += page.items.len() as u64;
                watch(report.items);
                if sums.counted.len() > self.sums_max && sums.parts < PARTS_MAX {
                    return Ok(false);
                }
                next = page.next;
            }
        }
        self.load_waiting(sums, progress).await?;
        Ok(sums.counted.len() + sums.waiting.len() <= 2 * self.sums_max || sums.parts >= PARTS_MAX)
    }

    fn add(&self, sums: &mut Sums, label: &str, item: &EncodedItem) -> Result<(), DeriveError> {
        let Some(member) = self.rules.member(label, item) else { return Ok(()) };
        let item = item.decode().map_err(DeriveError::corrupt)?;
        let seen = with_defaults(&member.entity, &item);
        for contribution in self.rules.contributions(member, &seen) {
            let key = encode(&contribution.key);
            if sums.has(&key) {
                let sum = sums.counted.entry((contribution.rule, key)).or_default();
                *sum = sum.plus(&contribution.tally)?;
            }
        }
        Ok(())
    }

    /// Reads the tallies that wait for items.
    async fn load_waiting(&self, sums: &mut Sums, progress: &Progress) -> Result<(), DeriveError> {
        let mut next = Some(self.scan(DERIVED_TABLE));
        while let Some(scan) = next {
            let page = self.store.scan(scan).await?;
            for item in &page.items {
                let item = item.decode().map_err(DeriveError::corrupt)?;
                let Some((entity, key)) = Place::read(&item, &self.owner) else { continue };
                let (waiting, key) = (Waiting::of(&item), encode(&key));
                if !sums.has(&key) {
                    continue;
                }
                for (at, rule) in self.rules_of(&entity) {
                    let Some(state) = progress.rule(&rule.name()) else { continue };
                    let tally = waiting.tallies.get(&rule.aggregate.field, state.generation);
                    if !tally.is_zero() {
                        sums.waiting.insert((at, key.clone()), tally);
                    }
                }
            }
            next = page.next;
        }
        Ok(())
    }

    async fn compare(
        &self,
        mut sums: Sums,
        progress: &Progress,
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        for label in self.rules.tables() {
            let mut next = Some(self.scan(&self.table_name(label)));
            while let Some(scan) = next {
                let page = self.store.scan(scan).await?;
                for item in &page.items {
                    let member = self.rules.member(label, item).filter(|member| !member.own.is_empty());
                    if let Some(member) = member {
                        let item = item.decode().map_err(DeriveError::corrupt)?;
                        self.compare_item(&mut sums, progress, member, &item, report)?;
                    }
                }
                next = page.next;
            }
        }
        self.compare_waiting(sums, progress, report)
    }

    fn compare_item(
        &self,
        sums: &mut Sums,
        progress: &Progress,
        member: &Member,
        item: &Item,
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        let Ok(key) = key_of(&member.entity, item) else { return Ok(()) };
        let encoded = encode(&key);
        if !sums.has(&encoded) {
            return Ok(());
        }
        let tallies = Tallies::of(item, progress.batch).unwrap_or_default();
        for (at, rule) in self.rules_of(&member.entity.name) {
            let place = (at, encoded.clone());
            let correct = sums.counted.remove(&place).unwrap_or_default();
            let waiting = sums.waiting.remove(&place).unwrap_or_default();
            let (Some(state), Some(field)) =
                (progress.rule(&rule.name()), member.entity.field(&rule.aggregate.field))
            else {
                continue;
            };
            if !state.is_ready {
                continue;
            }
            report.fields += 1;
            let stored = tallies.get(&field.name, state.generation).plus(&waiting)?;
            let missing = correct.plus(&stored.negated())?;
            let right = correct.value(field, &rule.aggregate);
            let seen = item.get(&field.name);
            // A field that was never written shows its default.
            let shown = seen.cloned().or_else(|| singlet_design::default_of(field));
            if missing.is_zero() && shown == right {
                continue;
            }
            report.add(Difference {
                entity: member.entity.name.clone(),
                key: key.clone(),
                field: field.name.clone(),
                stored: seen.cloned(),
                correct: right,
                has_item: true,
                rule: at,
                missing,
            });
        }
        Ok(())
    }

    /// Compares what waits for items that don't exist.
    fn compare_waiting(
        &self,
        sums: Sums,
        progress: &Progress,
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        let Sums { counted, mut waiting, .. } = sums;
        let counted = counted.into_iter().map(|(place, tally)| {
            let stored = waiting.remove(&place).unwrap_or_default();
            (place, tally, stored)
        });
        let counted: Vec<_> = counted.collect();
        let stale = waiting.into_iter().map(|(place, stored)| (place, Tally::default(), stored));
        for ((at, encoded), correct, stored) in counted.into_iter().chain(stale) {
            let missing = correct.plus(&stored.negated())?;
            let Some(rule) = self.rules.list.get(at).filter(|rule| is_ready(rule, progress)) else {
                continue;
            };
            let Some(field) = rule.target.field(&rule.aggregate.field) else { continue };
            if missing.is_zero() {
                continue;
            }
            let key = EncodedItem::from_bytes(encoded.into()).decode().map_err(DeriveError::corrupt)?;
            report.add(Difference {
                entity: rule.target.name.clone(),
                key,
                field: field.name.clone(),
                stored: stored.value(field, &rule.aggregate),
                correct: correct.value(field, &rule.aggregate),
                has_item: false,
                rule: at,
                missing,
            });
        }
        Ok(())
    }

    fn rules_of<'r>(&'r self, entity: &'r str) -> impl Iterator<Item = (usize, &'r Rule)> {
        self.rules.list.iter().enumerate().filter(move |(_, rule)| rule.target.name == entity)
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

impl Sums {
    fn has(&self, key: &[u8]) -> bool {
        // By the upper bits, so that a part can be cut in two.
        (u64::from(partition_hash(key)) * self.parts) >> 32 == self.part
    }
}

impl AuditReport {
    fn add(&mut self, difference: Difference) {
        self.differing += 1;
        if self.differences.len() < LISTED_MAX {
            self.differences.push(difference);
        }
    }
}

fn is_ready(rule: &Rule, progress: &Progress) -> bool {
    progress.rule(&rule.name()).is_some_and(|state| state.is_ready)
}

fn encode(key: &Item) -> Vec<u8> {
    EncodedItem::encode(key).as_bytes().to_vec()
}
