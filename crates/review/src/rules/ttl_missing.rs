//! `ttl-missing`: an entity that grows with time and never expires.

use singlet_design::{Cardinality, Entity, FieldType, Part, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "ttl-missing",
    summary: "an entity that grows with time and never expires",
    page: include_str!("ttl_missing.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        let Some(field) = entity.key.sort.as_ref().and_then(|sort| time_in(entity, sort)) else { continue };
        if entity.ttl.is_some() || is_bounded(context, entity) || context.directory.is_deleted(entity) {
            continue;
        }
        let message = format!(
            "`{}` gets a new item for each `{field}` and never expires, so its collections and their storage grow forever",
            entity.name,
        );
        let line = format!("ttl = \"365 days after {field}\"");
        let fix = Fix::line_after(
            "let old items expire",
            context.source,
            context.span(&Subject::entity(entity), "key"),
            &line,
        )
        .as_example();
        let fix = if entity.table.ttl.is_some() {
            fix
        } else {
            Fix::advice(format!(
                "give the table a `ttl` attribute, and add `{1}` to `{0}`",
                entity.name, line
            ))
        };
        findings.report(
            Severity::Warning,
            context.span(&Subject::entity(entity), "key"),
            vec![Subject::entity(entity)],
            message,
            Some(fix),
        );
    }
}

/// Whether something else limits its collections: a relation with a maximum, or a time in the partition key.
fn is_bounded(context: &Context<'_>, entity: &Entity) -> bool {
    let mut relations = context.directory.relations_to(entity);
    let related =
        relations.any(|relation| !matches!(relation.cardinality, Cardinality::Many { max: None, .. }));
    let cut = entity.key.partition.parts.iter().any(|part| match part {
        Part::Field { path, format } => {
            format.cuts_time() || matches!(entity.field_at(path), Some(FieldType::Date))
        }
        _ => false,
    });
    related || cut
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
