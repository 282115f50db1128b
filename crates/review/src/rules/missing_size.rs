//! `missing-size`: a field without a maximum.

use singlet_design::{FieldType, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "missing-size",
    summary: "a string, binary or free-form field without a maximum",
    page: include_str!("missing_size.md"),
    check: Check::Review(check),
};

/// The maximum that is proposed for a field without one.
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
        let fields = names(unbounded().map(|(field, _)| &field.name));
        let lack = if unbounded().nth(1).is_some() { "have no maximum" } else { "has no maximum" };
        let message =
            format!("{fields} of `{}` {lack}, so the largest item and its price are unknown", entity.name);
        let edits = unbounded().map(|(field, max)| context.with_max(entity, field, max)).collect();
        let fix = Fix::edits_or("give each a maximum", edits, "give each a maximum: `max = …`").as_example();
        findings.report(Severity::Info, first.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}
