//! `ttl-missing`: an entity that only ever grows.

use super::{Check, Rule};
use crate::model::{Entity, FieldType};
use crate::review::{Context, Findings, Fix, Severity, Subject};
use crate::template::{Part, Template};

pub(super) static RULE: Rule = Rule {
    id: "ttl-missing",
    summary: "an entity that grows with time and never expires",
    page: include_str!("ttl_missing.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        let Some(field) = entity.key.sort.as_ref().and_then(|sort| time_in(entity, sort)) else { continue };
        if entity.ttl.is_some() {
            continue;
        }
        let message = format!(
            "{} grows with time, one item for each {field}, and never expires: its collections and their storage grow \
             for ever",
            entity.name,
        );
        let line = format!("ttl = \"365 days after {field}\"");
        let fix = Fix::line_after(
            "let old ones expire",
            context.source,
            context.place(&Subject::entity(entity), "key"),
            &line,
        );
        let fix = if entity.table.ttl.is_some() {
            fix
        } else {
            Fix::advice(format!("give the table a ttl attribute, and {} {line}", entity.name))
        };
        findings.report(
            Severity::Warning,
            context.place(&Subject::entity(entity), "key"),
            vec![Subject::entity(entity)],
            message,
            Some(fix),
        );
    }
}

fn time_in<'a>(entity: &Entity, template: &'a Template) -> Option<&'a str> {
    template.parts.iter().find_map(|part| match part {
        Part::Field { path, .. } => {
            matches!(entity.field_at(path), Some(FieldType::Time | FieldType::Date | FieldType::Epoch))
                .then_some(path.as_str())
        }
        _ => None,
    })
}
