//! `unbounded-list`: a list, set or map without a maximum.

use std::sync::Arc;

use singlet_design::{Entity, Field, FieldType, Subject};
use singlet_values::limits::ITEM_BYTES_MAX;

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "unbounded-list",
    summary: "a list, set or map without a maximum",
    page: include_str!("unbounded_list.md"),
    check: Check::Review(check),
};

/// Maximums that are proposed. The first with which the item is small enough is shown.
const ELEMENTS_PROPOSED: [u32; 3] = [100, 20, 5];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (entity, field) in context.fields() {
        if let Some(kind) = unbounded(&field.kind) {
            report(context, findings, entity, field, kind);
        }
    }
}

fn report(context: &Context<'_>, findings: &mut Findings, entity: &Arc<Entity>, field: &Field, kind: &str) {
    let message = format!(
        "`{}` of `{}` is a {kind} without a maximum: it can grow until the item reaches {} and writes are refused, and until \
         then every change rewrites the whole item",
        field.name,
        entity.name,
        bytes(ITEM_BYTES_MAX as u64),
    );
    use FieldType::{List, Map, Set};
    let itself =
        matches!(&field.kind, List { max: None, .. } | Set { max: None, .. } | Map { max: None, .. });
    let about = "give it a maximum, or store the elements as items of their own";
    let bounded = |max: &u32| context.with_max(entity, field, *max).filter(|_| itself);
    let edits = ELEMENTS_PROPOSED.iter().filter_map(bounded);
    let mut fixes: Vec<Fix> = edits.map(|edit| Fix::edits(about, vec![edit]).as_example()).collect();
    fixes.push(Fix::advice("give it a maximum (`max = …`), or store the elements as items of their own"));
    findings.report(Severity::Error, field.span, vec![Subject::entity(entity)], message, fixes);
}

/// The kind of collection without a maximum in a type: the type itself, or one nested in it.
fn unbounded(kind: &FieldType) -> Option<&'static str> {
    match kind {
        FieldType::List { max: None, .. } => Some("list"),
        FieldType::Set { max: None, .. } => Some("set"),
        FieldType::Map { max: None, .. } => Some("map"),
        FieldType::List { of, .. } | FieldType::Set { of, .. } | FieldType::Map { of, .. } => unbounded(of),
        FieldType::Object(fields) => fields.iter().find_map(|field| unbounded(&field.kind)),
        _ => None,
    }
}
