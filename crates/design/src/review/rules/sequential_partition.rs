//! `sequential-partition`: a partition key that counts up.

use super::{Check, Rule};
use crate::model::FieldType;
use crate::review::keys::{Role, keys};
use crate::review::{Context, Findings, Fix, Severity};
use crate::template::Part;

pub(super) static RULE: Rule = Rule {
    id: "sequential-partition",
    summary: "a partition key that counts up",
    page: include_str!("sequential_partition.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for key in keys(context).filter(|key| key.role == Role::Partition) {
        let counter = key.template.parts.iter().find_map(|part| match part {
            Part::Field { path, .. } => {
                matches!(key.entity.field_at(path), Some(FieldType::Int { .. })).then_some(path)
            }
            _ => None,
        });
        let Some(counter) = counter else { continue };
        let message = format!(
            "`{}` leads with the whole number {counter} in {}: numbers that are given out in order put all new {} items \
             beside each other in time, and whoever knows one can guess the next",
            key.template.source,
            key.place_name(),
            key.entity.name,
        );
        let fix = Fix::advice(format!("make {counter} an id: `{counter} = \"id\"`"));
        findings.report(Severity::Warning, key.span, key.subjects(), message, Some(fix));
    }
}
