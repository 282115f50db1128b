//! `embedding`: a list that should be items of its own, or items that should be part of another.

use std::collections::BTreeSet;
use std::sync::Arc;

use singlet_design::{
    Cardinality, Entity, Field, FieldType, Operation, Pattern, Projection, Query, Relation, Subject,
};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::criteria::{Criterion, Evidence, Place};
use crate::estimate::{field_size, item_size};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "embedding",
    summary: "a list that should be items of its own, or items that should be part of another",
    page: include_str!("embedding.md"),
    check: Check::Review(check),
};

/// Criteria that must be for the other place.
const CRITERIA_NEEDED: usize = 3;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (entity, field) in context.fields().filter(|(_, field)| has_documents(&field.kind)) {
        embedded(context, findings, entity, field);
    }
    for entity in &context.design.entities {
        for relation in &entity.relations {
            let child = context.directory.entity(&relation.entity);
            if let Some(child) = child.filter(|child| can_be_embedded(context, entity, child)) {
                referenced(context, findings, entity, relation, child);
            }
        }
    }
}

/// Whether a field is a list or map of objects. Plain values are no documents.
fn has_documents(kind: &FieldType) -> bool {
    matches!(kind, FieldType::List { of, .. } | FieldType::Map { of, .. } if matches!(**of, FieldType::Object(_)))
}

/// Whether items of an entity could be part of another item: they are found, referred to and expire only with it.
fn can_be_embedded(context: &Context<'_>, parent: &Entity, child: &Entity) -> bool {
    let one_parent = context.directory.relations_to(child).count() == 1;
    let free = child.indexes.is_empty() && child.unique.is_empty() && child.ttl.is_none();
    let referred = context.directory.referrers(child).next().is_some();
    parent.name != child.name && parent.table.label == child.table.label && one_parent && free && !referred
}

/// Weighs a list that is embedded.
fn embedded(context: &Context<'_>, findings: &mut Findings, entity: &Arc<Entity>, field: &Field) {
    let elements_max = match &field.kind {
        FieldType::List { max, .. } | FieldType::Map { max, .. } => max.map(u64::from),
        _ => return,
    };
    let mut evidence = Evidence { elements_max, bytes_max: field_size(field).max, ..Evidence::default() };
    for pattern in callers(context, [entity]) {
        let rate = pattern.rate.map_or(0.0, |rate| rate.per_second);
        if pattern.reads() {
            if leaves(pattern).iter().any(|leaf| returns(leaf, entity, Some(&field.name))) {
                evidence.reads_together += rate;
            } else if leaves(pattern).iter().any(|leaf| returns(leaf, entity, None)) {
                evidence.reads_apart += rate;
            }
            continue;
        }
        let Some(with_others) = leaves(pattern).iter().find_map(|leaf| changes(leaf, entity, &field.name))
        else {
            continue;
        };
        evidence.changes += rate;
        note(&mut evidence, with_others, pattern);
    }
    let criteria = evidence.criteria();
    if count(&criteria, Place::Referenced) < CRITERIA_NEEDED || count(&criteria, Place::Embedded) > 1 {
        return;
    }
    let message = format!(
        "`{}` of `{}` is embedded, but {}",
        field.name,
        entity.name,
        verdict(&criteria, Place::Referenced, "items of its own"),
    );
    let fix = Fix::advice(format!(
        "make the elements an entity with the key of `{}` and an id of their own; a query of both entities still reads them \
         together",
        entity.name,
    ));
    findings.report(Severity::Info, field.span, vec![Subject::entity(entity)], message, Some(fix));
}

/// Weighs items that refer to another one.
fn referenced(
    context: &Context<'_>,
    findings: &mut Findings,
    parent: &Arc<Entity>,
    relation: &Relation,
    child: &Arc<Entity>,
) {
    let elements_max = match relation.cardinality {
        Cardinality::One => Some(1),
        Cardinality::Many { max, .. } => max,
    };
    let bytes_max = elements_max.zip(item_size(child).max).map(|(count, each)| count.saturating_mul(each));
    let mut evidence = Evidence { elements_max, bytes_max, ..Evidence::default() };
    for pattern in callers(context, [parent, child]) {
        let rate = pattern.rate.map_or(0.0, |rate| rate.per_second);
        if pattern.reads() {
            let of = |entity| leaves(pattern).iter().any(|leaf| returns(leaf, entity, None));
            match (of(parent), of(child)) {
                (true, true) => evidence.reads_together += rate,
                (false, false) => {}
                _ => evidence.reads_apart += rate,
            }
            continue;
        }
        let writes = |entity: &Entity| leaves(pattern).iter().any(|leaf| writes(leaf, entity));
        if writes(child) {
            evidence.changes += rate;
            note(&mut evidence, writes(parent), pattern);
        }
    }
    let criteria = evidence.criteria();
    let [_, access, ..] = &criteria;
    let is_clear = access.place == Some(Place::Embedded)
        && count(&criteria, Place::Embedded) >= CRITERIA_NEEDED
        && count(&criteria, Place::Referenced) == 0;
    if !is_clear {
        return;
    }
    let subjects = vec![Subject::entity(child), Subject::entity(parent)];
    let message = format!(
        "`{}` has items of its own, but {}",
        child.name,
        verdict(&criteria, Place::Embedded, &format!("a part of `{}`", parent.name)),
    );
    let kind =
        if elements_max == Some(1) { "an object" } else { "a list of objects with a `key` and a `max`" };
    let fix =
        Fix::advice(format!("make it a field of `{}`: {kind}; one read then returns both", parent.name));
    findings.report(Severity::Info, context.name_span(&Subject::entity(child)), subjects, message, Some(fix));
}

/// The patterns that callers can run and that use one of these entities, themselves or through others.
fn callers<'a, const N: usize>(context: &Context<'a>, entities: [&Arc<Entity>; N]) -> Vec<&'a Arc<Pattern>> {
    let mut found: Vec<&Arc<Pattern>> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let own = entities.into_iter().flat_map(|entity| context.directory.patterns_of(entity));
    found.extend(own.filter(|pattern| known.insert(&pattern.name)));
    let mut at = 0;
    while let Some(pattern) = found.get(at).copied() {
        found.extend(context.directory.users_of(pattern).filter(|user| known.insert(&user.name)));
        at += 1;
    }
    found.retain(|pattern| !pattern.internal);
    found
}

/// The pattern itself, or those that it runs in the end.
fn leaves(pattern: &Arc<Pattern>) -> Vec<&Arc<Pattern>> {
    let runs = pattern.runs();
    if runs.is_empty() { vec![pattern] } else { runs.into_iter().flat_map(leaves).collect() }
}

/// Whether a read returns items of an entity, and this field of them.
fn returns(pattern: &Pattern, entity: &Entity, field: Option<&str>) -> bool {
    let shown = |show: &Option<Vec<String>>| match (show, field) {
        (Some(show), Some(field)) => show.iter().any(|shown| shown.split('.').next() == Some(field)),
        _ => true,
    };
    let (show, on) = match &pattern.operation {
        Operation::Get(get) => (&get.show, get.on.as_ref()),
        Operation::BatchGet(batch) => (&batch.show, None),
        Operation::Query(Query { show, on, .. }) => (show, on.as_ref()),
        Operation::Scan(scan) if !scan.admin => (&scan.show, scan.on.as_ref()),
        _ => return false,
    };
    let projected = match (on.map(|index| &index.projection), field) {
        (Some(Projection::Keys), Some(_)) => false,
        (Some(Projection::Include(names)), Some(field)) => names.iter().any(|name| name == field),
        _ => true,
    };
    shown(show) && projected && pattern.entities().iter().any(|read| read.name == entity.name)
}

/// Whether a write changes other fields together with this one; `None` if it doesn't change this one.
fn changes(pattern: &Pattern, entity: &Entity, field: &str) -> Option<bool> {
    let Operation::Update(update) = &pattern.operation else { return None };
    let changed = || update.changes.iter().map(|change| change.field());
    let own = update.entity.name == entity.name && changed().any(|changed| changed == field);
    own.then(|| changed().any(|changed| changed != field))
}

/// Whether a write makes, changes or deletes items of an entity.
fn writes(pattern: &Pattern, entity: &Entity) -> bool {
    match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => insert.entity.name == entity.name,
        Operation::Update(update) => update.entity.name == entity.name,
        Operation::Delete(delete) => delete.entity.name == entity.name,
        _ => false,
    }
}

/// Notes a pattern that changes the part, alone or together with the rest.
fn note(evidence: &mut Evidence, together: bool, pattern: &Pattern) {
    let noted = if together { &mut evidence.changed_together } else { &mut evidence.changed_alone };
    noted.get_or_insert_with(|| pattern.name.clone());
}

fn count(criteria: &[Criterion], place: Place) -> usize {
    criteria.iter().filter(|criterion| criterion.place == Some(place)).count()
}

/// "4 of 5 criteria are for items of its own", with the reasons, and those against it.
fn verdict(criteria: &[Criterion; 5], place: Place, what: &str) -> String {
    let reasons = |wanted: bool| -> Vec<&str> {
        let clear = criteria.iter().filter(|criterion| criterion.place.is_some());
        let same = clear.filter(|criterion| (criterion.place == Some(place)) == wanted);
        same.map(|criterion| criterion.reason.as_str()).collect()
    };
    let (for_it, against) = (reasons(true), reasons(false));
    let but =
        if against.is_empty() { String::new() } else { format!("; against it: {}", against.join(", ")) };
    format!("{} of 5 criteria are for {what}: {}{but}", for_it.len(), for_it.join(", "))
}
