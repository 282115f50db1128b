//! `ttl-format`: a time-to-live attribute that never fires.

use super::Rule;
use crate::model::FieldType;
use crate::review::{Context, Findings, Fix, Severity, Subject};

pub(super) static RULE: Rule = Rule {
    id: "ttl-format",
    summary: "a time-to-live attribute that isn't a number of seconds",
    page: include_str!("ttl_format.md"),
    check,
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        let Some(field) = entity.table.ttl.as_ref().and_then(|attribute| entity.field(attribute)) else {
            continue;
        };
        if matches!(field.kind, FieldType::Epoch | FieldType::Int { .. }) {
            continue;
        }
        let message = format!(
            "{} of {} is the table's time to live and not a number of epoch seconds: such items never expire",
            field.name, entity.name,
        );
        let fix = Fix::advice(format!("declare it as `{} = \"epoch\"`", field.name));
        findings.report(Severity::Error, field.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}
