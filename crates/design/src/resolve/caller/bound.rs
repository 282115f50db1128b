//! Parameters that are the caller, and whether they protect what a pattern reads or writes.

use crate::condition::{Comparison, Condition, Operand, Tree};
use crate::model::{AskedKey, Callers, Entity, FieldType, Operation, ParameterType, Pattern};

/// Returns the parameters of a pattern that are an id of a caller.
pub(super) fn candidates<'p>(callers: &Callers, pattern: &'p Pattern) -> Vec<&'p str> {
    let entities = pattern.entities();
    let refers = |name: &str| {
        entities
            .iter()
            .any(|entity| entity.field(name).is_some_and(|field| field.can_refer_to(&callers.entity.name)))
    };
    let parameters = pattern.parameters.iter().filter(|parameter| {
        let fits = matches!(&parameter.kind, ParameterType::Field(kind) if is_id(callers, kind));
        fits && (parameter.name == callers.id || refers(&parameter.name))
    });
    parameters.map(|parameter| parameter.name.as_str()).collect()
}

/// Returns whether a value of a type can be the id of a caller.
pub(super) fn is_id(callers: &Callers, kind: &FieldType) -> bool {
    let is_text = |kind: &FieldType| matches!(kind, FieldType::Id | FieldType::Text { .. });
    let is_int = |kind: &FieldType| matches!(kind, FieldType::Int { .. });
    is_text(kind) && is_text(&callers.kind) || is_int(kind) && is_int(&callers.kind)
}

/// Returns the candidate that is meant if the design names none: the one that is called like the caller's id, or the
/// only one.
pub(super) fn chosen<'p>(callers: &Callers, candidates: &[&'p str]) -> Option<&'p str> {
    match candidates {
        [only] => Some(only),
        several => several.iter().find(|name| **name == callers.id).copied(),
    }
}

/// Returns whether a parameter determines which items a pattern reads or changes: it is in their key, or the condition
/// demands that a field is equal to it. A pattern that is composed of others passes it on.
pub(super) fn protects(pattern: &Pattern, parameter: &str) -> bool {
    match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => in_keys(&get.entity, get.key.as_ref(), parameter),
        Operation::Query(query) => listed(query, parameter),
        Operation::Count(count) => listed(&count.query, parameter),
        Operation::Scan(scan) => demanded(scan.filter.as_ref(), parameter),
        Operation::Update(update) => changed(&update.entity, update.condition.as_ref(), parameter),
        Operation::Delete(delete) => changed(&delete.entity, delete.condition.as_ref(), parameter),
        Operation::Check(check) => changed(&check.entity, check.condition.as_ref(), parameter),
        Operation::BatchGet(_) => false,
        // The new item has the caller in its field. A put also demands that the item before has it.
        Operation::Create(insert) | Operation::Put(insert) => insert.entity.field(parameter).is_some(),
        Operation::Transaction(_)
        | Operation::Parts(_)
        | Operation::Merge(_)
        | Operation::Gather(_)
        | Operation::Claim(_)
        | Operation::Bulk(_) => true,
    }
}

fn listed(query: &crate::model::Query, parameter: &str) -> bool {
    query.entities.iter().all(|entity| in_keys(entity, query.key.as_ref(), parameter))
        || demanded(query.filter.as_ref(), parameter)
}

fn changed(entity: &Entity, condition: Option<&Condition>, parameter: &str) -> bool {
    let mut templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    templates.any(|template| template.fields().any(|field| field == parameter))
        || demanded(condition, parameter)
}

fn in_keys(entity: &Entity, asked: Option<&AskedKey>, parameter: &str) -> bool {
    let of_table = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let of_indexes = entity.indexes.iter().flat_map(|entry| entry.partition.iter().chain(&entry.sort));
    let of_pattern = asked.into_iter().flat_map(|asked| asked.partition.iter().chain(&asked.sort));
    let mut templates = of_table.chain(of_indexes).chain(of_pattern);
    templates.any(|template| template.fields().any(|field| field == parameter))
}

/// Whether a condition demands that a field is equal to a parameter.
fn demanded(condition: Option<&Condition>, parameter: &str) -> bool {
    condition.is_some_and(|condition| demands(&condition.tree, parameter))
}

fn demands(tree: &Tree, parameter: &str) -> bool {
    match tree {
        Tree::And(all) => all.iter().any(|tree| demands(tree, parameter)),
        Tree::Or(any) => any.iter().all(|tree| demands(tree, parameter)),
        Tree::Compare(Operand::Path(_), Comparison::Equal, Operand::Parameter(name))
        | Tree::Compare(Operand::Parameter(name), Comparison::Equal, Operand::Path(_)) => name == parameter,
        Tree::Contains(_, Operand::Parameter(name)) => name == parameter,
        _ => false,
    }
}
