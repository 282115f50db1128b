//! Partition keys as the rules look at them: every entity's key in its table and in each index.

use std::sync::Arc;

use singlet_design::{Entity, Field, FieldType, IndexEntry, Part, Pattern, Span, Subject, Template};

use crate::context::Context;
use crate::estimate::{Contribution, Distinct, KeyLoad, Place};
use crate::fix::Fix;
use crate::reads::reads;
use crate::text::{list, number};

/// Shards that are proposed when no rate says how many are needed.
pub(super) const SHARDS_USUAL: u64 = 8;
/// More shards than this make every read too wide to propose.
const SHARDS_MAX: u64 = 64;

/// What is said where the load of a key rests on an assumption.
pub(super) const ASSUMED: &str = "; nothing says how the calls are spread, so a tenth of them is assumed to fall on the \
                                  busiest key (Zipf's law over 10,000 keys): say it with `busiest`";

/// One entity's partition key in its table or in an index.
#[derive(Debug)]
pub(super) struct Partition<'a> {
    pub(super) entity: &'a Arc<Entity>,
    /// The entry, unless it is the table's own key.
    pub(super) entry: Option<&'a IndexEntry>,
    /// The pattern that asks for this key, if it isn't the entity's own.
    pub(super) pattern: Option<&'a Pattern>,
    pub(super) templates: &'a [Template],
    /// Where the key is written.
    pub(super) span: Span,
    /// What the declared rates put on it.
    pub(super) load: Option<&'a KeyLoad>,
}

impl Partition<'_> {
    /// The templates as they were written.
    pub(super) fn source(&self) -> String {
        let sources: Vec<&str> = self.templates.iter().map(|template| template.source.as_str()).collect();
        format!("`{}`", sources.join("` `"))
    }

    /// `the table` or `GSI1`.
    pub(super) fn place_name(&self) -> String {
        self.entry.map_or_else(|| "the table".to_owned(), |entry| entry.index.name.clone())
    }

    /// What the busiest key is, for a sentence.
    pub(super) fn busiest_name(&self) -> String {
        let (source, place) = (self.source(), self.place_name());
        match self.load.map(KeyLoad::distinct) {
            Some(Distinct::Exactly(1)) => format!("{source} is one partition in {place}"),
            Some(Distinct::Exactly(count)) => format!("{source} is one of {count} partitions in {place}"),
            _ => format!("the busiest {source} is one partition in {place}"),
        }
    }

    /// Whether its entity is the first of those that share the key's template: the load is told once.
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

/// Every partition key of the design: those of the entities, then those that patterns ask for in their own words.
pub(super) fn partitions<'a>(context: &'a Context<'_>) -> impl Iterator<Item = Partition<'a>> {
    let asked = reads(context.design).filter_map(move |read| {
        let asked = read.asked?;
        let (entity, entry) = (read.entity, read.entry());
        let place = match entry {
            Some(entry) => Place::index(entity, &entry.index),
            None => Place::table(entity),
        };
        let span = context.place(&Subject::pattern(read.pattern), "key");
        let load = context.load.on(&place, &joined(&asked.partition));
        let pattern = Some(read.pattern);
        // One shard or one value of the entity's own key is no key of its own.
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
            span: context.place(&Subject::entity(entity), "key"),
            load: context.load.on(&Place::table(entity), &entity.key.partition.source),
        };
        let indexes = entity.indexes.iter().map(move |entry| Partition {
            entity,
            entry: Some(entry),
            pattern: None,
            templates: &entry.partition,
            span: context.place(&Subject::entity(entity), &entry.index.name),
            load: context.load.on(&Place::index(entity, &entry.index), &joined(&entry.partition)),
        });
        std::iter::once(table).chain(indexes)
    })
}

fn joined(templates: &[Template]) -> String {
    templates.iter().map(|template| template.source.as_str()).collect::<Vec<_>>().join(" ")
}

/// Who calls how often, for a sentence.
pub(super) fn calls(contributions: &[Contribution]) -> String {
    let call = |one: &Contribution| {
        let busiest = one.pattern.busiest.map(|share| format!(", {} % of it there", number(share * 100.0)));
        let (name, rate) = (&one.pattern.name, number(one.calls_per_second));
        format!("{name} at {rate}/s{}", busiest.unwrap_or_default())
    };
    list(contributions.iter().map(call))
}

/// Fixes that spread a key over the usual number of shards, with advice if none of them holds.
pub(super) fn sharded(context: &Context<'_>, partition: &Partition<'_>, advice: &str) -> Vec<Fix> {
    let mut fixes = shards(context, partition, SHARDS_USUAL);
    fixes.push(Fix::advice(advice));
    fixes
}

/// Fixes that spread a key over as many shards as a load needs: `needed` is by how many times there are too few keys.
/// `otherwise` is what helps where no shard does.
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
            "it would take {count} shards: keep this list in another form, such as one key for each hour and shard"
        ))];
    }
    // A page that is read from many shards reads a little more in all, so that twice as many may be needed.
    let counts = [count, count * 2, count * 4].into_iter().filter(|count| *count <= SHARDS_MAX);
    let mut fixes: Vec<Fix> = counts.flat_map(|count| shards(context, partition, count)).collect();
    fixes.push(Fix::advice(otherwise));
    fixes
}

/// One fix for each field that can choose the shard, the most likely first. A field of the key itself can't: all
/// items with its value would have one shard.
pub(super) fn shards(context: &Context<'_>, partition: &Partition<'_>, count: u64) -> Vec<Fix> {
    let about = format!("spread it over {count} keys; queries read all of them and merge");
    let Some(template) = partition.templates.first().filter(|_| partition.pattern.is_none()) else {
        return Vec::new();
    };
    let Some(place) = find(context, partition.span, &template.source) else { return Vec::new() };
    let replaced = |text: String| Fix::replace(about.as_str(), place, text);
    if let Some((written, path)) = written_shard(template) {
        let more = format!("{{shard:{path}/{count}}}");
        return vec![replaced(template.source.replace(&written, &more))];
    }
    let separator = partition.entity.table.separator;
    let sharded = |field: &str| replaced(format!("{}{separator}{{shard:{field}/{count}}}", template.source));
    spreading_fields(partition.entity, partition.templates).into_iter().map(sharded).collect()
}

/// The placeholder of a template's shard, as it is written, and its field.
fn written_shard(template: &Template) -> Option<(String, &str)> {
    template.parts.iter().find_map(|part| match part {
        Part::Shard { path, count } => Some((format!("{{shard:{path}/{count}}}"), path.as_str())),
        _ => None,
    })
}

/// Fields with many values that every item has and that aren't in the key: those that Singlet makes first.
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

/// Where a template is written inside a larger value.
pub(super) fn find(context: &Context<'_>, within: Span, template: &str) -> Option<Span> {
    let at = context.text(within).find(template)?;
    let start = within.start + at;
    Some(Span { start, end: start + template.len() })
}
