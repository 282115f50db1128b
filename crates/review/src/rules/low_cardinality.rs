//! `low-cardinality`: a partition key with few values.

use singlet_design::Part;

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{Distinct, distinct_keys};
use crate::finding::Severity;
use crate::partition::{partitions, sharded};

pub(super) static RULE: Rule = Rule {
    id: "low-cardinality",
    summary: "a partition key with few values",
    page: include_str!("low_cardinality.md"),
    check: Check::Review(check),
};

/// A key with this many values counts as well spread.
const VALUES_ENOUGH: u64 = 50;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context) {
        let parts = partition.templates.iter().flat_map(|template| &template.parts);
        let chosen =
            parts.clone().any(|part| matches!(part, Part::Field { format, .. } if !format.cuts_time()));
        let sharded_already = parts.clone().any(|part| matches!(part, Part::Shard { .. }));
        let timed =
            parts.clone().any(|part| matches!(part, Part::Field { format, .. } if format.cuts_time()));
        let Distinct::Exactly(count) = distinct_keys(partition.entity, partition.templates) else { continue };
        if !chosen || sharded_already || timed || count >= VALUES_ENOUGH {
            continue;
        }
        let message = format!(
            "{} has only {count} values in {}: all `{}` items share {count} partition keys, and the most common value \
             gets most of the traffic",
            partition.source(),
            partition.table_or_index(),
            partition.entity.name,
        );
        let fixes = sharded(context, &partition, "add a field with many values to the partition key");
        findings.report(Severity::Warning, partition.span, partition.subjects(), message, fixes);
    }
}
