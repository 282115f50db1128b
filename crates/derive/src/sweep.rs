//! Filling rules from the items that are there already, while writes go on.
//!
//! A sweep reads the tables page by page, in the order of a scan. Items before its place count by their changes; items
//! after it don't count yet. A page is older than the end of the feed, so the feed is read up to a position after the
//! page, and changes of items in the page replace them. Then the page has exactly the items at that position, and its
//! contributions, the position and the new place are one transaction.

use std::collections::BTreeMap;
use std::time::Duration;

use singlet_store::{ChangeFeed, ChangeReader, FeedStart, ItemChange, Scan, StoreError};
use singlet_values::{EncodedItem, Item};

use crate::commit::Committed;
use crate::effects::{Effects, Merged};
use crate::error::DeriveError;
use crate::progress::{Stage, Sweep};
use crate::worker::Worker;

/// Items that a sweep reads at once.
const PAGE_ITEMS: u32 = 500;
/// The wait for changes that are known to be there.
const WAIT: Duration = Duration::from_millis(100);

/// How far a sweep has come in a table.
#[derive(Debug)]
pub(crate) enum Reach {
    /// All items of the table count.
    All,
    /// None do.
    None,
    /// Items up to this place do.
    UpTo {
        /// The table's name.
        table: String,
        /// The names of its key attributes.
        key: Vec<String>,
        place: Option<Vec<u8>>,
    },
}

/// The items of a page, by their places, as they are at the position of the feed.
struct Window {
    items: BTreeMap<Vec<u8>, (Item, EncodedItem)>,
    /// The place of the last item of the page. `None` at the end of the table.
    end: Option<Vec<u8>>,
    /// The key of the last item of the page.
    last: Option<Item>,
}

impl Reach {
    /// Returns the place of a changed item, if it matters.
    pub(crate) fn place_of<S: ChangeFeed>(
        &self,
        worker: &Worker<S>,
        change: &ItemChange,
    ) -> Result<Option<Vec<u8>>, DeriveError> {
        let Reach::UpTo { table, key, .. } = self else { return Ok(None) };
        let Some(item) = change.after.as_ref().or(change.before.as_ref()) else { return Ok(None) };
        Ok(Some(worker.store.scan_place(table, &key_in(item, key)?)?))
    }

    fn has(&self, place: Option<&[u8]>) -> bool {
        match self {
            Reach::All => true,
            Reach::None => false,
            Reach::UpTo { place: reached, .. } => {
                reached.as_deref().is_some_and(|reached| place.is_some_and(|place| place <= reached))
            }
        }
    }
}

impl<S: ChangeFeed> Worker<S> {
    /// Returns how far the sweep has counted the items of a table.
    pub(crate) fn reach(&self, label: &str) -> Result<Reach, DeriveError> {
        let Some(sweep) = self.progress.sweep.as_ref().filter(|sweep| sweep.stage == Stage::Count) else {
            return Ok(Reach::All);
        };
        let order = self.rules.tables();
        let at = |label: &str| order.iter().position(|known| *known == label);
        match at(label).cmp(&at(&sweep.table)) {
            std::cmp::Ordering::Less => Ok(Reach::All),
            std::cmp::Ordering::Greater => Ok(Reach::None),
            std::cmp::Ordering::Equal => {
                let table = self.table_name(label);
                let place = sweep.after.as_ref().map(|key| self.store.scan_place(&table, key)).transpose()?;
                Ok(Reach::UpTo { key: self.key_names(label), table, place })
            }
        }
    }

    /// Returns whether a rule counts a source item at a place.
    pub(crate) fn counts(&self, rule: usize, reach: &Reach, place: Option<&[u8]>) -> bool {
        let Some(rule) = self.rules.list.get(rule) else { return false };
        let is_ready = self.progress.rule(&rule.name).is_some_and(|state| state.is_ready);
        is_ready || reach.has(place)
    }

    fn key_names(&self, label: &str) -> Vec<String> {
        let table = self.design.tables.iter().find(|table| table.label == label);
        table.into_iter().flat_map(|table| table.key()).map(|key| key.name.clone()).collect()
    }

    /// Goes on with the sweep by one page.
    pub(crate) async fn sweep(&mut self) -> Result<(), DeriveError> {
        let Some(sweep) = self.progress.sweep.clone() else { return Ok(()) };
        match sweep.stage {
            Stage::Count => self.count_page(&sweep).await,
            Stage::Show => self.show_page(&sweep).await,
        }
    }

    /// Counts a page of items in.
    async fn count_page(&mut self, sweep: &Sweep) -> Result<(), DeriveError> {
        let name = self.table_name(&sweep.table);
        let mut window = self.window(sweep, &name).await?;
        let now = self.store.changes(&name, FeedStart::Now).await?;
        let end = now
            .ok_or_else(|| StoreError::NotFound(format!("the table {name} has no change feed")))?
            .position();
        let Some(at) = self.feeds.iter().position(|feed| feed.table == sweep.table) else { return Ok(()) };
        let key = self.key_names(&sweep.table);
        let Reach::UpTo { place: reached, .. } = self.reach(&sweep.table)? else { return Ok(()) };
        let mut wait = Duration::ZERO;
        while !self.feeds.get(at).is_none_or(|feed| feed.reader.has_reached(&end)) {
            let Some(changes) = self.read(at, wait).await? else { return Ok(()) };
            wait = if changes.is_empty() { WAIT } else { Duration::ZERO };
            for change in &changes {
                let Some(item) = change.after.as_ref().or(change.before.as_ref()) else { continue };
                let item_key = key_in(item, &key)?;
                let place = self.store.scan_place(&name, &item_key)?;
                window.change(reached.as_deref(), place, item_key, change);
            }
            if !self.take(at, &changes).await? {
                return Ok(());
            }
        }
        self.count(sweep, window).await
    }

    async fn window(&self, sweep: &Sweep, name: &str) -> Result<Window, DeriveError> {
        let page = self.scan(name, sweep.after.clone()).await?;
        let key = self.key_names(&sweep.table);
        let mut window = Window { items: BTreeMap::new(), end: None, last: sweep.after.clone() };
        for item in page.0 {
            let item_key = key_in(&item, &key)?;
            let place = self.store.scan_place(name, &item_key)?;
            window.last = Some(item_key.clone());
            window.end = Some(place.clone());
            window.items.insert(place, (item_key, item));
        }
        if page.1 {
            window.end = None;
        }
        Ok(window)
    }

    /// Returns a page of a table, and whether it is the last one.
    async fn scan(
        &self,
        name: &str,
        start_key: Option<Item>,
    ) -> Result<(Vec<EncodedItem>, bool), DeriveError> {
        let request = Scan {
            table: name.to_owned(),
            index: None,
            filter: None,
            projection: None,
            limit: Some(PAGE_ITEMS),
            start_key,
        };
        let page = self.store.scan(request).await?;
        let is_last = page.next.is_none();
        Ok((page.items, is_last))
    }

    /// Makes the contributions of a window, in as many transactions as they need.
    async fn count(&mut self, sweep: &Sweep, window: Window) -> Result<(), DeriveError> {
        let filling: Vec<bool> = self.rules.list.iter().map(|rule| !self.is_ready(&rule.name)).collect();
        let counts = |rule: usize| filling.get(rule).copied().unwrap_or(false);
        let mut effects = Effects::default();
        let mut done: Option<Item> = sweep.after.clone();
        for (key, item) in window.items.into_values() {
            let mut one = Effects::default();
            one.found(&self.rules, &sweep.table, &item, &counts)?;
            // A waiting tally can need a second action: half of the targets always fit.
            if effects.merge(one.clone(), self.committer().targets_max() / 2)? == Merged::IsFull {
                let place = Sweep { after: done.clone(), ..sweep.clone() };
                if !self.go_on(&effects, Some(place)).await? {
                    return Ok(());
                }
                effects = one;
            }
            done = Some(key);
        }
        let next = match window.end {
            Some(_) => Some(Sweep { after: window.last, ..sweep.clone() }),
            None => self.after_table(sweep),
        };
        self.go_on(&effects, next).await.map(|_| ())
    }

    /// Shows the tallies of a page of items in their fields.
    async fn show_page(&mut self, sweep: &Sweep) -> Result<(), DeriveError> {
        let name = self.table_name(&sweep.table);
        let (items, is_last) = self.scan(&name, sweep.after.clone()).await?;
        let names = self.key_names(&sweep.table);
        let filling: Vec<bool> = self.rules.list.iter().map(|rule| !self.is_ready(&rule.name)).collect();
        let filling = |rule: usize| filling.get(rule).copied().unwrap_or(false);
        let mut effects = Effects::default();
        let mut done = sweep.after.clone();
        for item in items {
            let mut one = Effects::default();
            one.look_at(&self.rules, &sweep.table, &item, &filling)?;
            if effects.merge(one.clone(), self.committer().targets_max() / 2)? == Merged::IsFull {
                let place = Sweep { after: done.clone(), ..sweep.clone() };
                if !self.go_on(&effects, Some(place)).await? {
                    return Ok(());
                }
                effects = one;
            }
            done = Some(key_in(&item, &names)?);
        }
        let next =
            if is_last { self.after_table(sweep) } else { Some(Sweep { after: done, ..sweep.clone() }) };
        self.go_on(&effects, next).await.map(|_| ())
    }

    /// Returns the place after a table: the next table, the next stage, or none.
    fn after_table(&self, sweep: &Sweep) -> Option<Sweep> {
        let order = self.rules.tables();
        let at = order.iter().position(|label| *label == sweep.table)?;
        match (order.get(at + 1), sweep.stage) {
            (Some(next), stage) => Some(Sweep { stage, table: (*next).to_owned(), after: None }),
            (None, Stage::Count) => {
                let first = order.first()?;
                Some(Sweep { stage: Stage::Show, table: (*first).to_owned(), after: None })
            }
            (None, Stage::Show) => None,
        }
    }

    /// Commits effects of a sweep and its next place. Without one, all rules are ready. Returns whether this worker goes
    /// on.
    async fn go_on(&mut self, effects: &Effects, next: Option<Sweep>) -> Result<bool, DeriveError> {
        let mut after = self.progress.clone();
        if next.is_none() {
            after.rules.values_mut().for_each(|state| state.is_ready = true);
        }
        after.sweep = next;
        match self.committer().commit(effects, &self.progress, &after, true).await? {
            Committed::Done { progress, .. } => {
                self.progress = progress;
                Ok(true)
            }
            // The place of a sweep always changes, except on a page of items that were deleted meanwhile.
            Committed::Nothing => {
                self.progress = after;
                Ok(true)
            }
            Committed::Overtaken => self.reopen(&|_| false).await.map(|()| false),
            Committed::TooLarge(reason) => Err(StoreError::Refused(reason).into()),
        }
    }

    fn is_ready(&self, rule: &str) -> bool {
        self.progress.rule(rule).is_some_and(|state| state.is_ready)
    }
}

impl Window {
    /// Takes in a change that is later than the page.
    fn change(&mut self, reached: Option<&[u8]>, place: Vec<u8>, key: Item, change: &ItemChange) {
        let is_before = reached.is_some_and(|reached| place.as_slice() <= reached);
        let is_behind = self.end.as_ref().is_some_and(|end| place > *end);
        if is_before || is_behind {
            return;
        }
        match &change.after {
            Some(item) => _ = self.items.insert(place, (key, item.clone())),
            None => _ = self.items.remove(&place),
        }
    }
}

fn key_in(item: &EncodedItem, names: &[String]) -> Result<Item, DeriveError> {
    let mut key = Item::with_capacity(names.len());
    for name in names {
        if let Some(value) = item.view().get(name) {
            key.insert(name.as_str(), value.to_value().map_err(DeriveError::corrupt)?);
        }
    }
    Ok(key)
}
