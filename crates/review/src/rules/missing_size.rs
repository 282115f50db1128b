//! `missing-size`: a field whose size nothing bounds.

use singlet_design::{FieldType, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::list;

pub(super) static RULE: Rule = Rule {
    id: "missing-size",
    summary: "a text, binary or free-form field without a bound",
    page: include_str!("missing_size.md"),
    check: Check::Review(check),
};

/// A bound that is proposed for each kind of field.
fn proposed(kind: &FieldType) -> Option<u32> {
    match kind {
        FieldType::Text { max: None, .. } => Some(200),
        FieldType::Binary { max: None } | FieldType::Any { max_bytes: None } => Some(4096),
        _ => None,
    }
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        let unbounded = || {
            let fields = entity.fields.iter();
            fields.filter_map(|field| Some((field, proposed(&field.kind)?)))
        };
        let Some((first, _)) = unbounded().next() else { continue };
        let names = list(unbounded().map(|(field, _)| field.name.clone()));
        let lack = if unbounded().nth(1).is_some() { "have no bound" } else { "has no bound" };
        let message =
            format!("{names} of {} {lack}: the largest item and its price can't be told", entity.name);
        let edits = unbounded().map(|(field, max)| context.bounded(entity, field, max)).collect();
        let fix = Fix::edits_or("say how large they can be", edits, "say how large they can be: `max = …`")
            .as_example();
        findings.report(Severity::Info, first.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}
