//! Recounts: the sums of all contributions, compared with the tallies of items.

use std::collections::BTreeMap;

use singlet_design::Entity;
use singlet_run::apply::DERIVED_TABLE;
use singlet_run::derive::with_defaults;
use singlet_store::Store;
use singlet_values::{EncodedItem, Item, partition_hash};

use super::report::{AuditReport, Difference};
use super::{Audit, PARTS_MAX, is_ready};
use crate::effects::own_key;
use crate::error::DeriveError;
use crate::mark::mark;
use crate::progress::Progress;
use crate::rules::{Member, RuleKind};
use crate::search::Finds;
use crate::sources::Sources;
use crate::tally::{Tallies, Tally};
use crate::waiting::{Place, Waiting};

/// A place in a recount: the rule and the encoded key of the item.
type SumPlace = (usize, Vec<u8>);

/// The sums of one part of the items.
pub(super) struct Sums {
    part: u64,
    parts: u64,
    counted: BTreeMap<SumPlace, Tally>,
    waiting: BTreeMap<SumPlace, Tally>,
    /// The fields in the keys of items that exist because others count for them.
    identities: BTreeMap<Vec<u8>, Item>,
}

impl<S: Store> Audit<S> {
    /// Sums up the contributions of all items to one part. Returns whether the sums fit into memory.
    pub(super) async fn count(
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
                let target = self.rules.list.get(contribution.rule).map(|rule| &rule.target);
                if target.is_some_and(|target| target.counted) {
                    sums.identities.insert(key.clone(), contribution.fields);
                }
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
                for (at, rule, aggregate) in self.rules.aggregates_of(&entity) {
                    let Some(state) = progress.rule(&rule.name) else { continue };
                    let tally = waiting.tallies.get(&aggregate.field, state.generation);
                    if !tally.is_zero() {
                        sums.waiting.insert((at, key.clone()), tally);
                    }
                }
            }
            next = page.next;
        }
        Ok(())
    }

    pub(super) async fn compare(
        &self,
        mut sums: Sums,
        progress: &Progress,
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        for label in self.rules.tables() {
            let mut next = Some(self.scan(&self.table_name(label)));
            while let Some(scan) = next {
                let page = self.store.scan(scan).await?;
                let mut items: Vec<(&Member, Item)> = Vec::new();
                for item in &page.items {
                    let member = self.rules.member(label, item).filter(|member| !member.own.is_empty());
                    if let Some(member) = member {
                        items.push((member, item.decode().map_err(DeriveError::corrupt)?));
                    }
                }
                let targets = items.iter().map(|(member, item)| (&*member.entity, item));
                let mut sources = Sources::read(&self.store, &self.rules, &self.environment, targets).await?;
                sources.finds = self.finds(&sums, &items).await?;
                for (member, item) in &items {
                    self.compare_item(&mut sums, progress, (member, item, &sources), report)?;
                }
                next = page.next;
            }
        }
        self.compare_waiting(sums, progress, report)
    }

    /// Looks for the values of fields that have one value of other items.
    async fn finds(&self, sums: &Sums, items: &[(&Member, Item)]) -> Result<Finds, DeriveError> {
        let mut searches = Vec::new();
        for (member, item) in items {
            let Some(key) = own_key(&member.entity, item).filter(|key| sums.has(&encode(key))) else {
                continue;
            };
            let (entity, place) = (member.entity.name.as_str(), (&key, item));
            searches.extend(Finds::searches(&self.rules, entity, place, &self.environment, &|_| true));
        }
        Finds::all(&self.store, searches).await
    }

    fn compare_item(
        &self,
        sums: &mut Sums,
        progress: &Progress,
        (member, item, sources): (&Member, &Item, &Sources),
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        let Some(key) = own_key(&member.entity, item) else { return Ok(()) };
        let encoded = encode(&key);
        if !sums.has(&encoded) {
            return Ok(());
        }
        let tallies = Tallies::of(item, &mark(&self.owner, &member.entity, &key)).unwrap_or_default();
        for (at, rule, aggregate) in self.rules.aggregates_of(&member.entity.name) {
            let place = (at, encoded.clone());
            let correct = sums.counted.remove(&place).unwrap_or_default();
            let waiting = sums.waiting.remove(&place).unwrap_or_default();
            let (Some(state), Some(field)) =
                (progress.rule(&rule.name), member.entity.field(&aggregate.field))
            else {
                continue;
            };
            if !state.is_ready {
                continue;
            }
            report.fields += 1;
            let stored = tallies.get(&field.name, state.generation).plus(&waiting)?;
            let missing = correct.plus(&stored.negated())?;
            let right = correct.value(field, aggregate);
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
                rule: rule.name.clone(),
                identity: None,
                at,
                missing,
                pair: None,
            });
        }
        self.compare_followed(progress, member, (&key, item, sources), report);
        Ok(())
    }

    /// Whether a counted item with these fields in its key has expired.
    fn has_expired(&self, progress: &Progress, entity: &Entity, fields: &Item) -> bool {
        let sources = Sources::default();
        self.settler(progress, &sources).has_expired(entity, fields)
    }

    /// Compares what waits for items that don't exist.
    fn compare_waiting(
        &self,
        sums: Sums,
        progress: &Progress,
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        let Sums { counted, mut waiting, identities, .. } = sums;
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
            let RuleKind::Aggregate(aggregate) = &rule.kind else { continue };
            let Some(field) = rule.target.field(&aggregate.field) else { continue };
            let identity = identities.get(&encoded).cloned();
            let is_gone =
                identity.as_ref().is_some_and(|fields| self.has_expired(progress, &rule.target, fields));
            if missing.is_zero() || is_gone {
                continue;
            }
            let key = EncodedItem::from_bytes(encoded.into()).decode().map_err(DeriveError::corrupt)?;
            report.add(Difference {
                entity: rule.target.name.clone(),
                key,
                field: field.name.clone(),
                stored: stored.value(field, aggregate),
                correct: correct.value(field, aggregate),
                has_item: false,
                rule: rule.name.clone(),
                identity,
                at,
                missing,
                pair: None,
            });
        }
        Ok(())
    }
}

impl Sums {
    pub(super) fn new(part: u64, parts: u64) -> Self {
        Sums { part, parts, counted: BTreeMap::new(), waiting: BTreeMap::new(), identities: BTreeMap::new() }
    }

    fn has(&self, key: &[u8]) -> bool {
        // By the upper bits, so that a part can be cut in two.
        (u64::from(partition_hash(key)) * self.parts) >> 32 == self.part
    }
}

fn encode(key: &Item) -> Vec<u8> {
    EncodedItem::encode(key).as_bytes().to_vec()
}
