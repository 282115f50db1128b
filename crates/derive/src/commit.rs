//! One batch of effects and the progress after it, in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use singlet_design::Entity;
use singlet_run::apply::DERIVED_TABLE;
use singlet_store::{BatchGet, Cancellation, Store, StoreError, TransactAction, TransactWrite};
use singlet_values::{EncodedItem, Item};

use crate::effects::{Effect, Effects, TargetId};
use crate::error::DeriveError;
use crate::progress::Progress;
use crate::rules::Rules;
use crate::target::{Ground, Settler};
use crate::waiting::{Place, Waiting};

/// The most targets of a transaction of 100 actions: one action is the progress. Rarely, a target needs two.
pub(crate) const TARGETS_MAX: usize = 99;
/// The most actions of a transaction beside the progress.
const ACTIONS_MAX: usize = 99;
/// Attempts to write a batch whose items are changed meanwhile, before the worker asks for a pause.
const ATTEMPTS_MAX: u32 = 20;
/// The pause before the second attempt; later ones are longer.
const PAUSE: Duration = Duration::from_millis(1);

/// How a commit ended.
#[derive(Debug)]
pub(crate) enum Committed {
    /// The effects and the progress are durable.
    Done {
        /// The progress that was written.
        progress: Progress,
        /// The items that couldn't take their effect.
        refused: usize,
    },
    /// No item changes, and nothing was written.
    Nothing,
    /// Another worker has gone on from here.
    Overtaken,
    /// The transaction is too large: try fewer changes.
    TooLarge(String),
}

/// Commits batches.
pub(crate) struct Committer<'a, S> {
    pub(crate) store: &'a S,
    pub(crate) rules: &'a Rules,
    pub(crate) owner: &'a str,
    pub(crate) environment: &'a str,
    /// The time for `{now}`.
    pub(crate) now_ms: u64,
}

impl<S: Store> Committer<'_, S> {
    /// Writes effects and the progress after them. `before` is the progress that was read, with the batch that the
    /// transaction expects.
    pub(crate) async fn commit(
        &self,
        effects: &Effects,
        before: &Progress,
        after: &Progress,
        is_smallest: bool,
    ) -> Result<Committed, DeriveError> {
        let mut refused: BTreeMap<&TargetId, String> = BTreeMap::new();
        for attempt in 0..ATTEMPTS_MAX {
            let grounds = self.grounds(effects).await?;
            let batch = before.batch + 1;
            let after = Progress { batch, ..after.clone() };
            let settler = Settler {
                rules: self.rules,
                progress: &after,
                owner: self.owner,
                batch,
                now_ms: self.now_ms,
            };
            let mut actions = vec![TransactAction::Put(after.write(self.owner, before.batch))];
            let mut owners: Vec<&TargetId> = Vec::new();
            let mut waiting_now = 0;
            for ((id, effect), ground) in effects.targets.iter().zip(&grounds) {
                let table = effect.entity.table.name_in(self.environment);
                let reason = refused.get(id).map(String::as_str);
                let settled = settler.settle(effect, ground, &table, reason)?;
                owners.extend(settled.actions.iter().map(|_| id));
                actions.extend(settled.actions);
                waiting_now += usize::from(settled.is_refused);
            }
            if owners.is_empty() && after.sweep == before.sweep && after.rules == before.rules {
                return Ok(Committed::Nothing);
            }
            if owners.len() > ACTIONS_MAX {
                return Ok(Committed::TooLarge("too many items".to_owned()));
            }
            let request = TransactWrite { actions, token: None, yields: true };
            match self.store.transact_write(request).await {
                Ok(_) => return Ok(Committed::Done { progress: after, refused: waiting_now }),
                Err(StoreError::Cancelled { reasons }) => {
                    if let Some(Cancellation::ConditionFailed { .. }) = reasons.first() {
                        return Ok(Committed::Overtaken);
                    }
                    for (id, reason) in owners.iter().zip(reasons.iter().skip(1)) {
                        if let Cancellation::Refused(reason) = reason {
                            refused.insert(id, reason.clone());
                        }
                    }
                }
                Err(StoreError::Refused(reason)) if !is_smallest => return Ok(Committed::TooLarge(reason)),
                // One change alone is refused, and the store doesn't say for which item.
                Err(StoreError::Refused(reason)) if refused.len() < effects.targets.len() => {
                    refused.extend(effects.targets.keys().map(|id| (id, reason.clone())));
                }
                Err(StoreError::TryAgain(_)) => {}
                Err(error) => return Err(error.into()),
            }
            tokio::time::sleep(PAUSE * attempt).await;
        }
        Err(StoreError::TryAgain("the items of a batch are changed all the time".to_owned()).into())
    }

    /// Writes the progress alone.
    pub(crate) async fn save(&self, before: &Progress, after: &Progress) -> Result<Committed, DeriveError> {
        let after = Progress { batch: before.batch + 1, ..after.clone() };
        match self.store.put(after.write(self.owner, before.batch)).await {
            Ok(_) => Ok(Committed::Done { progress: after, refused: 0 }),
            Err(StoreError::ConditionFailed { .. }) => Ok(Committed::Overtaken),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads what is there for each target, in their order.
    async fn grounds(&self, effects: &Effects) -> Result<Vec<Ground>, DeriveError> {
        let mut by_table: BTreeMap<String, BTreeSet<Vec<u8>>> = BTreeMap::new();
        let mut keys: BTreeMap<Vec<u8>, Item> = BTreeMap::new();
        let mut ask = |table: String, key: Item| {
            let encoded = encode(&key);
            by_table.entry(table).or_default().insert(encoded.clone());
            keys.insert(encoded, key);
        };
        for effect in effects.targets.values() {
            ask(effect.entity.table.name_in(self.environment), effect.key.clone());
            ask(DERIVED_TABLE.to_owned(), self.place(effect).key());
        }
        let mut found: BTreeMap<(String, Vec<u8>), Item> = BTreeMap::new();
        for (table, wanted) in by_table {
            let wanted: Vec<Item> = wanted.iter().filter_map(|key| keys.get(key).cloned()).collect();
            let names: Vec<String> = wanted
                .first()
                .into_iter()
                .flat_map(|key| key.iter().map(|(name, _)| name.to_owned()))
                .collect();
            let request = BatchGet { table: table.clone(), keys: wanted, consistent: true, projection: None };
            for item in self.store.batch_get(request).await?.items {
                let item = item.decode().map_err(DeriveError::corrupt)?;
                let key = names.iter().filter_map(|name| Some((name.as_str(), item.get(name)?.clone())));
                found.insert((table.clone(), encode(&key.collect())), item);
            }
        }
        let ground = |effect: &Effect| {
            let item = found.get(&(effect.entity.table.name_in(self.environment), encode(&effect.key)));
            let waiting = found.get(&(DERIVED_TABLE.to_owned(), encode(&self.place(effect).key())));
            Ground {
                item: item.filter(|item| is_of(&effect.entity, item)).cloned(),
                waiting: waiting.map(Waiting::of),
            }
        };
        Ok(effects.targets.values().map(ground).collect())
    }

    fn place<'e>(&'e self, effect: &'e Effect) -> Place<'e> {
        Place { owner: self.owner, entity: &effect.entity, target: &effect.key }
    }
}

fn encode(key: &Item) -> Vec<u8> {
    EncodedItem::encode(key).as_bytes().to_vec()
}

/// Returns whether an item is one of an entity.
fn is_of(entity: &Entity, item: &Item) -> bool {
    let type_name = singlet_values::AttributeValue::from(entity.type_name.as_str());
    item.get(&entity.table.type_attribute) == Some(&type_name)
}
