//! The steps that make tables match a design.

use singlet_design::{Design, Environment, Setting, Table, TableSettings};
use singlet_store::{
    Clock, Feature, IndexShape, IndexState, Store, StoreError, SystemClock, TableChange, TableShape,
    TableState,
};

use super::blueprint::Blueprint;
use super::derived::{self, DERIVED_TABLE};
use super::difference::differences;
use super::outdated::{Looked, Outdated, Search};
use super::record::{self, Content, DESIGNS_TABLE, DesignRecord, Owner, Recalled};
use super::release::{self, Release};
use super::shape::shape_in;
use crate::needs::unmet_needs;

/// The steps to do, the notes about what isn't done, and the obstacles. Its text is for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The design, the store and the environment.
    pub title: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Features of the design that the store lacks, and other things worth knowing.
    pub notes: Vec<String>,
    /// Changes that an existing table doesn't allow: nothing is done until they are resolved.
    pub obstacles: Vec<String>,
    /// Items that patterns don't find because they were written under another design. Nothing is done until all of
    /// them are accepted.
    pub outdated: Vec<Outdated>,
    /// The record to keep when everything is done.
    pub(super) drafts: Vec<Draft>,
}

/// A design that is to be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) owner: Owner,
    /// The present record.
    pub(super) before: DesignRecord,
    pub(super) text: String,
    pub(super) blueprint: Blueprint,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Changes a table, and waits until the change is done.
    Change(TableChange),
    /// Waits for an index that is being filled already.
    AwaitIndex {
        /// Table name.
        table: String,
        /// Index name.
        index: String,
    },
    /// Keeps the history of a table for fewer days, which deletes the older part of it.
    ShortenRecovery {
        /// Table name.
        table: String,
        /// The days from now on.
        days: u32,
        /// The days before.
        before: u32,
    },
    /// Frees reserved values that no item has.
    Release(Release),
}

impl Plan {
    /// Whether there is nothing to do, nothing in the way and nothing outdated.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.obstacles.is_empty() && self.outdated.is_empty()
    }

    /// Goes on although items are outdated. They stay as they are, and the database remembers it.
    pub fn accept_outdated(&mut self) {
        self.outdated.iter_mut().for_each(|outdated| outdated.accepted = true);
    }

    /// The steps after which data, its history or an index is gone or is no longer kept safe: they are asked about.
    pub fn deletions(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| {
            matches!(
                step,
                Step::ShortenRecovery { .. }
                    | Step::Change(
                        TableChange::Delete { .. }
                            | TableChange::DeleteIndex { .. }
                            | TableChange::Recovery { days: None, .. }
                            | TableChange::Stream { enabled: false, .. }
                            | TableChange::Backup { schedule: None, .. }
                    )
            )
        })
    }
}

/// Finds out what must be done so that the tables of a design match it.
pub async fn plan(
    design: &Design,
    environment: &Environment,
    store: &impl Store,
) -> Result<Plan, StoreError> {
    plan_watched(design, environment, store, &mut |_, _| {}).await
}

/// The same. Where items have to be looked at, `watch` is told how many were, and of how many about.
pub async fn plan_watched(
    design: &Design,
    environment: &Environment,
    store: &impl Store,
    watch: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<Plan, StoreError> {
    let mut plan = Plan { title: title(design, environment, store), ..Plan::default() };
    for table in &design.tables {
        let settings = environment.settings_of(table);
        let mut wanted = shape_in(table, environment);
        wanted.stream |= derived::is_followed(design, table);
        let mut wanted = plan.within_reach(wanted, store).await;
        plan.note_capacity(&wanted, settings.capacity.as_ref(), store).await;
        if [DESIGNS_TABLE, DERIVED_TABLE].contains(&wanted.name.as_str()) {
            let name = &wanted.name;
            plan.obstacles.push(format!("{name} is a table of Singlet's own: choose another name"));
            continue;
        }
        let draft = plan.draft(design, table, environment, store).await?;
        match store.describe_table(&wanted.name).await? {
            None => plan.steps.push(Step::Change(TableChange::Create(wanted))),
            Some(state) => {
                plan.compare_capacity(&mut wanted, settings.capacity.as_ref(), &state);
                if plan.compare(&wanted, &state, store).await {
                    plan.compare_off(&settings, &state.shape);
                    let looked = look(design, table, &draft, &state, store, watch).await?;
                    plan.notes.extend(looked.note(&draft.owner.table, &table.type_attribute));
                    plan.outdated.extend(looked.outdated);
                    plan.release(design, table, &draft, store).await?;
                }
            }
        }
        plan.drafts.push(draft);
    }
    plan.keep_derived(design, store).await?;
    for need in unmet_needs(design, store).await {
        plan.notes.push(need.to_string());
    }
    Ok(plan)
}

/// The items of a table that is there and that the design would not find.
async fn look(
    design: &Design,
    table: &Table,
    draft: &Draft,
    state: &TableState,
    store: &impl Store,
    watch: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<Looked, StoreError> {
    let content = draft.before.content.as_ref();
    let search = Search {
        store,
        name: &draft.owner.table,
        table,
        design,
        old_type_attribute: content.map(|content| content.blueprint.type_attribute.as_str()),
        items: state.items,
        now_second: SystemClock.now_ms() / 1000,
    };
    match content {
        None => search.unknown(watch).await,
        Some(Content { blueprint, outdated, .. }) => {
            search.changed(differences(blueprint, &draft.blueprint), outdated, watch).await
        }
    }
}

pub(super) fn title(design: &Design, environment: &Environment, store: &impl Store) -> String {
    format!("{} on {}, environment {}", design.name, store.label(), environment.name)
}

impl Plan {
    /// The future record of a table, beside the present one. The table that remembers is made if need be.
    async fn draft(
        &mut self,
        design: &Design,
        table: &Table,
        environment: &Environment,
        store: &impl Store,
    ) -> Result<Draft, StoreError> {
        let (table_name, environment) = (table.name_in(&environment.name), environment.name.clone());
        let owner = Owner { table: table_name, design: design.name.clone(), environment };
        let before = match owner.read(store).await? {
            Recalled::Record(record) => record,
            Recalled::NoMemory => {
                let create = Step::Change(TableChange::Create(record::shape()));
                if !self.steps.contains(&create) {
                    self.steps.insert(0, create);
                }
                DesignRecord::default()
            }
        };
        if let Some(started) = &before.started {
            let table = &owner.table;
            self.notes.push(format!(
                "{table}: an apply that began at {started} has not finished; this one goes on"
            ));
        }
        let blueprint = Blueprint::of(design, table);
        Ok(Draft { owner, before, text: design.source.clone(), blueprint })
    }

    /// Frees values that became unique and are reserved although no item has them. Says what becomes of those that are
    /// no longer unique.
    async fn release(
        &mut self,
        design: &Design,
        table: &Table,
        draft: &Draft,
        store: &impl Store,
    ) -> Result<(), StoreError> {
        let name = &draft.owner.table;
        let before = draft.before.content.as_ref().map(|content| &content.blueprint);
        for (entity, unique) in before.iter().flat_map(|before| release::dropped(before, &draft.blueprint)) {
            self.notes.push(format!(
                "{name}: `{unique}` of {entity} is not unique any more. The items that reserve its values stay. If it \
                 becomes unique again, apply frees the values that no item has by then"
            ));
        }
        let unsettled = release::unsettled(before, &draft.blueprint);
        if !unsettled.is_empty() && store.supports(Feature::Transactions).await {
            let now_second = SystemClock.now_ms() / 1000;
            let found = release::find(design, (table, name), &unsettled, now_second, store).await?;
            self.steps.extend(found.into_iter().map(Step::Release));
        }
        Ok(())
    }

    /// Creates the table of derived data if the design needs it.
    async fn keep_derived(&mut self, design: &Design, store: &impl Store) -> Result<(), StoreError> {
        let is_needed = design.tables.iter().any(|table| derived::is_followed(design, table));
        if is_needed && store.describe_table(DERIVED_TABLE).await?.is_none() {
            self.steps.push(Step::Change(TableChange::Create(derived::shape())));
        }
        Ok(())
    }

    /// The shape without what the store doesn't have; what is left out is noted.
    async fn within_reach(&mut self, mut shape: TableShape, store: &impl Store) -> TableShape {
        let label = store.label();
        if !store.supports(Feature::TimeToLive).await
            && let Some(attribute) = shape.ttl.take()
        {
            self.notes.push(format!(
                "{}: time to live ({attribute}) is not set here yet, because {label} doesn't have it. Expired items \
                 are left out of answers, but they stay",
                shape.name
            ));
        }
        if shape.stream && !store.supports(Feature::Streams).await {
            shape.stream = false;
            let note = format!(
                "{}: the stream is not set here yet, because {label} doesn't have streams",
                shape.name
            );
            self.notes.push(note);
        }
        if shape.recovery_days.is_some() && !store.supports(Feature::Recovery).await {
            shape.recovery_days = None;
            self.notes.push(format!(
                "{}: point-in-time recovery is not set here, because {label} doesn't have it",
                shape.name
            ));
        }
        if let Some(schedule) = shape.backup
            && !store.supports(Feature::ScheduledBackups).await
        {
            shape.backup = None;
            self.notes.push(format!(
                "{}: the backup schedule ({schedule}) is neither compared nor set here, because DynamoDB's API has no \
                 request for it. If {label} is a Singlet server, the schedule that it has stays; `singlet serve FILE` \
                 sets this one. At Amazon, make a plan in AWS Backup",
                shape.name
            ));
        }
        if !store.supports(Feature::MultiAttributeKeys).await {
            for index in shape.indexes.iter().filter(|index| index.is_multi_attribute()) {
                self.obstacles.push(format!(
                    "{}: {label} doesn't have indexes with several attributes in a part of the key, as {} has",
                    shape.name, index.name
                ));
            }
        }
        shape
    }

    /// Compares a table with what it must be. False if its key differs, so that nothing else can be compared.
    async fn compare(&mut self, wanted: &TableShape, state: &TableState, store: &impl Store) -> bool {
        let there = &state.shape;
        if (&wanted.partition, &wanted.sort) != (&there.partition, &there.sort) {
            self.obstacles.push(format!(
                "{}: it has {}, the design wants {}. The key of a table can't be changed: give the table another name \
                 in the design and move the data, or delete the table first",
                there.name,
                there.key_in_words(),
                wanted.key_in_words()
            ));
            return false;
        }
        self.compare_local_indexes(wanted, there);
        self.compare_global_indexes(wanted, state);
        self.compare_settings(wanted, there, store).await;
        true
    }

    fn compare_local_indexes(&mut self, wanted: &TableShape, there: &TableShape) {
        let table = &there.name;
        for index in wanted.indexes.iter().filter(|index| index.local) {
            let reason = match there.indexes.iter().find(|known| known.name == index.name) {
                Some(known) if known.matches(index) => continue,
                Some(known) => format!("has {}, the design wants {}", known.in_words(), index.in_words()),
                None => "isn't there".to_owned(),
            };
            self.obstacles.push(format!(
                "{table}: the local index {} {reason}. Local indexes are made with the table and never changed: make it \
                 a global index, or delete the table first",
                index.name
            ));
        }
        for index in there.indexes.iter().filter(|index| index.local) {
            if !wanted.indexes.iter().any(|known| known.name == index.name) {
                self.notes.push(format!(
                    "{table}: the local index {} is not in the design; it stays, because local indexes can't be taken \
                     away",
                    index.name
                ));
            }
        }
    }

    fn compare_global_indexes(&mut self, wanted: &TableShape, state: &TableState) {
        let table = &state.shape.name;
        let there = || state.shape.indexes.iter().zip(&state.indexes).filter(|(index, _)| !index.local);
        for (index, _) in there() {
            if !wanted.indexes.iter().any(|known| known.name == index.name) {
                self.delete_index(table, index);
            }
        }
        for index in wanted.indexes.iter().filter(|index| !index.local) {
            match there().find(|(known, _)| known.name == index.name) {
                None => self.create_index(table, index),
                Some((_, IndexState::Deleting)) => {
                    // Deleting it again only waits until it is gone.
                    self.delete_index(table, index);
                    self.create_index(table, index);
                }
                Some((known, _)) if !known.matches(index) => {
                    self.notes.push(format!(
                        "{table}: the index {} has {}, the design wants {}. It is deleted and made again; until it is \
                         filled, patterns that read it fail",
                        index.name,
                        known.in_words(),
                        index.in_words()
                    ));
                    self.delete_index(table, known);
                    self.create_index(table, index);
                }
                Some((_, IndexState::Creating)) => {
                    self.steps.push(Step::AwaitIndex { table: table.clone(), index: index.name.clone() });
                }
                Some((_, IndexState::Active)) => {}
            }
        }
    }

    fn create_index(&mut self, table: &str, index: &IndexShape) {
        let change = TableChange::CreateIndex { table: table.to_owned(), index: index.clone() };
        self.steps.push(Step::Change(change));
    }

    fn delete_index(&mut self, table: &str, index: &IndexShape) {
        let change = TableChange::DeleteIndex { table: table.to_owned(), index: index.name.clone() };
        self.steps.push(Step::Change(change));
    }

    async fn compare_settings(&mut self, wanted: &TableShape, there: &TableShape, store: &impl Store) {
        let table = there.name.clone();
        if wanted.protected != there.protected {
            let change = TableChange::Protect { table: table.clone(), protected: wanted.protected };
            self.steps.push(Step::Change(change));
        }
        if wanted.ttl != there.ttl && store.supports(Feature::TimeToLive).await {
            // One attribute is turned off before another is turned on.
            let off = there.ttl.is_some().then_some(None);
            let on = wanted.ttl.is_some().then(|| wanted.ttl.clone());
            for attribute in off.into_iter().chain(on) {
                self.steps.push(Step::Change(TableChange::TimeToLive { table: table.clone(), attribute }));
            }
        }
        if wanted.stream != there.stream && store.supports(Feature::Streams).await {
            let change = TableChange::Stream { table: table.clone(), enabled: wanted.stream };
            self.steps.push(Step::Change(change));
        }
        let table_name = table.clone();
        match (wanted.recovery_days, there.recovery_days) {
            (Some(days), Some(before)) if days < before => {
                self.steps.push(Step::ShortenRecovery { table: table_name, days, before });
            }
            (days @ Some(_), before) if days != before => {
                self.steps.push(Step::Change(TableChange::Recovery { table: table_name, days }));
            }
            _ => {}
        }
        if wanted.backup != there.backup && store.supports(Feature::ScheduledBackups).await {
            self.steps.push(Step::Change(TableChange::Backup { table, schedule: wanted.backup }));
        }
    }

    /// Turns off what a design that says nothing would leave on: what protects data is not taken away by silence.
    fn compare_off(&mut self, settings: &TableSettings, there: &TableShape) {
        if settings.recovery_days == Some(Setting::Off) && there.recovery_days.is_some() {
            let table = there.name.clone();
            self.steps.push(Step::Change(TableChange::Recovery { table, days: None }));
        }
    }
}
