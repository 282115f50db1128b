//! `sequential-partition`: a partition key of consecutive numbers.

use singlet_design::{FieldType, Part, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::keys::{Role, keys};

pub(super) static RULE: Rule = Rule {
    id: "sequential-partition",
    summary: "a partition key of consecutive numbers",
    page: include_str!("sequential_partition.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for key in keys(context).filter(|key| key.role == Role::Partition) {
        let counter = key.template.parts.iter().find_map(|part| match part {
            Part::Field { path, .. } => is_counter(key.entity.field_at(path)?).then_some(path),
            _ => None,
        });
        let spread = key.template.parts.iter().any(|part| match part {
            Part::Field { path, .. } => {
                matches!(key.entity.field_at(path), Some(FieldType::Id | FieldType::Text { .. }))
            }
            Part::Shard { .. } => true,
            Part::Literal(_) => false,
        });
        let Some(counter) = counter.filter(|_| !spread) else { continue };
        let message = format!(
            "`{}` has the whole number `{counter}` in {}: consecutive numbers need a counter that every new `{}` item \
             updates, and a caller who knows one can guess the next",
            key.template.source,
            key.table_or_index(),
            key.entity.name,
        );
        let field =
            key.entity.field(counter).map(|field| context.value_span(&Subject::field(key.entity, field)));
        let replace = |span| Fix::replace(format!("make `{counter}` an id"), span, "\"id\"");
        let advice =
            Fix::advice(format!("put an id into the key instead, and keep `{counter}` as an ordinary field"));
        let fixes: Vec<Fix> = field.map(replace).into_iter().chain([advice]).collect();
        findings.report(Severity::Warning, key.span, key.subjects(), message, fixes);
    }
}

/// Whether a field is a whole number without a small maximum. Years, floors and months have one.
fn is_counter(kind: &FieldType) -> bool {
    const SMALL: i64 = 10_000;
    match kind {
        FieldType::Int { max, .. } => max.as_ref().and_then(|max| max.to_i64()).is_none_or(|max| max > SMALL),
        _ => false,
    }
}
