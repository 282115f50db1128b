//! Entries of feeds: each stored one is compared with its item and its match, and the newest items of each match are looked
//! for.
//!
//! A match has entries of the items that are newer than its oldest entry. An older item may lack one, because a new match gets
//! entries of a limited number.

use singlet_design::Fan;
use singlet_run::apply::DERIVED_TABLE;
use singlet_run::derive::value_at;
use singlet_run::fan::{MARKED, crowd_key, is_fanned, is_match, mark_key};
use singlet_store::Store;
use singlet_values::{AttributeValue, Item};

use super::report::{AuditReport, Difference};
use super::{Audit, is_ready};
use crate::error::DeriveError;
use crate::fanner::Fanner;
use crate::pair::{Pair, ask, right_entry};
use crate::progress::Progress;
use crate::reads::{Found, Wanted};
use crate::referring::referring;
use crate::rules::Rule;
use crate::tally::Tally;

/// The field that differs if an entry is missing or too many.
const EXISTS: &str = "exists";

/// A rule under audit.
struct FeedAudit<'a> {
    rule: &'a Rule,
    at: usize,
    fanner: &'a Fanner,
}

impl FeedAudit<'_> {
    fn fan(&self) -> &Fan {
        &self.fanner.rule
    }

    fn difference(
        &self,
        pair: Pair,
        field: &str,
        (stored, correct): (Option<AttributeValue>, Option<AttributeValue>),
    ) -> Difference {
        Difference {
            entity: self.fan().entity.name.clone(),
            key: pair.key.clone(),
            field: field.to_owned(),
            stored,
            correct,
            has_item: true,
            rule: self.rule.name.clone(),
            at: self.at,
            missing: Tally::default(),
            identity: None,
            pair: Some(pair),
        }
    }
}

impl<S: Store> Audit<S> {
    /// Compares the entries of all feeds.
    pub(super) async fn compare_feeds(
        &self,
        progress: &Progress,
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        for (at, fanner) in self.rules.fanners() {
            let Some(rule) = self.rules.list.get(at).filter(|rule| is_ready(rule, progress)) else {
                continue;
            };
            let feed = FeedAudit { rule, at, fanner };
            let mut next = Some(self.scan(&self.table_name(&feed.fan().entity.table.label)));
            while let Some(scan) = next {
                let page = self.store.scan(scan).await?;
                let entries = self.of_entity(&page.items, &feed.fan().entity)?;
                self.compare_entries(&feed, &entries, report).await?;
                next = page.next;
            }
            let mut next = Some(self.scan(&self.table_name(&feed.fan().found.table.label)));
            while let Some(scan) = next {
                let page = self.store.scan(scan).await?;
                for found in self.of_entity(&page.items, &feed.fan().found)? {
                    if is_match(feed.fan(), &found) {
                        self.compare_match(&feed, &found, report).await?;
                    }
                }
                next = page.next;
            }
        }
        Ok(())
    }

    fn of_entity(
        &self,
        items: &[singlet_values::EncodedItem],
        entity: &singlet_design::Entity,
    ) -> Result<Vec<Item>, DeriveError> {
        let type_name = AttributeValue::from(entity.type_name.as_str());
        let mut found = Vec::new();
        for item in items {
            let item = item.decode().map_err(DeriveError::corrupt)?;
            if item.get(&entity.table.type_attribute) == Some(&type_name) {
                found.push(item);
            }
        }
        Ok(found)
    }

    /// Compares stored entries with their items and matches.
    async fn compare_entries(
        &self,
        feed: &FeedAudit<'_>,
        entries: &[Item],
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        let fan = feed.fan();
        let mut wanted = Wanted::default();
        let mut pairs = Vec::new();
        for entry in entries {
            let Some(pair) = Pair::stored(fan, entry) else { continue };
            let mark = self.mark_of(feed, entry);
            ask(fan, &pair, &self.environment, &mut wanted);
            mark.iter().for_each(|key| wanted.ask(DERIVED_TABLE.to_owned(), key.clone()));
            pairs.push((entry, pair, mark));
        }
        let there = wanted.read(&self.store).await?;
        for (entry, pair, mark) in pairs {
            // Entries behind a mark don't count.
            if mark.is_some_and(|key| there.get(DERIVED_TABLE, &key).is_some()) {
                continue;
            }
            report.fields += 1;
            let Ok(right) = right_entry(fan, &pair, &there, &self.environment) else { continue };
            let Some(right) = right else {
                let exists = (Some(true.into()), Some(false.into()));
                report.add(feed.difference(pair, EXISTS, exists));
                continue;
            };
            for (field, _) in &fan.set {
                let (stored, correct) = (entry.get(field), right.get(field));
                if stored != correct {
                    report.add(feed.difference(pair.clone(), field, (stored.cloned(), correct.cloned())));
                }
            }
        }
        Ok(())
    }

    /// Looks for the entries of the newest items of a match.
    async fn compare_match(
        &self,
        feed: &FeedAudit<'_>,
        found: &Item,
        report: &mut AuditReport,
    ) -> Result<(), DeriveError> {
        let fan = feed.fan();
        report.fields += 1;
        let item = fan.matches.link.iter();
        let item: Item =
            item.filter_map(|(own, theirs)| Some((own.as_str(), value_at(found, theirs)?.clone()))).collect();
        let mut wanted = Wanted::default();
        let crowd = crowd_key(&self.owner, &feed.fanner.name, fan, &item);
        let mark = mark_key(&self.owner, &feed.fanner.name, fan, found);
        for key in [&crowd, &mark].into_iter().flatten() {
            wanted.ask(DERIVED_TABLE.to_owned(), key.clone());
        }
        // Entries that expire may be gone.
        let lives = fan.entity.ttl.is_none() && fan.backfill > 0;
        let query = referring(&fan.each, &fan.items, found, &self.environment).filter(|_| lives);
        let mut pairs = Vec::new();
        if let Some(mut query) = query {
            (query.limit, query.forward) = (Some(fan.backfill), false);
            let page = self.store.query(query).await?;
            for item in self.of_entity(&page.items, &fan.each)? {
                pairs.extend(Pair::of(fan, &item, found).filter(|_| is_fanned(fan, &item)));
            }
        }
        let table = fan.entity.table.name_in(&self.environment);
        pairs.iter().for_each(|pair| wanted.ask(table.clone(), pair.key.clone()));
        let there = wanted.read(&self.store).await?;
        let noted = |key: Option<Item>| key.and_then(|key| there.get(DERIVED_TABLE, &key));
        let is_merged = noted(crowd).is_some_and(|crowd| crowd.get(MARKED) == Some(&true.into()));
        if is_merged || noted(mark).is_some() {
            return Ok(());
        }
        for pair in missing(pairs, &table, &there) {
            report.add(feed.difference(pair, EXISTS, (Some(false.into()), Some(true.into()))));
        }
        Ok(())
    }

    /// Returns the key of the mark that an entry's feed has if the entry doesn't count.
    fn mark_of(&self, feed: &FeedAudit<'_>, entry: &Item) -> Option<Item> {
        let fan = feed.fan();
        let own = fan.match_key.iter().map(|(own, field)| (own, field));
        let link = fan.matches.link.iter().zip(&fan.author).map(|((_, theirs), (_, field))| (theirs, field));
        let found = own.chain(link);
        let found: Item =
            found.filter_map(|(own, field)| Some((own.as_str(), value_at(entry, field)?.clone()))).collect();
        mark_key(&self.owner, &feed.fanner.name, fan, &found)
    }
}

/// Returns the entries that are missing among those of the newest items: the ones that are newer than an entry that is
/// there, or all if none is.
fn missing(newest_first: Vec<Pair>, table: &str, there: &Found) -> Vec<Pair> {
    let is_there = |pair: &Pair| there.get(table, &pair.key).is_some();
    let end = newest_first.iter().rposition(is_there).unwrap_or(newest_first.len());
    newest_first.into_iter().take(end).filter(|pair| !is_there(pair)).collect()
}
