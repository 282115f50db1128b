//! `key-collision`: two items that can have one key.

use std::sync::Arc;

use singlet_design::{Entity, Field, FieldType, Made, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::partition::find;
use crate::pieces::{EntityKey, overlap};

pub(super) static RULE: Rule = Rule {
    id: "key-collision",
    summary: "two items that can have the same key",
    page: include_str!("key_collision.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        same_instant(context, entity, findings);
    }
    for own in context.design.tables.iter().flat_map(|table| context.keys.of_table(table)) {
        let entity = own.entity;
        let candidates = context.keys.candidates(&entity.table, None, &own.partition);
        let later = candidates.into_iter().filter(|other| other.entity.span.start > entity.span.start);
        for other in later.filter(|other| meet(own, other)).map(|other| other.entity) {
            let message = format!(
                "`{}` and `{}` can have the same key in the table: a write of one silently overwrites the other",
                entity.name, other.name,
            );
            let fix = Fix::advice(format!("begin the sort key of `{}` with a word of its own", other.name));
            let subjects = vec![Subject::entity(other), Subject::entity(entity)];
            findings.report(
                Severity::Error,
                context.span(&Subject::entity(other), "key"),
                subjects,
                message,
                Some(fix),
            );
        }
    }
}

/// Reports an entity whose keys differ only in the time of creation.
fn same_instant(context: &Context<'_>, entity: &Arc<Entity>, findings: &mut Findings) {
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let fields: Vec<_> = templates.flat_map(Template::fields).filter_map(|name| entity.field(name)).collect();
    let timed = fields.iter().find(|field| matches!(field.made, Some(Made::Created | Made::Updated)));
    let own_id = fields
        .iter()
        .any(|field| matches!(field.made, Some(Made::Uuid7 | Made::Uuid4 | Made::Ulid | Made::Secret)));
    // An id behind the time is there to tell items of one instant apart, even if the caller gives it.
    let is_timed = |field: &&&Field| matches!(field.made, Some(Made::Created | Made::Updated));
    let behind = fields.iter().rev().take_while(|field| !is_timed(field));
    let tells_apart = behind.into_iter().any(|field| {
        field.kind == FieldType::Id && field.refers_to.is_none() && field.refers_to_one_of.is_empty()
    });
    let Some(time) = timed.filter(|_| !own_id && !tells_apart) else { return };
    let message = format!(
        "two `{}` items created at the same instant have the same key, because only `{}` differs: the second overwrites \
         the first or is refused",
        entity.name, time.name,
    );
    let fix = with_id(context, entity, &time.name);
    findings.report(
        Severity::Error,
        context.span(&Subject::entity(entity), "key"),
        vec![Subject::entity(entity)],
        message,
        Some(fix),
    );
}

/// Adds an id after the time: one that the entity has, or a new one.
fn with_id(context: &Context<'_>, entity: &Arc<Entity>, time: &str) -> Fix {
    let about = "add an id after the time";
    let known = entity
        .fields
        .iter()
        .find(|field| matches!(field.made, Some(Made::Uuid7 | Made::Uuid4 | Made::Ulid)) && !field.optional);
    let name = known.map_or_else(|| format!("{}_id", entity.name.to_lowercase()), |field| field.name.clone());
    let template = std::iter::once(&entity.key.partition)
        .chain(&entity.key.sort)
        .find(|template| template.fields().any(|field| field == time));
    let written = context.span(&Subject::entity(entity), "key");
    let found = template.and_then(|template| Some((template, find(context, written, &template.source)?)));
    let edits = found.and_then(|(template, span)| {
        let text = format!("{}{}{{{name}}}", template.source, entity.table.separator);
        let key = Edit { span, text };
        if known.is_some() {
            return Some(vec![key]);
        }
        let field = context.value_span(&Subject::Field(entity.name.clone(), time.to_owned()));
        let taken = entity.field(&name).is_some();
        (!taken).then(|| vec![key, Edit::line_after(context.source, field, &format!("{name} = \"id\""))])
    });
    Fix::edits_or(about, edits, about)
}

fn meet(one: &EntityKey<'_>, two: &EntityKey<'_>) -> bool {
    let sorts_meet = match (&one.sort, &two.sort) {
        (Some(first), Some(second)) => overlap(first, second),
        _ => true,
    };
    sorts_meet && one.partition.iter().zip(&two.partition).all(|(one, two)| overlap(one, two))
}
