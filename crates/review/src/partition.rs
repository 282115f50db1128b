//! The partition keys of a design: those of each entity in its table and indexes, and those that patterns ask for.

use std::sync::Arc;

use singlet_design::{Entity, Field, FieldType, IndexEntry, Part, Pattern, Span, Subject, Template};

use crate::context::Context;
use crate::estimate::{
    ASSUMED_KEYS, Contribution, Distinct, KeyLoad, KeySource, PARTITION_READ_UNITS_MAX,
    PARTITION_WRITE_UNITS_MAX, TableOrIndex, assumed_share,
};
use crate::fix::Fix;
use crate::reads::reads;
use crate::text::{list, number};

/// Shards that a fix proposes if no rate tells how many are needed.
pub(super) const SHARDS_USUAL: u64 = 8;
/// Most shards that a fix proposes: a list reads all of them.
const SHARDS_MAX: u64 = 64;

/// The end of a message about a load that rests on an assumption.
pub(super) fn assumption() -> String {
    format!(
        "; no pattern declares how its calls are spread, so {} % of them are assumed to go to the busiest key (Zipf's \
         law over {} keys): declare the share with `busiest`",
        number(assumed_share() * 100.0),
        number(f64::from(ASSUMED_KEYS)),
    )
}

/// One entity's partition key in its table or in an index.
#[derive(Debug)]
pub(super) struct Partition<'a> {
    pub(super) entity: &'a Arc<Entity>,
    /// The index entry; `None` for the table's own key.
    pub(super) entry: Option<&'a IndexEntry>,
    /// The pattern that asks for this key; `None` for the entity's own key.
    pub(super) pattern: Option<&'a Pattern>,
    pub(super) templates: &'a [Template],
    /// The key's position in the file.
    pub(super) span: Span,
    /// The load of the declared rates on it.
    pub(super) load: Option<&'a KeyLoad>,
}

impl Partition<'_> {
    /// The templates as the file has them, in backticks.
    pub(super) fn source(&self) -> String {
        let sources: Vec<&str> = self.templates.iter().map(|template| template.source.as_str()).collect();
        format!("`{}`", sources.join("` `"))
    }

    /// "the table", or the index's name in backticks.
    pub(super) fn table_or_index(&self) -> String {
        self.entry.map_or_else(|| "the table".to_owned(), |entry| format!("`{}`", entry.index.name))
    }

    /// The busiest key, for a sentence.
    pub(super) fn busiest_name(&self) -> String {
        let (source, on) = (self.source(), self.table_or_index());
        match self.load.map(KeyLoad::distinct) {
            Some(Distinct::Exactly(1)) => format!("the only key {source} in {on}"),
            Some(Distinct::Exactly(count)) => format!("the busiest of the {count} keys {source} in {on}"),
            _ => format!("the busiest key {source} in {on}"),
        }
    }

    /// Whether its entity is the first that has these keys. A load is reported only there.
    pub(super) fn is_first(&self) -> bool {
        self.load.is_none_or(|load| load.entity.name == self.entity.name)
    }

    pub(super) fn subjects(&self) -> Vec<Subject> {
        let mut subjects: Vec<Subject> = self.pattern.map(Subject::pattern).into_iter().collect();
        subjects.push(Subject::entity(self.entity));
        match self.entry {
            Some(entry) => subjects.push(Subject::index(&self.entity.table, &entry.index)),
            None => subjects.push(Subject::table(&self.entity.table)),
        }
        subjects
    }
}

/// Every partition key of the design: those of the entities, then those that patterns ask for with `key`.
pub(super) fn partitions<'a>(context: &'a Context<'_>) -> impl Iterator<Item = Partition<'a>> {
    let asked = reads(context.design).filter_map(move |read| {
        let asked = read.asked?;
        let (entity, entry) = (read.entity, read.entry());
        let on = match entry {
            Some(entry) => TableOrIndex::index(entity, &entry.index),
            None => TableOrIndex::table(entity),
        };
        let span = context.span(&Subject::pattern(read.pattern), "key");
        let load = context.load.on(&on, &KeySource::templates(&asked.partition));
        let pattern = Some(read.pattern);
        // One shard or one value of the entity's own key isn't another key.
        (!read.reaches_partition()).then(|| Partition {
            entity,
            entry,
            pattern,
            templates: &asked.partition,
            span,
            load,
        })
    });
    own_partitions(context).chain(asked)
}

fn own_partitions<'a>(context: &'a Context<'_>) -> impl Iterator<Item = Partition<'a>> {
    context.design.entities.iter().flat_map(move |entity| {
        let table = Partition {
            entity,
            entry: None,
            pattern: None,
            templates: std::slice::from_ref(&entity.key.partition),
            span: context.span(&Subject::entity(entity), "key"),
            load: context
                .load
                .on(&TableOrIndex::table(entity), &KeySource::templates([&entity.key.partition])),
        };
        let indexes = entity.indexes.iter().map(move |entry| Partition {
            entity,
            entry: Some(entry),
            pattern: None,
            templates: &entry.partition,
            span: context.span(&Subject::entity(entity), &entry.index.name),
            load: context
                .load
                .on(&TableOrIndex::index(entity, &entry.index), &KeySource::templates(&entry.partition)),
        });
        std::iter::once(table).chain(indexes)
    })
}

/// The calling patterns with their rates, for a sentence.
pub(super) fn calls(contributions: &[Contribution]) -> String {
    let call = |one: &Contribution| {
        let busiest =
            one.pattern.busiest.map(|share| format!(", {} % of it on this key", number(share * 100.0)));
        let (name, rate) = (&one.pattern.name, number(one.calls_per_second));
        format!("`{name}` at {rate}/s{}", busiest.unwrap_or_default())
    };
    list(contributions.iter().map(call))
}

/// Fixes that spread a key over the usual number of shards, and advice if none of them holds. A key that isn't hot is
/// left alone, because a shard makes each query dearer.
pub(super) fn sharded(context: &Context<'_>, partition: &Partition<'_>, advice: &str) -> Vec<Fix> {
    if let Some((writes, reads)) = cool_load(context, partition) {
        return vec![Fix::advice(format!(
            "{advice}, or allow the finding: by the declared rates all of its keys together take {} write and {} read \
             units a second",
            number(writes),
            number(reads)
        ))];
    }
    let mut fixes = shards(context, partition, SHARDS_USUAL);
    fixes.push(Fix::advice(advice));
    fixes
}

/// The write and read units a second of all keys, if the rate of every call is known and even a single key would serve
/// them with room to spare.
fn cool_load(context: &Context<'_>, partition: &Partition<'_>) -> Option<(f64, f64)> {
    let load = partition.load?;
    let is_used =
        |pattern: &Pattern| pattern.entities().iter().any(|entity| entity.name == partition.entity.name);
    let is_known =
        |pattern: &Pattern| pattern.rate.is_some() || context.directory.users_of(pattern).next().is_some();
    let patterns = context.design.patterns.iter();
    if !patterns.filter(|pattern| is_used(pattern)).all(|pattern| is_known(pattern)) {
        return None;
    }
    let sum = |of: &[Contribution]| of.iter().map(|one| one.units_per_second).sum::<f64>();
    let (writes, reads) = (sum(&load.writes), sum(&load.reads));
    let is_cool = writes <= PARTITION_WRITE_UNITS_MAX / 2.0 && reads <= PARTITION_READ_UNITS_MAX / 2.0;
    is_cool.then_some((writes, reads))
}

/// Fixes that spread a key over as many shards as a load needs. `needed` is the factor by which the load is too large for
/// the present keys. `otherwise` is the advice if no shard helps.
pub(super) fn sharded_for(
    context: &Context<'_>,
    partition: &Partition<'_>,
    needed: f64,
    otherwise: &str,
) -> Vec<Fix> {
    let now = partition.load.map_or(1, |load| load.spread.shards.max(1));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just below")]
    let times = (needed.ceil().clamp(2.0, 1e6) as u64).next_power_of_two();
    let count = now.saturating_mul(times);
    if count > SHARDS_MAX {
        return vec![Fix::advice(format!(
            "this load needs {count} shards, too many to read: store the list in another form, such as a key for each hour and \
             shard"
        ))];
    }
    // A page from many shards reads a little more in total, so two or four times as many may be needed.
    let counts = [count, count * 2, count * 4].into_iter().filter(|count| *count <= SHARDS_MAX);
    let mut fixes: Vec<Fix> = counts.flat_map(|count| shards(context, partition, count)).collect();
    fixes.push(Fix::advice(otherwise));
    fixes
}

/// One fix for each field that can choose the shard, the most likely first. A field of the key itself can't, because all
/// items with its value would be in one shard.
pub(super) fn shards(context: &Context<'_>, partition: &Partition<'_>, count: u64) -> Vec<Fix> {
    let about = format!(
        "spread it over {count} keys with a shard; each query becomes {count} queries, which are merged"
    );
    let Some(template) = partition.templates.first().filter(|_| partition.pattern.is_none()) else {
        return Vec::new();
    };
    let Some(span) = find(context, partition.span, &template.source) else { return Vec::new() };
    let replaced = |text: String| Fix::replace(about.as_str(), span, text);
    if let Some((written, path)) = written_shard(template) {
        let more = format!("{{shard:{path}/{count}}}");
        return vec![replaced(template.source.replace(&written, &more))];
    }
    let separator = partition.entity.table.separator;
    let sharded = |field: &str| replaced(format!("{}{separator}{{shard:{field}/{count}}}", template.source));
    spreading_fields(partition.entity, partition.templates).into_iter().map(sharded).collect()
}

/// The placeholder of a template's shard, as the file has it, and its field.
fn written_shard(template: &Template) -> Option<(String, &str)> {
    template.parts.iter().find_map(|part| match part {
        Part::Shard { path, count } => Some((format!("{{shard:{path}/{count}}}"), path.as_str())),
        _ => None,
    })
}

/// Ids that every item has and that aren't in the key. Ids that Singlet makes come first.
fn spreading_fields<'a>(entity: &'a Entity, templates: &[Template]) -> Vec<&'a str> {
    let own: Vec<&str> = templates.iter().flat_map(Template::fields).collect();
    let keys = entity.key.sort.iter().chain(std::iter::once(&entity.key.partition));
    let named: Vec<&str> = keys.flat_map(Template::fields).collect();
    let ids = entity.fields.iter().filter(|field| field.kind == FieldType::Id && !field.optional);
    let mut ids: Vec<_> = ids.filter(|field| !own.contains(&field.name.as_str())).collect();
    let likely = |field: &&Field| (field.made.is_some(), named.contains(&field.name.as_str()));
    ids.sort_by_key(|field| std::cmp::Reverse(likely(field)));
    ids.into_iter().map(|field| field.name.as_str()).collect()
}

/// The position of a template within a larger value.
pub(super) fn find(context: &Context<'_>, within: Span, template: &str) -> Option<Span> {
    let at = context.text(within).find(template)?;
    let start = within.start + at;
    Some(Span { start, end: start + template.len() })
}
