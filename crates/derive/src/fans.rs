//! Working on the entries of feeds, page by page.
//!
//! A task never trusts the change that caused it: it looks at each entry anew, by the item and the match as they are. A later
//! change leaves a later task, so that the last one finds everything as it stays.

use singlet_design::{Entity, Fan, Referral};
use singlet_run::apply::DERIVED_TABLE;
use singlet_run::derive::{key_of, value_at};
use singlet_run::fan::{MARKED, MATCH, crowd_key, is_match, mark_key, match_paths, only};
use singlet_store::{ChangeFeed, DeleteItem, GetItem, PutItem, ReturnItem, TransactAction};
use singlet_values::{AttributeValue, Item};

use crate::effects::Effects;
use crate::error::DeriveError;
use crate::fanner::{Fanner, Work};
use crate::pair::Pair;
use crate::reads::encode;
use crate::referring::referring;
use crate::tally::whole;
use crate::task::{Task, TaskStep};
use crate::worker::Worker;

/// Items in one page of a count.
const COUNTED_AT_ONCE: u32 = 1_000;
const SKIPPED: &str = "skipped";
const ROOM: &str = "room";

/// One rule at work.
pub(crate) struct Fanning<'w, S: ChangeFeed> {
    pub(crate) worker: &'w Worker<S>,
    /// The place of the rule.
    pub(crate) at: usize,
    pub(crate) fanner: &'w Fanner,
}

/// The record about a source of items: whether it has too many matches.
#[derive(Debug, Clone, Copy, Default)]
struct Crowd {
    /// Whether its items are merged when entries are read, and not fanned out.
    is_merged: bool,
    /// The items that weren't fanned out so far, at most.
    skipped: u64,
    /// So many new matches can come before it can have too many.
    room: u64,
}

/// A page of items, and the place after it.
struct Items {
    list: Vec<Item>,
    after: Option<Item>,
}

impl<S: ChangeFeed> Fanning<'_, S> {
    /// Adds the effects of a page of a task, and returns what becomes of it.
    pub(crate) async fn page(
        &self,
        task: &Task,
        limit: u32,
        effects: &mut Effects,
    ) -> Result<TaskStep, DeriveError> {
        match self.fanner.work(&task.subject) {
            Some(Work::Spread) => self.spread(task, limit, effects).await,
            Some(Work::Clear) => self.clear(task, limit, effects).await,
            Some(Work::Fill) => self.fill(task, limit, effects).await,
            Some(Work::Rise) => self.rise(task, limit, effects).await,
            Some(Work::Fall) => self.fall(task, limit, effects).await,
            None => Ok(TaskStep::IsDone(task.clone())),
        }
    }

    /// Looks at the entries of an item and some of its matches.
    async fn spread(&self, task: &Task, limit: u32, effects: &mut Effects) -> Result<TaskStep, DeriveError> {
        let (fan, item) = (self.fan(), &task.cause.source);
        let crowd = self.crowd(item, effects).await?;
        if crowd.is_merged {
            self.note_crowd(item, Crowd { skipped: crowd.skipped + 1, ..crowd }, effects);
            return Ok(TaskStep::IsDone(task.clone()));
        }
        let page = self.items(task, &fan.found, &fan.matches, item, (limit, true)).await?;
        let matches: Vec<&Item> = page.list.iter().filter(|found| is_match(fan, found)).collect();
        let count = matches.len() as u64;
        if task.done + count > u64::from(fan.max) {
            // The feeds that have the entry already get a mark as well, and the entry no longer counts.
            self.begin_to_merge(
                item,
                Crowd { skipped: crowd.skipped + 1, ..crowd },
                task.cause.time_ms,
                effects,
            );
            return Ok(TaskStep::IsDone(task.clone()));
        }
        for found in matches {
            self.pair(item, found, effects);
        }
        Ok(self.next(task, &fan.matches, page.after, count))
    }

    /// Looks at some of the stored entries of a match.
    async fn clear(&self, task: &Task, limit: u32, effects: &mut Effects) -> Result<TaskStep, DeriveError> {
        let (fan, source) = (self.fan(), &task.cause.source);
        let present = self.present(source).await?;
        let item = self.as_item(source);
        let crowd = self.crowd(&item, effects).await?;
        if let Some(found) = present.as_ref().filter(|_| crowd.is_merged) {
            self.mark(found, effects);
            return Ok(TaskStep::IsDone(task.clone()));
        }
        let page = self.items(task, &fan.entity, &fan.entries, source, (limit, true)).await?;
        for entry in page.list.iter().filter(|entry| self.is_of_source(entry, source)) {
            self.pair_of(entry, effects);
        }
        if let step @ TaskStep::GoesOn(_) = self.next(task, &fan.entries, page.after, 0) {
            return Ok(step);
        }
        if present.is_some() {
            return Ok(TaskStep::GoesOn(task.then(self.fanner.subject(Work::Fill))));
        }
        self.unmark(source, effects);
        // A source stays merged until it has clearly fewer matches, so that it doesn't change all the time.
        let low = fan.max - fan.max / 10;
        if crowd.is_merged && self.count(&item, low).await? <= u64::from(low) {
            self.note_crowd(&item, Crowd { is_merged: false, ..crowd }, effects);
            effects.leave(self.fanner, Work::Fall, item, task.cause.time_ms);
        }
        Ok(TaskStep::IsDone(task.clone()))
    }

    /// Looks at the entries of a match and some of the newest items.
    async fn fill(&self, task: &Task, limit: u32, effects: &mut Effects) -> Result<TaskStep, DeriveError> {
        let (fan, source) = (self.fan(), &task.cause.source);
        let done = TaskStep::IsDone(task.clone());
        let Some(found) = self.present(source).await? else { return Ok(done) };
        let item = self.as_item(source);
        let crowd = self.crowd(&item, effects).await?;
        let is_first = task.place.is_none();
        if crowd.is_merged || (is_first && self.is_too_many(&item, crowd, effects).await?) {
            if !crowd.is_merged {
                self.begin_to_merge(&item, crowd, task.cause.time_ms, effects);
            }
            self.mark(&found, effects);
            return Ok(done);
        }
        let is_marked = self.is_marked(source, effects).await?;
        // Behind a mark, the feed lacks the items that weren't fanned out.
        let skipped = if is_marked { crowd.skipped } else { 0 };
        let left = (u64::from(fan.backfill) + skipped).saturating_sub(task.done);
        let limit = u32::try_from(left).unwrap_or(u32::MAX).min(limit);
        let page = match limit {
            0 => Items { list: Vec::new(), after: None },
            _ => self.items(task, &fan.each, &fan.items, source, (limit, false)).await?,
        };
        let count = page.list.len() as u64;
        for item in &page.list {
            self.pair(item, &found, effects);
        }
        match self.next(task, &fan.items, page.after.filter(|_| count < left), count) {
            TaskStep::IsDone(task) => {
                if is_marked {
                    self.unmark(source, effects);
                }
                Ok(TaskStep::IsDone(task))
            }
            step => Ok(step),
        }
    }

    /// Marks some matches of a source whose items are no longer fanned out.
    async fn rise(&self, task: &Task, limit: u32, effects: &mut Effects) -> Result<TaskStep, DeriveError> {
        let (fan, item) = (self.fan(), &task.cause.source);
        if !self.crowd(item, effects).await?.is_merged {
            return Ok(TaskStep::IsDone(task.clone()));
        }
        let page = self.items(task, &fan.found, &fan.matches, item, (limit, true)).await?;
        for found in page.list.iter().filter(|found| is_match(fan, found)) {
            self.mark(found, effects);
        }
        Ok(self.next(task, &fan.matches, page.after, 0))
    }

    /// Leaves tasks for some matches of a source whose items are fanned out again.
    async fn fall(&self, task: &Task, limit: u32, effects: &mut Effects) -> Result<TaskStep, DeriveError> {
        let (fan, item) = (self.fan(), &task.cause.source);
        if self.crowd(item, effects).await?.is_merged {
            return Ok(TaskStep::IsDone(task.clone()));
        }
        let page = self.items(task, &fan.found, &fan.matches, item, (limit, true)).await?;
        let names = match_paths(fan);
        for source in page.list.iter().filter_map(|found| only(found, &names)) {
            effects.leave(self.fanner, Work::Clear, source, task.cause.time_ms);
        }
        Ok(self.next(task, &fan.matches, page.after, 0))
    }

    fn fan(&self) -> &Fan {
        &self.fanner.rule
    }

    /// Reads a page of the items that a task goes through.
    async fn items(
        &self,
        task: &Task,
        entity: &Entity,
        referral: &Referral,
        identity: &Item,
        (limit, forward): (u32, bool),
    ) -> Result<Items, DeriveError> {
        let nothing = Items { list: Vec::new(), after: None };
        let Some(mut query) = referring(entity, referral, identity, self.worker.environment()) else {
            return Ok(nothing);
        };
        query.limit = Some(limit);
        query.forward = forward;
        let place = task.place.as_ref().filter(|(index, _)| *index == referral.index);
        query.start_key = place.map(|(_, after)| after.clone());
        let page = self.worker.store.query(query).await?;
        let type_name = AttributeValue::from(entity.type_name.as_str());
        let mut list = Vec::with_capacity(page.items.len());
        for item in &page.items {
            let item = item.decode().map_err(DeriveError::corrupt)?;
            if item.get(&entity.table.type_attribute) == Some(&type_name) {
                list.push(item);
            }
        }
        Ok(Items { list, after: page.next.and_then(|next| next.start_key) })
    }

    fn next(&self, task: &Task, referral: &Referral, after: Option<Item>, count: u64) -> TaskStep {
        match after {
            Some(after) => TaskStep::GoesOn(task.at(referral.index.clone(), after).with_done(count)),
            None => TaskStep::IsDone(task.clone()),
        }
    }

    /// Returns whether a source has too many matches with a new one. It counts them, and then doesn't count again until so many
    /// new ones have come as there was room for.
    async fn is_too_many(
        &self,
        item: &Item,
        crowd: Crowd,
        effects: &mut Effects,
    ) -> Result<bool, DeriveError> {
        let max = u64::from(self.fan().max);
        let room = match crowd.room.checked_sub(1) {
            Some(room) => room,
            None => match max.checked_sub(self.count(item, self.fan().max).await?) {
                Some(room) => room,
                None => return Ok(true),
            },
        };
        self.note_crowd(item, Crowd { room, ..crowd }, effects);
        Ok(false)
    }

    /// Counts the matches of a source, up to one more than this.
    async fn count(&self, item: &Item, up_to: u32) -> Result<u64, DeriveError> {
        let fan = self.fan();
        let Some(query) = referring(&fan.found, &fan.matches, item, self.worker.environment()) else {
            return Ok(0);
        };
        let mut count = 0;
        let mut next = Some(query);
        while let Some(mut query) = next.filter(|_| count <= u64::from(up_to)) {
            query.limit = Some(COUNTED_AT_ONCE.min(up_to.saturating_add(1)));
            let page = self.worker.store.query(query).await?;
            for found in &page.items {
                let found = found.decode().map_err(DeriveError::corrupt)?;
                count += u64::from(is_match(fan, &found));
            }
            next = page.next;
        }
        Ok(count)
    }

    /// Reads a match as it is now. `None` if it is none any more.
    async fn present(&self, source: &Item) -> Result<Option<Item>, DeriveError> {
        let fan = self.fan();
        let entity = &fan.found;
        let Ok(key) = key_of(entity, source) else { return Ok(None) };
        let table = entity.table.name_in(self.worker.environment());
        let Some(found) = self.read(table, key).await? else { return Ok(None) };
        let type_name = AttributeValue::from(entity.type_name.as_str());
        let is_same = found.get(&entity.table.type_attribute) == Some(&type_name)
            && fan
                .matches
                .link
                .iter()
                .all(|(_, theirs)| value_at(&found, theirs) == value_at(source, theirs));
        Ok(Some(found).filter(|found| is_same && is_match(fan, found)))
    }

    async fn read(&self, table: String, key: Item) -> Result<Option<Item>, DeriveError> {
        let request = GetItem { table, key, consistent: true, projection: None };
        let found = self.worker.store.get(request).await?.item;
        found.map(|item| item.decode().map_err(DeriveError::corrupt)).transpose()
    }

    /// Returns the fields of the items that go with a match.
    fn as_item(&self, found: &Item) -> Item {
        let link = self.fan().matches.link.iter();
        link.filter_map(|(own, theirs)| Some((own.as_str(), value_at(found, theirs)?.clone()))).collect()
    }

    /// Whether an entry is of this match, and not of another one with the same feed.
    fn is_of_source(&self, entry: &Item, source: &Item) -> bool {
        let mut link = self.fan().author.iter().zip(&self.fan().matches.link);
        link.all(|((_, field), (_, theirs))| value_at(entry, field) == value_at(source, theirs))
    }

    /// Looks at the entry of an item and a match.
    fn pair(&self, item: &Item, found: &Item, effects: &mut Effects) {
        if let Some(pair) = Pair::of(self.fan(), item, found) {
            effects.pair(self.at, pair);
        }
    }

    /// Looks at a stored entry.
    fn pair_of(&self, entry: &Item, effects: &mut Effects) {
        if let Some(pair) = Pair::stored(self.fan(), entry) {
            effects.pair(self.at, pair);
        }
    }

    async fn crowd(&self, item: &Item, effects: &Effects) -> Result<Crowd, DeriveError> {
        let Some(key) = crowd_key(&self.worker.owner, &self.fanner.name, self.fan(), item) else {
            return Ok(Crowd::default());
        };
        let Some(record) = self.noted(key, effects).await? else { return Ok(Crowd::default()) };
        Ok(Crowd {
            is_merged: record.get(MARKED) == Some(&AttributeValue::Bool(true)),
            skipped: record.get(SKIPPED).and_then(whole).unwrap_or_default(),
            room: record.get(ROOM).and_then(whole).unwrap_or_default(),
        })
    }

    /// Reads a record of the table of derived data, as it is after the effects so far.
    async fn noted(&self, key: Item, effects: &Effects) -> Result<Option<Item>, DeriveError> {
        match effects.notes.get(&encode(&key)) {
            Some(TransactAction::Put(put)) => Ok(Some(put.item.clone())),
            Some(_) => Ok(None),
            None => self.read(DERIVED_TABLE.to_owned(), key).await,
        }
    }

    fn note_crowd(&self, item: &Item, crowd: Crowd, effects: &mut Effects) {
        let Some(mut record) = crowd_key(&self.worker.owner, &self.fanner.name, self.fan(), item) else {
            return;
        };
        let id = encode(&record);
        record.insert(MARKED, crowd.is_merged);
        record.insert(SKIPPED, crowd.skipped);
        record.insert(ROOM, crowd.room);
        effects.notes.insert(id, put(record));
    }

    /// From now on, the items of a source aren't fanned out.
    fn begin_to_merge(&self, item: &Item, crowd: Crowd, time_ms: u64, effects: &mut Effects) {
        self.note_crowd(item, Crowd { is_merged: true, room: 0, ..crowd }, effects);
        let link = self.fan().matches.link.iter();
        let source = link.filter_map(|(own, _)| Some((own.as_str(), value_at(item, own)?.clone())));
        effects.leave(self.fanner, Work::Rise, source.collect(), time_ms);
    }

    async fn is_marked(&self, source: &Item, effects: &Effects) -> Result<bool, DeriveError> {
        let Some(key) = mark_key(&self.worker.owner, &self.fanner.name, self.fan(), source) else {
            return Ok(false);
        };
        Ok(self.noted(key, effects).await?.is_some())
    }

    fn mark(&self, found: &Item, effects: &mut Effects) {
        let Some(mut mark) = mark_key(&self.worker.owner, &self.fanner.name, self.fan(), found) else {
            return;
        };
        let id = encode(&mark);
        // Keys of indexes are needed as well: they tell whether it is a match.
        mark.insert(MATCH, found.clone());
        effects.notes.insert(id, put(mark));
    }

    fn unmark(&self, source: &Item, effects: &mut Effects) {
        let Some(key) = mark_key(&self.worker.owner, &self.fanner.name, self.fan(), source) else { return };
        let (id, table) = (encode(&key), DERIVED_TABLE.to_owned());
        let delete = DeleteItem { table, key, condition: None, returned: ReturnItem::None };
        effects.notes.insert(id, TransactAction::Delete(delete));
    }
}

fn put(item: Item) -> TransactAction {
    let table = DERIVED_TABLE.to_owned();
    TransactAction::Put(PutItem { table, item, condition: None, returned: ReturnItem::None })
}
