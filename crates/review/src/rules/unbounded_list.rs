//! `unbounded-list`: lists, sets and maps without a maximum.

use std::sync::Arc;

use singlet_design::{Entity, Field, FieldType, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "unbounded-list",
    summary: "a list, set or map without a maximum",
    page: include_str!("unbounded_list.md"),
    check: Check::Review(check),
};

/// Bounds that are proposed: the first with which the item stays small enough.
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
        "{} of {} is a {kind} without a maximum: it grows until the item reaches 400 KB and writes are refused, and \
         until then every change rewrites and pays for all of it",
        field.name, entity.name,
    );
    use FieldType::{List, Map, Set};
    let itself =
        matches!(&field.kind, List { max: None, .. } | Set { max: None, .. } | Map { max: None, .. });
    let about = "say how many there can be, or give the elements items of their own";
    let bounded = |max: &u32| context.bounded(entity, field, *max).filter(|_| itself);
    let edits = ELEMENTS_PROPOSED.iter().filter_map(bounded);
    let mut fixes: Vec<Fix> = edits.map(|edit| Fix::edits(about, vec![edit]).as_example()).collect();
    fixes.push(Fix::advice("say how many there can be (`max = …`), or give the elements items of their own"));
    findings.report(Severity::Error, field.span, vec![Subject::entity(entity)], message, fixes);
}

/// What is unbounded in a type: itself, or something nested in it.
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
