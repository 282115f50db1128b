//! `lsi-collection`: item collections that can exceed the limit of a local index.

use singlet_design::{Cardinality, Entity, Index, Part, Subject, Template};
use singlet_values::limits::COLLECTION_BYTES_MAX;

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::item_size;
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "lsi-collection",
    summary: "a local index on item collections that can exceed 10 GB",
    page: include_str!("lsi_collection.md"),
    check: Check::Review(check),
};

/// The largest collection is assumed to have this many times the usual number of items.
const BUSIEST_FACTOR: u64 = 1_000;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for table in &context.design.tables {
        let Some(index) = table.indexes.iter().find(|index| index.local) else { continue };
        let entities: Vec<&Entity> = context.design.entities_of(table).map(AsRef::as_ref).collect();
        for (position, entity) in entities.iter().enumerate() {
            let shares = |other: &&&Entity| alike(&entity.key.partition, &other.key.partition);
            if entities.iter().take(position).any(|other| shares(&other)) {
                continue;
            }
            let members: Vec<&Entity> = entities.iter().filter(shares).copied().collect();
            if let Some((severity, size, culprit)) = collection(context, &members) {
                report(context, findings, index, culprit, severity, &size);
            }
        }
    }
}

fn report(
    context: &Context<'_>,
    findings: &mut Findings,
    index: &Index,
    entity: &Entity,
    severity: Severity,
    size: &str,
) {
    let message = format!(
        "`{}` is a local index, so all items under one `{}` can have {} in total, but {size}; beyond that, writes are \
         refused",
        index.name,
        entity.key.partition.source,
        bytes(COLLECTION_BYTES_MAX),
    );
    let fix = Fix::advice(format!(
        "make `{}` a global index, or declare how many `{}` items there can be (`max` in `relations`)",
        index.name, entity.name,
    ));
    let subjects = vec![Subject::index(&entity.table, index), Subject::entity(entity)];
    findings.report(
        severity,
        context.name_span(&Subject::index(&entity.table, index)),
        subjects,
        message,
        Some(fix),
    );
}

/// The fault of a collection of these entities, and the entity that makes it large.
fn collection<'a>(context: &Context<'_>, members: &[&'a Entity]) -> Option<(Severity, String, &'a Entity)> {
    let mut total: u64 = 0;
    let mut largest: Option<(u64, &Entity)> = None;
    for entity in members.iter().copied() {
        let size = item_size(entity);
        let weight = match count(context, entity) {
            Count::Max(count) => count.saturating_mul(size.max.unwrap_or(size.usual)),
            Count::Usual(count) => count.saturating_mul(BUSIEST_FACTOR).saturating_mul(size.usual),
            Count::Unknown => {
                let how = format!("nothing limits the number of `{}` items", entity.name);
                return Some((Severity::Warning, how, entity));
            }
        };
        total = total.saturating_add(weight);
        if largest.is_none_or(|(most, _)| weight > most) {
            largest = Some((weight, entity));
        }
    }
    let (_, entity) = largest.filter(|_| total > COLLECTION_BYTES_MAX)?;
    let how = format!("with its `{}` items it can reach {}", entity.name, bytes(total));
    Some((Severity::Error, how, entity))
}

/// The number of items of an entity under one partition key.
enum Count {
    Max(u64),
    Usual(u64),
    Unknown,
}

fn count(context: &Context<'_>, entity: &Entity) -> Count {
    let own: Vec<&str> = entity.key.partition.fields().collect();
    let further =
        entity.key.sort.as_ref().is_some_and(|sort| sort.fields().any(|field| !own.contains(&field)));
    if !further {
        return Count::Max(1);
    }
    let relation = context
        .directory
        .relations_to(entity)
        .find(|relation| relation.by.as_deref().is_none_or(|by| own.contains(&by)));
    match relation.map(|relation| relation.cardinality) {
        Some(Cardinality::One) => Count::Max(1),
        Some(Cardinality::Many { max: Some(max), .. }) => Count::Max(max),
        Some(Cardinality::Many { usual: Some(usual), .. }) => Count::Usual(usual),
        _ => Count::Unknown,
    }
}

/// Whether two partition templates make the same keys, from fields that may have different names.
fn alike(one: &Template, other: &Template) -> bool {
    let same = |(one, other): (&Part, &Part)| match (one, other) {
        (Part::Literal(one), Part::Literal(other)) => one == other,
        (Part::Field { .. }, Part::Field { .. }) => true,
        (one, other) => one == other,
    };
    one.parts.len() == other.parts.len() && one.parts.iter().zip(&other.parts).all(same)
}
