//! `time-partition`: a partition key that is a date or a time, without a shard.

use singlet_design::{Entity, FieldType, Part};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{Distinct, distinct_keys};
use crate::finding::Severity;
use crate::partition::{partitions, sharded};

pub(super) static RULE: Rule = Rule {
    id: "time-partition",
    summary: "a partition key that is a date or time, without a shard",
    page: include_str!("time_partition.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context) {
        let mut parts = partition.templates.iter().flat_map(|template| &template.parts);
        let sharded_already = parts.clone().any(|part| matches!(part, Part::Shard { .. }));
        let timed = parts.any(|part| is_time(partition.entity, part));
        let others = distinct_keys(partition.entity, partition.templates);
        if !timed || sharded_already || others == Distinct::Many {
            continue;
        }
        let message = format!(
            "{} is a time in {}: every `{}` written now goes to the newest key, and the older keys are idle",
            partition.source(),
            partition.table_or_index(),
            partition.entity.name,
        );
        let advice = "add a shard or a field with many values to the partition key";
        let fixes = sharded(context, &partition, advice);
        findings.report(Severity::Warning, partition.span, partition.subjects(), message, fixes);
    }
}

fn is_time(entity: &Entity, part: &Part) -> bool {
    match part {
        Part::Field { format, .. } if format.cuts_time() => true,
        Part::Field { path, .. } => matches!(entity.field_at(path), Some(FieldType::Date)),
        _ => false,
    }
}
