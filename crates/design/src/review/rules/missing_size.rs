//! `missing-size`: a field whose size nothing bounds.

use super::{Check, Rule};
use crate::model::FieldType;
use crate::review::{Context, Findings, Fix, Severity, Subject};

pub(super) static RULE: Rule = Rule {
    id: "missing-size",
    summary: "a text, binary or free-form field without a bound",
    page: include_str!("missing_size.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (entity, field) in context.fields() {
        let what = match field.kind {
            FieldType::Text { max: None, .. } => "text",
            FieldType::Binary { max: None } => "binary",
            FieldType::Any { max_bytes: None } => "free-form field",
            _ => continue,
        };
        let message = format!(
            "{} of {} is a {what} without a bound: the largest item and its price can't be told",
            field.name, entity.name,
        );
        let fix = Fix::advice("say how large it can be: `max = …`");
        findings.report(Severity::Info, field.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}
