//! Partition keys as the rules look at them: every entity's key in its table and in each index.

use std::sync::Arc;

use super::reads::reads;
use super::text::{list, number};
use super::{Context, Edit, Fix, Subject};
use crate::estimate::{Contribution, Distinct, KeyLoad, Place};
use crate::model::{Entity, FieldType, IndexEntry, Pattern};
use crate::report::Span;
use crate::template::Template;

/// Shards that are proposed when no rate says how many are needed.
const SHARDS_USUAL: u64 = 8;
/// More shards than this make every read too wide to propose.
const SHARDS_MAX: u64 = 64;

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
        match self.load.map(|load| load.distinct) {
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
        let own = entry.map_or(std::slice::from_ref(&entity.key.partition), |entry| &entry.partition);
        let pattern = Some(read.pattern);
        (asked.partition != own).then(|| Partition {
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

/// The fix that spreads a key over the usual number of shards.
pub(super) fn sharded(context: &Context<'_>, partition: &Partition<'_>) -> Option<Fix> {
    shards(context, partition, SHARDS_USUAL)
}

/// The fix that spreads a key over as many shards as a load needs: `needed` is how many keys would carry it well.
pub(super) fn sharded_for(context: &Context<'_>, partition: &Partition<'_>, needed: f64) -> Option<Fix> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just below")]
    let count = (needed.ceil().clamp(2.0, 1e6) as u64).next_power_of_two();
    if count > SHARDS_MAX {
        return Some(Fix::advice(format!(
            "it would take {count} shards: keep this list in another form, such as one key for each hour and shard"
        )));
    }
    shards(context, partition, count)
}

fn shards(context: &Context<'_>, partition: &Partition<'_>, count: u64) -> Option<Fix> {
    let field = spreading_field(partition.entity)?;
    if partition.pattern.is_some() {
        return Some(Fix::advice(format!("spread the key over {count} shards: `{{shard:{field}/{count}}}`")));
    }
    let template = partition.templates.first()?;
    if template.shard_count().is_some() {
        return Some(Fix::advice(format!("use {count} shards")));
    }
    let separator = partition.entity.table.separator;
    let replacement = format!("{}{separator}{{shard:{field}/{count}}}", template.source);
    let place = find(context, partition.span, &template.source)?;
    let about = format!("spread it over {count} keys; queries read all of them and merge");
    Some(Fix { about, edits: vec![Edit { span: place, text: replacement }] })
}

/// A field with many values: an id that every item has.
fn spreading_field(entity: &Entity) -> Option<&str> {
    let keys = entity.key.sort.iter().chain(std::iter::once(&entity.key.partition));
    let named: Vec<&str> = keys.flat_map(Template::fields).collect();
    let ids = entity.fields.iter().filter(|field| field.kind == FieldType::Id && !field.optional);
    ids.max_by_key(|field| (field.made.is_some(), named.contains(&field.name.as_str())))
        .map(|field| field.name.as_str())
}

/// Where a template is written inside a larger value.
pub(super) fn find(context: &Context<'_>, within: Span, template: &str) -> Option<Span> {
    let at = context.text(within).find(template)?;
    let start = within.start + at;
    Some(Span { start, end: start + template.len() })
}
