//! The route of a pattern that gives no path: its verb from the operation, its path from entity and key.

use super::resource::{FieldSource, Resources, fields, table_key};
use super::words::{joined, plural, without, words};
use crate::field::{FieldType, ParameterType};
use crate::model::{
    Argument, AskedKey, Binding, Entity, Get, Index, ListWalk, Operation, PathSegment, Pattern, Query,
    Transaction, Verb,
};
use crate::template::Template;

/// Words at the beginning of a read's name that its verb says already.
const READING: [&str; 4] = ["find", "get", "list", "read"];

/// A derived route, before conflicts with others are settled.
pub(super) struct RouteDraft {
    pub(super) verb: Verb,
    pub(super) path: Vec<PathSegment>,
    /// Whether the path names one item, so that another word must follow it.
    pub(super) is_item: bool,
    /// The name of the entity, whose words needn't be repeated.
    pub(super) about: String,
}

/// Derives the route of a pattern.
pub(super) fn derive(resources: &Resources<'_>, pattern: &Pattern) -> RouteDraft {
    let given = |field: &str| in_path(pattern, field).then(|| field.to_owned());
    let draft = of_operation(resources, pattern, &given).unwrap_or_else(|| named(pattern, verb(pattern)));
    RouteDraft { verb: with_body(draft.verb, pattern, &draft.path), ..draft }
}

/// The verb of a pattern at a path: what has no body can't take objects, and then becomes a request with a body.
pub(super) fn with_body(verb: Verb, pattern: &Pattern, path: &[PathSegment]) -> Verb {
    let has_body = !matches!(verb, Verb::Read | Verb::Remove);
    if has_body || fits_query(pattern, path) { verb } else { Verb::Submit }
}

/// The verb of a pattern, whatever its path is.
pub(super) fn verb(pattern: &Pattern) -> Verb {
    match &pattern.operation {
        Operation::Create(_) | Operation::Claim(_) => Verb::Submit,
        Operation::Put(_) => Verb::Replace,
        Operation::Update(_) => Verb::Change,
        Operation::Delete(_) => Verb::Remove,
        Operation::Transaction(transaction) => main_step(transaction).map_or(Verb::Submit, |main| main.0),
        Operation::Bulk(walk) => match walk.run.operation {
            Operation::Delete(_) if walk.query().is_some() => Verb::Remove,
            _ => Verb::Submit,
        },
        _ => Verb::Read,
    }
}

/// Whether a caller can give all parameters without a body.
fn fits_query(pattern: &Pattern, path: &[PathSegment]) -> bool {
    let in_path = |name: &str| path.contains(&PathSegment::Parameter(name.to_owned()));
    pattern.parameters.iter().all(|parameter| in_path(&parameter.name) || is_plain(&parameter.kind))
}

/// Whether a parameter is written as text: a value or a list of values.
fn is_plain(kind: &ParameterType) -> bool {
    match kind {
        ParameterType::Prefix => true,
        ParameterType::Field(FieldType::List { of, .. } | FieldType::Set { of, .. }) => is_scalar(of),
        ParameterType::Field(kind) => is_scalar(kind),
        ParameterType::ListOf(of) => matches!(&**of, ParameterType::Field(kind) if is_scalar(kind)),
        ParameterType::Keys(members) => matches!(members.as_slice(), [(_, kind)] if is_scalar(kind)),
    }
}

fn is_scalar(kind: &FieldType) -> bool {
    use FieldType::{Any, List, Map, Object, Set};
    !matches!(kind, List { .. } | Set { .. } | Map { .. } | Object(_) | Any { .. })
}

/// Whether a parameter can be a part of a path: always given, and a value that is short as text.
pub(super) fn in_path(pattern: &Pattern, name: &str) -> bool {
    pattern.parameter(name).is_some_and(|parameter| {
        let is_text = match &parameter.kind {
            ParameterType::Field(FieldType::Binary { .. }) => false,
            ParameterType::Field(kind) => is_scalar(kind),
            _ => false,
        };
        parameter.required && is_text
    })
}

/// The route of an operation; `None` if a field that the path needs isn't given.
fn of_operation(resources: &Resources<'_>, pattern: &Pattern, given: &FieldSource<'_>) -> Option<RouteDraft> {
    let item = |entity: &Entity| {
        let (partition, sort) = table_key(entity);
        resources.item(entity, &partition, &sort, given)
    };
    let verb = verb(pattern);
    match &pattern.operation {
        Operation::Get(get) => one(resources, get, given),
        Operation::Exists(get) => {
            let mut draft = one(resources, get, given)?;
            draft.path.push(PathSegment::Literal("exists".to_owned()));
            Some(draft)
        }
        Operation::Update(update) => Some(draft(verb, item(&update.entity)?, true, &update.entity.name)),
        Operation::Delete(delete) => Some(draft(verb, item(&delete.entity)?, true, &delete.entity.name)),
        Operation::Check(check) => {
            let mut path = item(&check.entity)?;
            path.push(PathSegment::Literal(joined(&without(&pattern.name, &check.entity.name))));
            Some(draft(verb, path, true, &check.entity.name))
        }
        Operation::Create(insert) => {
            let path = resources.collection(&insert.entity, given)?;
            Some(draft(verb, path, false, &insert.entity.name))
        }
        Operation::Put(insert) => match item(&insert.entity) {
            Some(path) => Some(draft(verb, path, true, &insert.entity.name)),
            None => {
                let path = resources.collection(&insert.entity, given)?;
                Some(draft(Verb::Submit, path, false, &insert.entity.name))
            }
        },
        Operation::Query(query) => list(resources, pattern, query, given),
        Operation::Count(count) => {
            let listed = list(resources, pattern, &count.query, given)?;
            Some(renamed(listed, joined(&words(&pattern.name))))
        }
        Operation::Scan(scan) => {
            let path = vec![PathSegment::Literal(plural(&words(&scan.entity.name)))];
            Some(draft(verb, path, false, &scan.entity.name))
        }
        Operation::BatchGet(_) => None,
        Operation::Transaction(transaction) => of_transaction(resources, transaction, given),
        Operation::Parts(parts) => {
            let first = parts.parts.first()?;
            let bound = |field: &str| through(&first.bindings, field, given);
            let found = of_operation(resources, &first.pattern, &bound)?;
            Some(followed(found, pattern))
        }
        Operation::Merge(merge) => of_walk(resources, pattern, &merge.walk, given),
        Operation::Gather(gather) => of_walk(resources, pattern, &gather.walk, given),
        Operation::Claim(walk) | Operation::Bulk(walk) => of_walk(resources, pattern, walk, given),
    }
}

/// The item that a get reads, through the table or an index.
fn one(resources: &Resources<'_>, get: &Get, given: &FieldSource<'_>) -> Option<RouteDraft> {
    let (partition, sort) = key_of(&get.entity, get.on.as_deref(), get.key.as_ref())?;
    if fields(&partition).is_empty() && get.on.is_some() {
        return None;
    }
    let path = resources.item(&get.entity, &partition, &sort, given)?;
    Some(draft(Verb::Read, path, true, &get.entity.name))
}

/// The list that a query reads. A list that has some of the items only is named after the pattern.
fn list(
    resources: &Resources<'_>,
    pattern: &Pattern,
    query: &Query,
    given: &FieldSource<'_>,
) -> Option<RouteDraft> {
    let entity = query.entities.first()?;
    let (partition, _) = key_of(entity, query.on.as_deref(), query.key.as_ref())?;
    if fields(&partition).is_empty() {
        return None;
    }
    let parent = resources.parent(&partition, given)?;
    let has_root = |name: &str| parent.root.is_some_and(|root| root.name == name);
    let path = if query.entities.iter().any(|entity| has_root(&entity.name)) || parent.is_subset {
        let mut path = parent.path;
        let about = parent.root.map_or("", |root| &root.name);
        path.push(PathSegment::Literal(joined(&without(&pattern.name, about))));
        path
    } else {
        resources.members(entity, &partition, false, given)?
    };
    Some(draft(Verb::Read, path, false, &entity.name))
}

/// The templates of the key by which a pattern reads.
fn key_of<'d>(
    entity: &'d Entity,
    on: Option<&Index>,
    asked: Option<&'d AskedKey>,
) -> Option<(Vec<&'d Template>, Vec<&'d Template>)> {
    if let Some(asked) = asked {
        return Some((asked.partition.iter().collect(), asked.sort.iter().collect()));
    }
    match on {
        None => Some(table_key(entity)),
        // An entry is found by its partition key alone.
        Some(index) => Some((entity.entry(&index.name)?.partition.iter().collect(), Vec::new())),
    }
}

/// A list below the parent of the list that a walk follows, named after the pattern.
fn of_walk(
    resources: &Resources<'_>,
    pattern: &Pattern,
    walk: &ListWalk,
    given: &FieldSource<'_>,
) -> Option<RouteDraft> {
    let source = of_operation(resources, walk.query()?, given)?;
    let verb = verb(pattern);
    if verb == Verb::Remove {
        return Some(RouteDraft { verb, ..source });
    }
    Some(RouteDraft { verb, ..renamed(source, joined(&words(&pattern.name))) })
}

/// The verb of a transaction and the position of the step that it is about: the first that writes, or a later one that
/// creates an item where the first only changes one.
fn main_step(transaction: &Transaction) -> Option<(Verb, usize)> {
    let verb_of = |at: usize| {
        transaction.steps.get(at).and_then(|step| match step.pattern.operation {
            Operation::Create(_) | Operation::Put(_) => Some(Verb::Submit),
            Operation::Update(_) => Some(Verb::Change),
            Operation::Delete(_) => Some(Verb::Remove),
            _ => None,
        })
    };
    let first = (0..transaction.steps.len()).find_map(|at| Some((verb_of(at)?, at)))?;
    let creates = |at: &usize| {
        let step = transaction.steps.get(*at);
        step.is_some_and(|step| matches!(step.pattern.operation, Operation::Create(_)) && step.each.is_none())
    };
    match (first.0, (0..transaction.steps.len()).find(creates)) {
        (Verb::Change, Some(at)) => Some((Verb::Submit, at)),
        _ => Some(first),
    }
}

fn of_transaction(
    resources: &Resources<'_>,
    transaction: &Transaction,
    given: &FieldSource<'_>,
) -> Option<RouteDraft> {
    let (verb, at) = main_step(transaction)?;
    let step = transaction.steps.get(at).filter(|step| step.each.is_none())?;
    let bound = |field: &str| through(&step.bindings, field, given);
    let found = of_operation(resources, &step.pattern, &bound)?;
    if verb != Verb::Submit || found.verb != Verb::Replace {
        return Some(RouteDraft { verb, ..found });
    }
    let entity = step.pattern.written().first().copied()?;
    Some(draft(verb, resources.collection(entity, &bound)?, false, &entity.name))
}

/// The parameter of a composed pattern that has the value of a field of its step.
fn through(bindings: &[Binding], field: &str, given: &FieldSource<'_>) -> Option<String> {
    match bindings.iter().find(|binding| binding.parameter == field).map(|binding| &binding.argument) {
        None => given(field),
        Some(Argument::Parameter(name)) => given(name),
        Some(_) => None,
    }
}

fn draft(verb: Verb, path: Vec<PathSegment>, is_item: bool, about: &str) -> RouteDraft {
    RouteDraft { verb, path, is_item, about: about.to_owned() }
}

/// A path with the pattern's name alone.
fn named(pattern: &Pattern, verb: Verb) -> RouteDraft {
    let mut name = words(&pattern.name);
    if verb == Verb::Read
        && name.len() > 1
        && name.first().is_some_and(|first| READING.contains(&first.as_str()))
    {
        name.remove(0);
    }
    draft(verb, vec![PathSegment::Literal(joined(&name))], false, "")
}

/// The same route with another word for its last one.
fn renamed(mut draft: RouteDraft, word: String) -> RouteDraft {
    let last = draft.path.iter_mut().rev().find(|segment| matches!(segment, PathSegment::Literal(_)));
    if let Some(last) = last {
        *last = PathSegment::Literal(word);
    }
    draft
}

/// The route of a part, and the name of the pattern that has it.
fn followed(found: RouteDraft, pattern: &Pattern) -> RouteDraft {
    let word = joined(&without(&pattern.name, &found.about));
    if !found.is_item {
        return renamed(found, word);
    }
    let mut path = found.path;
    path.push(PathSegment::Literal(word));
    RouteDraft { path, is_item: false, ..found }
}
