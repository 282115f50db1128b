//! The load that the declared rates make: units a second on each partition key of tables and indexes.

use std::collections::HashMap;
use std::sync::Arc;

use singlet_design::{
    AskedKey, BULK_BATCH_DEFAULT, BULK_GROUP_MAX, Change, Design, Entity, Get, Index, IndexEntry, ListWalk,
    Made, Operation, Part, Pattern, Projection, Query, Reference, Step, Template, Transaction, Unique,
    WriteRequests,
};

use super::distinct::{Distinct, Spread, assumed_share};
use super::reads::{
    bulk_list_units, claim_list_units, count_units, gather_run_units, merge_run_units, query_units,
    scan_units, walked_list_units,
};
use super::size::{Size, entry_size, item_size, reservation_size};
use super::steps::{elements_max, is_own};
use super::{read_units, write_units};

/// Keys of a batch get, and elements of a list without a maximum, assumed because no design declares them.
const BATCH_KEYS_USUAL: f64 = 10.0;

/// A table or one of its indexes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableOrIndex {
    /// The table's label.
    pub table: String,
    /// The index's name; `None` for the table itself.
    pub index: Option<String>,
}

impl TableOrIndex {
    /// The table of an entity.
    pub fn table(entity: &Entity) -> TableOrIndex {
        TableOrIndex { table: entity.table.label.clone(), index: None }
    }

    /// An index of an entity's table.
    pub fn index(entity: &Entity, index: &Index) -> TableOrIndex {
        TableOrIndex { table: entity.table.label.clone(), index: Some(index.name.clone()) }
    }
}

/// The source of partition keys. Keys of one table or index that have the same source share a load.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeySource {
    /// The parts of each partition template. Entities with the same parts share their keys.
    Templates(Vec<Vec<Part>>),
    /// The reservations of a unique value.
    Reservations {
        /// The entity whose value is unique.
        entity: String,
        /// The fields that are unique together.
        fields: Vec<String>,
    },
}

impl KeySource {
    /// The keys that these partition templates make.
    pub fn templates<'a>(templates: impl IntoIterator<Item = &'a Template>) -> KeySource {
        KeySource::Templates(templates.into_iter().map(|template| template.parts.clone()).collect())
    }

    fn reservations(entity: &Entity, unique: &Unique) -> KeySource {
        KeySource::Reservations { entity: entity.name.clone(), fields: unique.fields.clone() }
    }
}

/// The load that one pattern adds to a key.
#[derive(Debug, Clone)]
pub struct Contribution {
    /// The pattern that is called.
    pub pattern: Arc<Pattern>,
    /// Calls a second.
    pub calls_per_second: f64,
    /// Units a second, over all keys.
    pub units_per_second: f64,
}

impl Contribution {
    /// Units a second on the busiest of the keys.
    fn busiest_units(&self, spread: Spread) -> Option<f64> {
        Some(self.units_per_second * spread.busiest_share(self.pattern.busiest)?)
    }
}

/// The load on the keys of one source in a table or index.
#[derive(Debug, Clone)]
pub struct KeyLoad {
    /// The table or index that has the keys.
    pub on: TableOrIndex,
    /// The source of the keys.
    pub source: KeySource,
    /// The first entity in the file whose items have these keys.
    pub entity: Arc<Entity>,
    /// How the load is spread over the keys.
    pub spread: Spread,
    /// The patterns that write.
    pub writes: Vec<Contribution>,
    /// The patterns that read.
    pub reads: Vec<Contribution>,
}

impl KeyLoad {
    /// Write units a second on the busiest key; `None` if there are many keys and nothing declares their shares.
    pub fn busiest_write_units(&self) -> Option<f64> {
        busiest(&self.writes, self.spread)
    }

    /// Read units a second on the busiest key; `None` as for writes.
    pub fn busiest_read_units(&self) -> Option<f64> {
        busiest(&self.reads, self.spread)
    }

    /// Write units a second on the busiest key, with Zipf's law for calls whose spread isn't declared.
    pub fn assumed_write_units(&self) -> f64 {
        assumed(&self.writes, self.spread)
    }

    /// Read units a second on the busiest key, with the same assumption.
    pub fn assumed_read_units(&self) -> f64 {
        assumed(&self.reads, self.spread)
    }

    /// The number of keys that share the load.
    pub fn distinct(&self) -> Distinct {
        self.spread.keys()
    }
}

/// `None` if no share is known.
fn busiest(contributions: &[Contribution], spread: Spread) -> Option<f64> {
    let units = contributions.iter().filter_map(|contribution| contribution.busiest_units(spread));
    units.reduce(|sum, one| sum + one)
}

fn assumed(contributions: &[Contribution], spread: Spread) -> f64 {
    let share =
        |one: &Contribution| spread.busiest_share(Some(one.pattern.busiest.unwrap_or_else(assumed_share)));
    contributions.iter().filter_map(|one| Some(one.units_per_second * share(one)?)).sum()
}

/// The load of a whole design, from its declared rates.
#[derive(Debug, Clone, Default)]
pub struct Load {
    /// One entry for each source of keys of each table and index.
    pub keys: Vec<KeyLoad>,
    /// Scans. They read all keys of a table or index equally, so they make no key busier than another.
    pub scans: Vec<(TableOrIndex, Contribution)>,
    /// The position of each source in `keys`.
    positions: HashMap<TableOrIndex, HashMap<KeySource, usize>>,
}

impl Load {
    /// Adds up the patterns that have a rate. Parts and steps of a composed pattern run at its rate as well as their own.
    pub fn of(design: &Design) -> Load {
        let mut load = Load::default();
        for entity in &design.entities {
            load.keys_of(TableOrIndex::table(entity), entity, [&entity.key.partition]);
            for entry in &entity.indexes {
                load.keys_of(TableOrIndex::index(entity, &entry.index), entity, &entry.partition);
            }
        }
        for pattern in &design.patterns {
            if let Some(rate) = pattern.rate {
                load.run(pattern, pattern, rate.per_second);
            }
        }
        load
    }

    /// The load on the keys of one source in a table or index.
    pub fn on(&self, on: &TableOrIndex, source: &KeySource) -> Option<&KeyLoad> {
        self.keys.get(*self.positions.get(on)?.get(source)?)
    }

    /// The load on the keys that partition templates make; added if it is new.
    fn keys_of<'a>(
        &mut self,
        on: TableOrIndex,
        entity: &Arc<Entity>,
        templates: impl IntoIterator<Item = &'a Template, IntoIter: Clone> + Clone,
    ) -> Option<&mut KeyLoad> {
        let spread = Spread::of(entity, templates.clone());
        self.load_of(on, KeySource::templates(templates), entity, spread)
    }

    /// The load on the keys of reservations, one for each value; added if it is new.
    fn reservations_of(&mut self, entity: &Arc<Entity>, unique: &Unique) -> Option<&mut KeyLoad> {
        let spread = Spread { values: Distinct::Many, shards: 1 };
        self.load_of(TableOrIndex::table(entity), KeySource::reservations(entity, unique), entity, spread)
    }

    fn load_of(
        &mut self,
        on: TableOrIndex,
        source: KeySource,
        entity: &Arc<Entity>,
        spread: Spread,
    ) -> Option<&mut KeyLoad> {
        let known = self.positions.get(&on).and_then(|sources| sources.get(&source)).copied();
        let position = known.unwrap_or_else(|| {
            let position = self.keys.len();
            self.positions.entry(on.clone()).or_default().insert(source.clone(), position);
            let entity = Arc::clone(entity);
            self.keys.push(KeyLoad { on, source, entity, spread, writes: Vec::new(), reads: Vec::new() });
            position
        });
        self.keys.get_mut(position)
    }

    fn run(&mut self, caller: &Arc<Pattern>, pattern: &Arc<Pattern>, calls: f64) {
        match &pattern.operation {
            Operation::Get(get) | Operation::Exists(get) => {
                let units = read_units(item_size(&get.entity).usual, get.consistent);
                self.read(caller, &get.entity, get.on.as_deref(), get.key.as_ref(), calls, units);
            }
            Operation::BatchGet(batch) => {
                let units = read_units(item_size(&batch.entity).usual, batch.consistent);
                self.read(caller, &batch.entity, None, None, calls * BATCH_KEYS_USUAL, units);
            }
            Operation::Query(query) => self.query(caller, query, calls, query_units(query)),
            Operation::Count(count) => self.query(caller, &count.query, calls, count_units(count)),
            Operation::Scan(scan) => {
                let on = match &scan.on {
                    Some(index) => TableOrIndex::index(&scan.entity, index),
                    None => TableOrIndex::table(&scan.entity),
                };
                self.scans.push((on, contribution(caller, calls, scan_units(scan))));
            }
            Operation::Parts(parts) => {
                parts.parts.iter().for_each(|part| self.run(caller, &part.pattern, calls))
            }
            Operation::Merge(merge) => {
                self.list(caller, &merge.walk, calls, walked_list_units);
                self.each_query(caller, &merge.walk, calls, merge_run_units(merge));
            }
            Operation::Gather(gather) => {
                self.list(caller, &gather.walk, calls, walked_list_units);
                self.each_query(caller, &gather.walk, calls, gather_run_units(&gather.walk));
            }
            Operation::Claim(walk) => {
                self.list(caller, walk, calls, claim_list_units);
                self.run(caller, &walk.run, calls);
            }
            Operation::Bulk(walk) => {
                let elements = calls * f64::from(BULK_BATCH_DEFAULT);
                self.list(caller, walk, elements / f64::from(BULK_GROUP_MAX), bulk_list_units);
                self.run(caller, &walk.run, elements);
            }
            Operation::Transaction(transaction) => {
                self.transaction(caller, pattern, transaction, calls);
            }
            Operation::Create(_)
            | Operation::Put(_)
            | Operation::Update(_)
            | Operation::Delete(_)
            | Operation::Check(_) => {
                self.write(caller, pattern, calls, (1.0, 1.0));
                let WriteRequests { reads, together } = pattern.write_requests();
                let rereads = together && matches!(pattern.operation, Operation::Update(_));
                self.consistent_reads(caller, pattern, calls, f64::from(u8::from(reads) + u8::from(rereads)));
                let references = pattern.checked_references().iter().map(|reference| (reference, 1.0));
                self.references(caller, references, calls, &[]);
            }
        }
    }

    /// Adds the steps of a transaction, each as often as its list may have elements.
    fn transaction(
        &mut self,
        caller: &Arc<Pattern>,
        pattern: &Pattern,
        transaction: &Transaction,
        calls: f64,
    ) {
        let steps = &transaction.steps;
        for step in steps {
            let elements =
                elements_max(pattern, step, steps).map_or(BATCH_KEYS_USUAL, |elements| elements as f64);
            self.write(caller, &step.pattern, calls, (2.0, elements));
            self.look(caller, step, calls, (transaction, elements));
            let references =
                step.pattern.checked_references().iter().map(|reference| {
                    (reference, if is_own(step, steps, reference) { elements } else { 1.0 })
                });
            self.references(caller, references, calls, steps);
        }
    }

    /// Adds strongly consistent reads of the item that a pattern writes or checks.
    fn consistent_reads(&mut self, caller: &Arc<Pattern>, pattern: &Pattern, calls: f64, times: f64) {
        if let Some(entity) = pattern.entities().first().filter(|_| times > 0.0) {
            let units = read_units(item_size(entity).usual, true) * times;
            self.read(caller, entity, None, None, calls, units);
        }
    }

    /// Adds reads of the query whose items are the elements of a walk.
    fn list(
        &mut self,
        caller: &Arc<Pattern>,
        walk: &ListWalk,
        calls: f64,
        units: fn(&ListWalk, &Query) -> f64,
    ) {
        if let Some(Operation::Query(query)) = walk.query().map(|pattern| &pattern.operation) {
            self.query(caller, query, calls, units(walk, query));
        }
    }

    /// Adds the queries that run for the elements of a walk.
    fn each_query(&mut self, caller: &Arc<Pattern>, walk: &ListWalk, calls: f64, units: f64) {
        if let Operation::Query(query) = &walk.run.operation {
            self.query(caller, query, calls, units);
        }
    }

    fn query(&mut self, caller: &Arc<Pattern>, query: &Query, calls: f64, units: f64) {
        let Some(entity) = query.entities.first() else { return };
        self.read(caller, entity, query.on.as_deref(), query.key.as_ref(), calls, units);
    }

    fn read(
        &mut self,
        caller: &Arc<Pattern>,
        entity: &Arc<Entity>,
        on: Option<&Index>,
        asked: Option<&AskedKey>,
        calls: f64,
        units: f64,
    ) {
        let contribution = contribution(caller, calls, units);
        let entry = on.and_then(|index| entity.entry(&index.name));
        let key = match (entry, asked) {
            (Some(entry), Some(asked)) => {
                self.keys_of(TableOrIndex::index(entity, &entry.index), entity, &asked.partition)
            }
            (None, Some(asked)) => self.keys_of(TableOrIndex::table(entity), entity, &asked.partition),
            (Some(entry), None) => {
                self.keys_of(TableOrIndex::index(entity, &entry.index), entity, &entry.partition)
            }
            (None, None) => self.keys_of(TableOrIndex::table(entity), entity, [&entity.key.partition]),
        };
        if let Some(key) = key {
            key.reads.push(contribution);
        }
    }

    /// Adds a write. It happens `times` in a call, and costs so many times the units of a single write on the table.
    fn write(
        &mut self,
        caller: &Arc<Pattern>,
        pattern: &Pattern,
        calls: f64,
        (table_factor, times): (f64, f64),
    ) {
        let Some(cost) = pattern_writes(pattern) else { return };
        let entity = &cost.entity;
        // A write with reservations or checks is a transaction, which costs twice as much on the table.
        let alone = cost.reservations.is_empty() && pattern.checked_references().is_empty();
        let table_factor = if alone { table_factor } else { 2.0 };
        if let Some(key) = self.keys_of(TableOrIndex::table(entity), entity, [&entity.key.partition]) {
            let units = write_units(cost.table.usual) * table_factor * times;
            key.writes.push(contribution(caller, calls, units));
        }
        for (unique, size) in &cost.reservations {
            let units = write_units(size.usual) * table_factor * times;
            if let Some(key) = self.reservations_of(entity, unique) {
                key.writes.push(contribution(caller, calls, units));
            }
        }
        for (entry, units) in &cost.indexes {
            if let Some(key) =
                self.keys_of(TableOrIndex::index(entity, &entry.index), entity, &entry.partition)
            {
                key.writes.push(contribution(caller, calls, units * times));
            }
        }
    }

    /// Adds the reads of a step: before the transaction, and of what was changed after it. The item of a get is also
    /// checked when the transaction is committed, unless another step writes an item of the same entity, which the
    /// estimate takes for the same item.
    fn look(
        &mut self,
        caller: &Arc<Pattern>,
        step: &Step,
        calls: f64,
        (transaction, times): (&Transaction, f64),
    ) {
        let rereads = matches!(step.pattern.operation, Operation::Update(_));
        let reads = f64::from(u8::from(transaction.reads_first(step)) + u8::from(rereads));
        self.consistent_reads(caller, &step.pattern, calls, reads * times);
        let Operation::Get(Get { entity, .. }) = &step.pattern.operation else { return };
        let others = transaction.steps.iter();
        let others = others.filter(|other| !matches!(other.pattern.operation, Operation::Get(_)));
        let is_written =
            others.flat_map(|other| other.pattern.entities()).any(|other| other.name == entity.name);
        if !is_written
            && let Some(key) = self.keys_of(TableOrIndex::table(entity), entity, [&entity.key.partition])
        {
            let units = write_units(item_size(entity).usual) * 2.0 * times;
            key.writes.push(contribution(caller, calls, units));
        }
    }

    /// Adds the checks of references. Each costs as much as a write of the item that it checks. If another step of the
    /// transaction writes or checks an item of the same entity, the estimate takes it for the same item, which needs no
    /// check of its own.
    fn references<'r>(
        &mut self,
        caller: &Arc<Pattern>,
        references: impl Iterator<Item = (&'r Reference, f64)>,
        calls: f64,
        steps: &[Step],
    ) {
        // A reference to one of several entities is checked once. The estimate takes the first of them.
        let mut checked: Vec<&str> = Vec::new();
        for (reference, times) in references {
            if checked.contains(&reference.field.as_str()) {
                continue;
            }
            checked.push(&reference.field);
            let entity = &reference.entity;
            if steps.iter().any(|step| step.pattern.entities().iter().any(|one| one.name == entity.name)) {
                continue;
            }
            let units = write_units(item_size(entity).usual) * 2.0 * times;
            if let Some(key) = self.keys_of(TableOrIndex::table(entity), entity, [&entity.key.partition]) {
                key.writes.push(contribution(caller, calls, units));
            }
        }
    }
}

fn contribution(caller: &Arc<Pattern>, calls: f64, units: f64) -> Contribution {
    Contribution { pattern: Arc::clone(caller), calls_per_second: calls, units_per_second: calls * units }
}

/// The cost of one call of a write: the item, the index entries that it changes, and reservations.
#[derive(Debug, Clone)]
pub struct WriteCost {
    /// The entity that is written.
    pub entity: Arc<Entity>,
    /// The size of the item.
    pub table: Size,
    /// Units for each index entry that is written or moved.
    pub indexes: Vec<(IndexEntry, f64)>,
    /// Reservations of unique values that are made or released in the same transaction.
    pub reservations: Vec<(Unique, Size)>,
}

/// The cost of a write pattern; `None` for reads and composed patterns.
pub fn pattern_writes(pattern: &Pattern) -> Option<WriteCost> {
    let (entity, touched): (&Arc<Entity>, Option<&[Change]>) = match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => (&insert.entity, None),
        Operation::Update(update) => (&update.entity, Some(&update.changes)),
        Operation::Delete(delete) => (&delete.entity, None),
        Operation::Check(check) => (&check.entity, Some(&[])),
        _ => return None,
    };
    let indexes = entity.indexes.iter().filter_map(|entry| {
        let units = write_units(entry_size(entity, entry).usual);
        let factor = touched.map_or(1.0, |changes| update_factor(entity, entry, changes));
        (factor > 0.0).then(|| (entry.clone(), units * factor))
    });
    Some(WriteCost {
        entity: Arc::clone(entity),
        table: item_size(entity),
        indexes: indexes.collect(),
        reservations: reservations(entity, touched),
    })
}

/// The fields that an update changes, including the computed ones that follow from them.
fn changed_fields<'a>(entity: &'a Entity, changes: &'a [Change]) -> Vec<&'a str> {
    let given: Vec<&str> = changes.iter().map(Change::field).collect();
    let names = entity.computed.iter().map(|(name, _)| name.as_str());
    let follows = |name: &&str| {
        entity.sources(name).any(|source| given.contains(&source.split('.').next().unwrap_or(source)))
    };
    let computed: Vec<&str> = names.filter(follows).collect();
    given.into_iter().chain(computed).collect()
}

/// A new or deleted item writes each of its reservations. A change of a unique value releases one and makes one.
fn reservations(entity: &Entity, touched: Option<&[Change]>) -> Vec<(Unique, Size)> {
    let changes = |unique: &Unique, changes: &[Change]| {
        changed_fields(entity, changes)
            .iter()
            .any(|changed| unique.fields.iter().any(|field| field == changed))
    };
    let count = |unique: &Unique| match touched {
        None => 1,
        Some(all) if changes(unique, all) => 2,
        Some(_) => 0,
    };
    let each = |unique: &Unique| (unique.clone(), reservation_size(entity, unique));
    entity.unique.iter().flat_map(|unique| std::iter::repeat_n(each(unique), count(unique))).collect()
}

/// Entries of an index that an update writes: two if its key changes, one if a projected field changes, else none.
fn update_factor(entity: &Entity, entry: &IndexEntry, changes: &[Change]) -> f64 {
    let fields = changed_fields(entity, changes);
    let moves = |field: &&str| {
        entry.templates().any(|(_, template)| template.fields().any(|name| name == *field))
            || entry.when.iter().any(|when| when.field == *field)
    };
    let carried = |field: &&str| match &entry.index.projection {
        Projection::All => true,
        Projection::Keys => false,
        Projection::Include(names) => names.iter().any(|name| name == field),
    };
    let updated = entity.fields.iter().any(|field| field.made == Some(Made::Updated));
    if fields.iter().any(moves) {
        2.0
    } else if fields.iter().any(carried) || (updated && matches!(entry.index.projection, Projection::All)) {
        1.0
    } else {
        0.0
    }
}
