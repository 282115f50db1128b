//! The cost of derived fields: what a write causes in the background.

use std::sync::Arc;

use singlet_design::{
    Aggregate, AggregateSource, Change, Condition, Design, Entity, Extreme, ExtremeSource, Operation,
    Pattern, Projection,
};

use super::size::{entry_size, item_size};
use super::write_units;

/// The factor of a transaction, in which a worker writes derived fields.
const TRANSACTION_FACTOR: f64 = 2.0;

/// An item whose derived fields follow from a write.
#[derive(Debug, Clone)]
pub struct DerivedWrite {
    /// The entity of the item.
    pub entity: Arc<Entity>,
    /// Its fields that follow.
    pub fields: Vec<String>,
    /// The write units of the item and its index entries. Changes in one batch that concern the same item share them.
    pub units: f64,
}

/// The items that a worker writes because of one call of a pattern, each at most once.
pub fn derived_writes(design: &Design, pattern: &Pattern) -> Vec<DerivedWrite> {
    let mut writes = Vec::new();
    for target in &design.entities {
        let counts = |rule: &&Aggregate| {
            rule.sources.iter().any(|source| is_touched(pattern, &Influence::of_aggregate(source)))
        };
        let decides = |rule: &&Extreme| {
            rule.sources.iter().any(|source| is_touched(pattern, &Influence::of_extreme(source)))
        };
        let counted = target.aggregates.iter().filter(counts).map(|rule| rule.field.clone());
        let decided = target.extremes.iter().filter(decides).map(|rule| rule.field.clone());
        let fields: Vec<String> = counted.chain(decided).collect();
        if !fields.is_empty() {
            let units = units(target, &fields);
            writes.push(DerivedWrite { entity: Arc::clone(target), fields, units });
        }
    }
    writes
}

/// Whether a pattern, or one of its steps, can change what an item contributes.
fn is_touched(pattern: &Pattern, source: &Influence<'_>) -> bool {
    let is = |entity: &Entity| entity.name == source.entity;
    match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => is(&insert.entity),
        Operation::Delete(delete) => is(&delete.entity),
        // An upsert may create the item.
        Operation::Update(update) if update.first.is_some() => is(&update.entity),
        Operation::Update(update) => {
            is(&update.entity) && update.changes.iter().any(|change| matters(source, change))
        }
        _ => pattern.runs().iter().any(|step| is_touched(step, source)),
    }
}

fn matters(source: &Influence<'_>, change: &Change) -> bool {
    let mut used = source.fields.iter();
    used.any(|path| path.split('.').next() == change.field().split('.').next())
}

/// The fields of an entity that decide about a field of another one.
struct Influence<'a> {
    entity: &'a str,
    fields: Vec<&'a str>,
}

impl<'a> Influence<'a> {
    fn of_aggregate(source: &'a AggregateSource) -> Self {
        let links = source.link.iter().map(|(_, field)| field.as_str());
        let fields = source.value.as_deref().into_iter().chain(filtered(source.filter.as_ref())).chain(links);
        Influence { entity: &source.entity, fields: fields.collect() }
    }

    fn of_extreme(source: &'a ExtremeSource) -> Self {
        let links = source.referral.link.iter().map(|(_, field)| field.as_str());
        let own = [source.value.as_str(), source.order.as_str()].into_iter();
        let fields = own.chain(filtered(source.filter.as_ref())).chain(links);
        Influence { entity: &source.entity, fields: fields.collect() }
    }
}

fn filtered(filter: Option<&Condition>) -> impl Iterator<Item = &str> {
    filter.into_iter().flat_map(|filter| filter.tree.paths())
}

fn units(target: &Entity, fields: &[String]) -> f64 {
    let entries = target.indexes.iter().map(|entry| {
        let is_in_key = entry
            .templates()
            .any(|(_, template)| template.fields().any(|used| fields.iter().any(|field| field == used)));
        let factor = match &entry.index.projection {
            _ if is_in_key => 2.0,
            Projection::All => 1.0,
            Projection::Include(names) if names.iter().any(|name| fields.contains(name)) => 1.0,
            Projection::Include(_) | Projection::Keys => 0.0,
        };
        write_units(entry_size(target, entry).usual) * factor
    });
    write_units(item_size(target).usual) * TRANSACTION_FACTOR + entries.sum::<f64>()
}
