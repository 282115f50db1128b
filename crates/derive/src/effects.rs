//! The net effects of changes: what is added to the tallies of which items.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use singlet_design::Entity;
use singlet_run::derive::{key_of, with_defaults};
use singlet_store::{ItemChange, TransactAction};
use singlet_values::{EncodedItem, Item, NumberError};

use crate::error::DeriveError;
use crate::making::Making;
use crate::mark::{mark, stored_key};
use crate::pair::{Pair, PairId};
use crate::progress::Progress;
use crate::reads::encode;
use crate::removal::{Cause, Removal, Remover};
use crate::rules::{Contribution, Member, Rules};
use crate::seen::Seen;
use crate::tally::{Tallies, Tally};
use crate::task::{TaskCause, TaskStep};

/// The item whose fields are derived: its entity and its key, encoded so that keys have an order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TargetId {
    entity: String,
    key: Vec<u8>,
}

/// A change of one item.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    pub(crate) entity: Arc<Entity>,
    /// The table's key of the item.
    pub(crate) key: Item,
    /// The tallies that are added, by the place of the rule.
    pub(crate) changes: BTreeMap<usize, Tally>,
    /// The places of the rules whose values among other items must be looked for again.
    pub(crate) seeks: BTreeSet<usize>,
    /// Whether all of them must, because something else about the item may have changed.
    pub(crate) seeks_all: bool,
    /// The fields in the key of the item, if the item is made when something counts for it.
    pub(crate) identity: Option<Item>,
}

/// The place of a rule that makes items, and the position in the feed of the new item that causes it.
pub(crate) type MakingId = (usize, String);

/// A part of effects that can be refused without the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part<'e> {
    /// The effect on an item.
    Target(&'e TargetId),
    /// An item that is made.
    Made(&'e MakingId),
    /// An item that is deleted.
    Removed(&'e TargetId),
    /// An entry of an item and a match.
    Paired(&'e PairId),
}

/// The effects of a batch.
#[derive(Debug, Default, Clone)]
pub(crate) struct Effects {
    pub(crate) targets: BTreeMap<TargetId, Effect>,
    /// New items from which others are made.
    pub(crate) makings: BTreeMap<MakingId, Making>,
    /// Items that may have to be deleted.
    pub(crate) removals: BTreeMap<TargetId, Removal>,
    /// Entries that have to be looked at.
    pub(crate) pairs: BTreeMap<PairId, Pair>,
    /// Further writes in the table of derived data, by their encoded keys.
    pub(crate) notes: BTreeMap<Vec<u8>, TransactAction>,
    /// New tasks, by their subjects and the encoded identities of the changed items.
    pub(crate) tasks: BTreeMap<(String, Vec<u8>), TaskCause>,
    /// The states after it of the tasks that these are effects of.
    pub(crate) steps: Vec<TaskStep>,
}

/// Whether effects were added to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merged {
    Added,
    /// They would touch too many items for one transaction.
    IsFull,
}

/// Where changes are, and what is known of them.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) progress: &'a Progress,
    /// The owner of the progress.
    pub(crate) owner: &'a str,
    /// The label of the table.
    pub(crate) table: &'a str,
    pub(crate) counts: &'a Counts<'a>,
}

/// Tells whether a rule counts a change of a source item now. During a sweep, items that it has not reached yet don't
/// count.
pub(crate) type Counts<'a> = dyn Fn(usize) -> bool + 'a;

impl Effects {
    /// Takes in one change of an item.
    pub(crate) fn take(
        &mut self,
        reading: &Reading<'_>,
        change: &ItemChange,
        seen: &mut Seen,
    ) -> Result<(), DeriveError> {
        let Reading { rules, table, counts, .. } = *reading;
        let (before, after) = (change.before.as_ref(), change.after.as_ref());
        let image = |image: Option<&EncodedItem>| match image.and_then(|item| rules.member(table, item)) {
            Some(member) => image.map(|item| Ok((member, item.decode()?))).transpose(),
            None => Ok(None),
        };
        let before = image(before).map_err(DeriveError::corrupt)?;
        let after = image(after).map_err(DeriveError::corrupt)?;
        self.copied(rules, before.as_ref(), after.as_ref(), change.time_ms);
        self.sought(rules, before.as_ref(), after.as_ref());
        self.deleted(rules, before.as_ref(), after.as_ref(), change.time_ms);
        self.made(rules, before.as_ref(), after.as_ref(), change);
        self.fanned(rules, before.as_ref(), after.as_ref(), change.time_ms);
        let own = reading.is_own(before.as_ref(), after.as_ref(), change.commit, seen);
        if own {
            self.revisit(before.as_ref(), after.as_ref());
        }
        if let Some((member, item)) = &before {
            self.contribute(rules, member, item, counts, true)?;
            if !own {
                self.restore(reading, member, item, true)?;
            }
        }
        if let Some((member, item)) = &after {
            self.contribute(rules, member, item, counts, false)?;
            if !own {
                self.restore(reading, member, item, false)?;
            }
        }
        Ok(())
    }

    /// Looks again at an item that a worker has made, for what follows from its fields, and at one for which nothing counts
    /// any more.
    fn revisit(&mut self, before: Option<&(&Member, Item)>, after: Option<&(&Member, Item)>) {
        let Some((member, item)) = after.filter(|(member, _)| member.entity.counted) else { return };
        let is_empty = Tallies::kept(item).is_none_or(|tallies| tallies.is_zero());
        if (before.is_none() || is_empty)
            && let Some(key) = own_key(&member.entity, item)
        {
            self.of(&member.entity, key).seeks_all = true;
        }
    }

    /// Takes in an item that a sweep has found.
    pub(crate) fn found(
        &mut self,
        rules: &Rules,
        table: &str,
        item: &EncodedItem,
        counts: &Counts<'_>,
    ) -> Result<(), DeriveError> {
        let Some(member) = rules.member(table, item) else { return Ok(()) };
        let item = item.decode().map_err(DeriveError::corrupt)?;
        self.contribute(rules, member, &item, counts, false)
    }

    /// Looks at an item again, so that its fields show its tallies.
    pub(crate) fn look_at(
        &mut self,
        rules: &Rules,
        table: &str,
        item: &EncodedItem,
        filling: &dyn Fn(usize) -> bool,
    ) -> Result<(), DeriveError> {
        let Some(member) = rules.member(table, item) else { return Ok(()) };
        let item = item.decode().map_err(DeriveError::corrupt)?;
        self.unfilled(rules, member, &item, filling);
        if member.own.is_empty() {
            return Ok(());
        }
        if let Some(key) = own_key(&member.entity, &item) {
            self.of(&member.entity, key).seeks_all = true;
        }
        Ok(())
    }

    /// Looks at an item by its key.
    pub(crate) fn look_under(&mut self, entity: &Arc<Entity>, key: Item) {
        self.of(entity, key);
    }

    /// Looks at an entry.
    pub(crate) fn pair(&mut self, rule: usize, pair: Pair) {
        self.pairs.insert((rule, encode(&pair.key)), pair);
    }

    /// Returns the most items that are written, apart from what waits for them.
    pub(crate) fn len(&self) -> usize {
        self.targets.len() + self.tasks.len() + self.makings.len()
    }

    /// Returns the parts that can be refused.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let parts = self.targets.keys().map(Part::Target).chain(self.makings.keys().map(Part::Made));
        parts.chain(self.removals.keys().map(Part::Removed)).chain(self.pairs.keys().map(Part::Paired))
    }

    /// Returns the parts among some that are refused first: those that nothing is lost by.
    pub(crate) fn suspects(&self, is_open: &dyn Fn(&Part<'_>) -> bool) -> Vec<Part<'_>> {
        let (first, others): (Vec<_>, Vec<_>) =
            self.parts().filter(is_open).partition(|part| !matches!(part, Part::Target(_)));
        if first.is_empty() { others } else { first }
    }

    /// Adds other effects, unless there would then be more items to write than this.
    pub(crate) fn merge(&mut self, other: Effects, targets_max: usize) -> Result<Merged, DeriveError> {
        let new = other.targets.keys().filter(|id| !self.targets.contains_key(id)).count();
        let new_tasks = other.tasks.keys().filter(|id| !self.tasks.contains_key(id)).count();
        if self.len() + new + new_tasks + other.makings.len() > targets_max && self.len() > 0 {
            return Ok(Merged::IsFull);
        }
        self.makings.extend(other.makings);
        self.tasks.extend(other.tasks);
        for (id, effect) in other.targets {
            let own = self.targets.entry(id);
            let own = own.or_insert_with(|| Effect { changes: BTreeMap::new(), ..effect.clone() });
            own.seeks_all |= effect.seeks_all;
            own.seeks.extend(&effect.seeks);
            own.identity = own.identity.take().or_else(|| effect.identity.clone());
            for (rule, tally) in &effect.changes {
                own.add(*rule, tally)?;
            }
        }
        Ok(Merged::Added)
    }

    /// Adds what is missing on an item, which is looked at as a whole.
    pub(crate) fn add(
        &mut self,
        (entity, key): (&Arc<Entity>, Item),
        identity: Option<Item>,
        (rule, tally): (usize, &Tally),
    ) -> Result<(), DeriveError> {
        let effect = self.of(entity, key);
        effect.seeks_all = true;
        identity.into_iter().for_each(|fields| effect.is_of(fields));
        Ok(effect.add(rule, tally)?)
    }

    fn contribute(
        &mut self,
        rules: &Rules,
        member: &Member,
        item: &Item,
        counts: &Counts<'_>,
        is_taken_away: bool,
    ) -> Result<(), DeriveError> {
        let seen = with_defaults(&member.entity, item);
        for Contribution { rule, key, fields, tally } in rules.contributions(member, &seen) {
            let Some(target) = rules.list.get(rule).filter(|_| counts(rule)) else { continue };
            let tally = if is_taken_away { tally.negated() } else { tally };
            let effect = self.of(&target.target, key);
            effect.add(rule, &tally)?;
            effect.is_of(fields);
        }
        Ok(())
    }

    /// Leaves tasks for the items that copy a field of a changed item.
    fn copied(
        &mut self,
        rules: &Rules,
        before: Option<&(&Member, Item)>,
        after: Option<&(&Member, Item)>,
        time_ms: u64,
    ) {
        for copier in rules.copies() {
            let is_source = |image: &&(&Member, Item)| image.0.entity.name == copier.source.name;
            let before = before.filter(is_source).map(|(_, item)| item);
            let after = after.filter(is_source).map(|(_, item)| item);
            let value = |item: Option<&Item>| item.and_then(|item| copier.value_in(item));
            if value(before) == value(after) {
                continue;
            }
            for identity in [before, after].iter().flatten().filter_map(|item| copier.identity(item)) {
                let id = (copier.reference(), encode(&identity));
                self.tasks.insert(id, TaskCause { source: identity, time_ms });
            }
        }
    }

    /// Notes the items whose highest, lowest or latest value a changed item can decide.
    fn sought(&mut self, rules: &Rules, before: Option<&(&Member, Item)>, after: Option<&(&Member, Item)>) {
        for (at, seeker) in rules.seekers() {
            let standing = |image: Option<&(&Member, Item)>| {
                image.and_then(|(member, item)| seeker.standing(&member.entity, item))
            };
            let (before, after) = (standing(before), standing(after));
            if before == after {
                continue;
            }
            for standing in [before, after].into_iter().flatten() {
                self.of(&seeker.target, standing.target).seeks.insert(at);
            }
        }
    }

    /// Leaves tasks for the items that are deleted with a deleted one.
    fn deleted(
        &mut self,
        rules: &Rules,
        before: Option<&(&Member, Item)>,
        after: Option<&(&Member, Item)>,
        time_ms: u64,
    ) {
        let Some((member, item)) = before else { return };
        let entity = member.entity.name.as_str();
        if after.is_some_and(|(known, _)| known.entity.name == entity) {
            return;
        }
        for remover in rules.removers().filter(|remover| remover.rule.parent.name == entity) {
            for child in &remover.rule.children {
                let Some(identity) = Remover::identity(child, item) else { continue };
                let id = (remover.subject(child), encode(&identity));
                self.tasks.insert(id, TaskCause { source: identity, time_ms });
            }
        }
    }

    /// Notes a deletion that may concern an item.
    pub(crate) fn remove(&mut self, entity: &Arc<Entity>, key: Item, cause: Cause) {
        let id = TargetId { entity: entity.name.clone(), key: encode(&key) };
        let fresh = || Removal { entity: entity.clone(), key, causes: Vec::new() };
        self.removals.entry(id).or_insert_with(fresh).causes.push(cause);
    }

    /// Notes the items that are to be made from a new item.
    fn made(
        &mut self,
        rules: &Rules,
        before: Option<&(&Member, Item)>,
        after: Option<&(&Member, Item)>,
        change: &ItemChange,
    ) {
        let Some((member, item)) = after else { return };
        let entity = &member.entity;
        if before.is_some_and(|(known, _)| known.entity.name == entity.name) {
            return;
        }
        for (at, _) in rules.workshops().filter(|(_, workshop)| workshop.rule.each.name == entity.name) {
            let source = with_defaults(entity, item).into_owned();
            let making = Making { source, time_ms: change.time_ms };
            self.makings.insert((at, change.position.clone()), making);
        }
    }

    /// Undoes what somebody else did to the tallies of an item: what was lost is added again, and what appeared is taken
    /// away. The item is looked at in any case, because its fields may have been changed.
    fn restore(
        &mut self,
        reading: &Reading<'_>,
        member: &Member,
        item: &Item,
        is_before: bool,
    ) -> Result<(), DeriveError> {
        if member.own.is_empty() {
            return Ok(());
        }
        let Some(key) = own_key(&member.entity, item) else { return Ok(()) };
        let mark = mark(reading.owner, &member.entity, &key);
        let tallies = Tallies::of(item, &mark).unwrap_or_default();
        let effect = self.of(&member.entity, key);
        effect.seeks_all = true;
        effect.is_of(item.clone());
        for (at, rule, aggregate) in reading.rules.aggregates_of(&member.entity.name) {
            let Some(state) = reading.progress.rule(&rule.name) else { continue };
            let tally = tallies.get(&aggregate.field, state.generation);
            effect.add(at, &if is_before { tally } else { tally.negated() })?;
        }
        Ok(())
    }

    fn of(&mut self, entity: &Arc<Entity>, key: Item) -> &mut Effect {
        let id = TargetId { entity: entity.name.clone(), key: encode(&key) };
        let fresh = || Effect {
            entity: entity.clone(),
            key,
            changes: BTreeMap::new(),
            seeks: BTreeSet::new(),
            seeks_all: false,
            identity: None,
        };
        self.targets.entry(id).or_insert_with(fresh)
    }
}

impl Effect {
    /// Notes the fields of an item that may have to be made.
    pub(crate) fn is_of(&mut self, fields: Item) {
        if self.entity.counted && self.identity.is_none() {
            self.identity = Some(fields);
        }
    }

    /// Whether the value of a rule must be looked for again.
    pub(crate) fn seeks(&self, rule: usize) -> bool {
        self.seeks_all || self.seeks.contains(&rule)
    }

    fn add(&mut self, rule: usize, tally: &Tally) -> Result<(), NumberError> {
        if tally.is_zero() {
            return Ok(());
        }
        let sum = self.changes.entry(rule).or_default().plus(tally)?;
        self.changes.insert(rule, sum);
        Ok(())
    }
}

impl Reading<'_> {
    /// Returns whether a worker made a change. It never creates an item unless it is a counted one, it never deletes one that
    /// something counts for, it names the batch that wrote the
    /// tallies before, and its batches come in their order.
    fn is_own(
        &self,
        before: Option<&(&Member, Item)>,
        after: Option<&(&Member, Item)>,
        commit: u64,
        seen: &mut Seen,
    ) -> bool {
        let Some((member, after)) = after else { return false };
        // Only items that exist because others count for them are made by a worker.
        let before = match before {
            Some((_, before)) => Some(before),
            None if member.entity.counted => None,
            None => return false,
        };
        let entity = &member.entity;
        let key = stored_key(entity, after);
        let mark = mark(self.owner, entity, &key);
        let Some(tallies) = Tallies::of(after, &mark) else { return false };
        let previous =
            before.and_then(|before| Tallies::of(before, &mark)).map_or(0, |tallies| tallies.batch);
        tallies.previous == previous && self.is_current(member, &tallies) && seen.note(tallies.batch, commit)
    }

    /// Whether tallies are of the present rules. Those of another database aren't.
    fn is_current(&self, member: &Member, tallies: &Tallies) -> bool {
        let mut aggregates = self.rules.aggregates_of(&member.entity.name).peekable();
        aggregates.peek().is_none()
            || aggregates.any(|(_, rule, aggregate)| {
                let state = self.progress.rule(&rule.name);
                state.is_some_and(|state| tallies.has(&aggregate.field, state.generation))
            })
    }
}

/// Returns the key of an item that contributions reach: its fields make the key that it has.
pub(crate) fn own_key(entity: &Entity, item: &Item) -> Option<Item> {
    key_of(entity, item).ok().filter(|key| *key == stored_key(entity, item))
}
