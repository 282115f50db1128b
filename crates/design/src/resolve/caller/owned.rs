//! The items of a pattern that have an owner, and the field that names the owner.

use std::sync::Arc;

use super::bound::is_id;
use crate::model::{Callers, Entity, FieldType, Index, Operation, Pattern, Projection};

/// Returns the entities of the items whose owner a pattern can look at: those that it shows or changes. Empty if it can't.
pub(super) fn owned(pattern: &Pattern) -> Vec<&Arc<Entity>> {
    match &pattern.operation {
        Operation::Get(get) => vec![&get.entity],
        Operation::BatchGet(batch) => vec![&batch.entity],
        Operation::Query(query) => query.entities.iter().collect(),
        Operation::Scan(scan) => vec![&scan.entity],
        Operation::Put(insert) => vec![&insert.entity],
        Operation::Update(update) => vec![&update.entity],
        Operation::Delete(delete) => vec![&delete.entity],
        Operation::Merge(merge) => owned(&merge.walk.run),
        Operation::Gather(gather) => owned(&gather.walk.run),
        Operation::Claim(walk) | Operation::Bulk(walk) => match &walk.run.operation {
            Operation::Put(_) | Operation::Update(_) | Operation::Delete(_) => owned(&walk.run),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Returns the field of an entity in which its owner is: the id of a caller's own item, or the only reference to callers.
pub(super) fn owner_field<'e>(callers: &Callers, entity: &'e Entity) -> Option<&'e str> {
    if entity.name == callers.entity.name {
        return entity.field(&callers.id).map(|field| field.name.as_str());
    }
    let references = entity.fields.iter().filter(|field| field.can_refer_to(&callers.entity.name));
    let names: Vec<&str> = references.map(|field| field.name.as_str()).collect();
    super::bound::chosen(callers, &names)
}

/// Returns whether a field of an entity holds several references; `None` if it can't hold an owner.
pub(super) fn is_several(callers: &Callers, entity: &Entity, field: &str) -> Option<bool> {
    let found = entity.field(field)?;
    let is_own = entity.name == callers.entity.name && field == callers.id;
    let fits = |kind: &FieldType| is_id(callers, kind);
    match &found.kind {
        kind if fits(kind) && (is_own || found.can_refer_to(&callers.entity.name)) => Some(false),
        FieldType::List { of, .. } | FieldType::Set { of, .. }
            if fits(of) && found.can_refer_to(&callers.entity.name) =>
        {
            Some(true)
        }
        _ => None,
    }
}

/// Returns whether the items that a read returns have a field, so that the owner can be looked at.
pub(super) fn is_returned(pattern: &Pattern, field: &str) -> bool {
    let shown =
        |show: &Option<Vec<String>>| show.as_ref().is_none_or(|show| show.iter().any(|shown| shown == field));
    let carried = |entities: &[&Arc<Entity>], on: &Option<Arc<Index>>| {
        on.as_ref().is_none_or(|index| match &index.projection {
            Projection::All => true,
            Projection::Include(names) if names.iter().any(|name| name == field) => true,
            Projection::Keys | Projection::Include(_) => {
                entities.iter().all(|entity| is_key(entity, index, field))
            }
        })
    };
    match &pattern.operation {
        Operation::Get(get) => shown(&get.show) && carried(&[&get.entity], &get.on),
        Operation::BatchGet(batch) => shown(&batch.show),
        Operation::Query(query) => {
            shown(&query.show) && carried(&query.entities.iter().collect::<Vec<_>>(), &query.on)
        }
        Operation::Scan(scan) => shown(&scan.show) && carried(&[&scan.entity], &scan.on),
        Operation::Merge(merge) => is_returned(&merge.walk.run, field),
        Operation::Gather(gather) => is_returned(&gather.walk.run, field),
        _ => true,
    }
}

/// Whether a field is a key attribute of the table or index itself, so that every projection has it.
fn is_key(entity: &Entity, index: &Index, field: &str) -> bool {
    entity.table.key().chain(index.key()).any(|attribute| attribute.name == field)
}
