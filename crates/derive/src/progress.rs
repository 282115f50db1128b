//! How far a design's derivations are: kept in one item of a table of Singlet's own.
//!
//! Each batch of effects writes it in the same transaction, and expects the number of the batch before. So a crash
//! neither loses nor repeats an effect, and of two workers one finds out that the other was faster.

use std::collections::BTreeMap;

use singlet_expr::{Condition, Path};
use singlet_run::apply::DERIVED_TABLE;
pub(crate) use singlet_run::fan::{KIND, OWNER, derivation_owner as owner};
use singlet_store::{GetItem, PutItem, ReturnItem, Store, StoreError};
use singlet_values::{AttributeValue, Item};

use crate::rules::{Rule, Rules};
use crate::seen::Seen;
use crate::tally::whole;

/// The kind of the item with the progress.
const PROGRESS: &str = "progress";
const BATCH: &str = "batch";
const FORMAT: &str = "format";
const POSITIONS: &str = "positions";
const SEEN: &str = "seen";
const RULES: &str = "rules";
const SWEEP: &str = "sweep";
const TASKS: &str = "tasks";

/// How progress is written. A record of a later format is left alone.
const FORMAT_NOW: u64 = 1;

/// How far a rule is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleState {
    /// The rule that the stored data was made for, as text.
    pub(crate) fingerprint: String,
    /// Tallies of other generations are void.
    pub(crate) generation: u64,
    /// Whether the existing items are counted in, and the field shows it.
    pub(crate) is_ready: bool,
}

/// A walk through the tables that fills new rules with the items that are there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sweep {
    /// The work on the items.
    pub(crate) stage: Stage,
    /// The label of the table that it is in.
    pub(crate) table: String,
    /// The key of the last item that is done. `None` at the beginning of a table.
    pub(crate) after: Option<Item>,
}

/// The stages of a sweep. Each walks through all tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Counts the items in.
    Count,
    /// Shows the result in the fields.
    Show,
}

impl Stage {
    fn word(self) -> &'static str {
        match self {
            Stage::Count => "count",
            Stage::Show => "show",
        }
    }
}

/// How far the derivations of a design are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// The number of the last batch; 0 if there was none.
    pub(crate) batch: u64,
    /// The position in the change feed of each table, by label.
    pub(crate) positions: BTreeMap<String, String>,
    /// The worker's last own write that was seen in each feed, by label.
    pub(crate) seen: BTreeMap<String, Seen>,
    /// The rules, by name.
    pub(crate) rules: BTreeMap<String, RuleState>,
    /// The sweep that is under way.
    pub(crate) sweep: Option<Sweep>,
    /// The tasks that are left.
    pub(crate) tasks: u64,
}

impl Progress {
    /// Reads the progress. It begins with nothing.
    pub(crate) async fn read(store: &impl Store, owner: &str) -> Result<Progress, StoreError> {
        let request =
            GetItem { table: DERIVED_TABLE.to_owned(), key: key(owner), consistent: true, projection: None };
        let found = store.get(request).await?.item;
        let Some(item) = found.and_then(|item| item.decode().ok()) else { return Ok(Progress::default()) };
        if item.get(FORMAT).and_then(whole).is_some_and(|format| format > FORMAT_NOW) {
            return Err(StoreError::Refused(
                "the derived data was kept by a later version of Singlet: use that version or a newer one"
                    .to_owned(),
            ));
        }
        Ok(Progress {
            batch: item.get(BATCH).and_then(whole).unwrap_or_default(),
            positions: members(&item, POSITIONS, text),
            seen: members(&item, SEEN, seen),
            rules: members(&item, RULES, rule_state),
            sweep: item.get(SWEEP).and_then(sweep),
            tasks: item.get(TASKS).and_then(whole).unwrap_or_default(),
        })
    }

    /// Returns the write of this progress, which fails if another one was written since.
    pub(crate) fn write(&self, owner: &str, expected: u64) -> PutItem {
        let mut item = key(owner);
        item.insert(BATCH, self.batch);
        item.insert(FORMAT, FORMAT_NOW);
        let positions = self.positions.iter();
        let positions: Item =
            positions.map(|(table, at)| (table.clone(), AttributeValue::from(at.as_str()))).collect();
        item.insert(POSITIONS, positions);
        let seen: Item = self.seen.iter().map(|(table, seen)| (table.clone(), seen_value(*seen))).collect();
        item.insert(SEEN, seen);
        let rules = self.rules.iter();
        let rules: Item = rules.map(|(name, state)| (name.clone(), state.to_value())).collect();
        item.insert(RULES, rules);
        if self.tasks > 0 {
            item.insert(TASKS, self.tasks);
        }
        if let Some(sweep) = &self.sweep {
            item.insert(SWEEP, sweep.to_value());
        }
        let batch = Path::attribute(BATCH);
        let condition = match expected {
            0 => Condition::missing(batch),
            _ => Condition::equal(batch, AttributeValue::from(expected)),
        };
        let table = DERIVED_TABLE.to_owned();
        PutItem { table, item, condition: Some(condition), returned: ReturnItem::None }
    }

    /// Takes in the rules of a design. New and changed ones are to be filled. Returns whether anything changed.
    ///
    /// A rule that was being filled begins anew with the others, because one sweep fills all of them.
    /// New and changed rules get this generation, which no rule has had.
    pub(crate) fn adopt(&mut self, rules: &Rules, generation: u64, refill: &dyn Fn(&str) -> bool) -> bool {
        let mut adopted = BTreeMap::new();
        let mut has_new = false;
        for rule in &rules.list {
            let (name, fingerprint) = (rule.name.clone(), rule.fingerprint());
            let must_be_filled = rule.is_filled() && refill(&name);
            let known =
                self.rules.get(&name).filter(|known| known.fingerprint == fingerprint && !must_be_filled);
            has_new |= known.is_none() && rule.is_filled();
            let fresh = RuleState { fingerprint, generation, is_ready: !rule.is_filled() };
            adopted.insert(name, known.cloned().unwrap_or(fresh));
        }
        let labels = rules.tables();
        let is_lost = self.sweep.as_ref().is_some_and(|sweep| !labels.contains(&sweep.table.as_str()));
        if !has_new && !is_lost && adopted == self.rules {
            return false;
        }
        if has_new || is_lost {
            for state in adopted.values_mut().filter(|state| !state.is_ready) {
                state.generation = generation;
            }
            let is_filled = |rule: &&Rule| adopted.get(&rule.name).is_some_and(|state| !state.is_ready);
            let is_counted = rules.list.iter().filter(is_filled).any(Rule::is_counted);
            let stage = if is_counted { Stage::Count } else { Stage::Show };
            let first = labels.first().map(|table| (*table).to_owned());
            self.sweep = first.map(|table| Sweep { stage, table, after: None });
        }
        if adopted.values().all(|state| state.is_ready) {
            self.sweep = None;
        }
        self.rules = adopted;
        true
    }

    /// Returns the state of a rule. It was adopted before anything else was done.
    pub(crate) fn rule(&self, name: &str) -> Option<&RuleState> {
        self.rules.get(name)
    }
}

impl RuleState {
    fn to_value(&self) -> AttributeValue {
        let mut members = Item::new();
        members.insert("made_for", self.fingerprint.as_str());
        members.insert("generation", self.generation);
        members.insert("ready", self.is_ready);
        AttributeValue::M(members)
    }
}

impl Sweep {
    fn to_value(&self) -> AttributeValue {
        let mut members = Item::new();
        members.insert("stage", self.stage.word());
        members.insert("table", self.table.as_str());
        if let Some(after) = &self.after {
            members.insert("after", after.clone());
        }
        AttributeValue::M(members)
    }
}

fn key(owner: &str) -> Item {
    Item::from([(OWNER, owner), (KIND, PROGRESS)])
}

fn members<T>(item: &Item, name: &str, read: fn(&AttributeValue) -> Option<T>) -> BTreeMap<String, T> {
    let Some(AttributeValue::M(members)) = item.get(name) else { return BTreeMap::new() };
    members.iter().filter_map(|(name, value)| Some((name.to_owned(), read(value)?))).collect()
}

fn seen(value: &AttributeValue) -> Option<Seen> {
    let AttributeValue::M(members) = value else { return None };
    Some(Seen { batch: whole(members.get("batch")?)?, commit: whole(members.get("commit")?)? })
}

fn seen_value(seen: Seen) -> AttributeValue {
    let mut members = Item::new();
    members.insert("batch", seen.batch);
    members.insert("commit", seen.commit);
    AttributeValue::M(members)
}

fn text(value: &AttributeValue) -> Option<String> {
    match value {
        AttributeValue::S(text) => Some(text.clone()),
        _ => None,
    }
}

fn rule_state(value: &AttributeValue) -> Option<RuleState> {
    let AttributeValue::M(members) = value else { return None };
    Some(RuleState {
        fingerprint: members.get("made_for").and_then(text)?,
        generation: members.get("generation").and_then(whole)?,
        is_ready: members.get("ready") == Some(&AttributeValue::Bool(true)),
    })
}

fn sweep(value: &AttributeValue) -> Option<Sweep> {
    let AttributeValue::M(members) = value else { return None };
    let stage = members.get("stage").and_then(text)?;
    let after = match members.get("after") {
        Some(AttributeValue::M(key)) => Some(key.clone()),
        _ => None,
    };
    Some(Sweep {
        stage: [Stage::Count, Stage::Show].into_iter().find(|known| known.word() == stage)?,
        table: members.get("table").and_then(text)?,
        after,
    })
}
