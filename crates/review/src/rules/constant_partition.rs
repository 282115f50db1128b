//! `constant-partition`: a partition key without a placeholder.

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{KeyLoad, PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX};
use crate::finding::Severity;
use crate::partition::{partitions, sharded};
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "constant-partition",
    summary: "a partition key that is the same for every item",
    page: include_str!("constant_partition.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context) {
        if partition.templates.iter().any(|template| template.fields().next().is_some()) {
            continue;
        }
        // A single item can't have another key.
        let own_sort = partition.entity.key.sort.as_ref();
        let single = own_sort.is_none_or(|sort| sort.fields().next().is_none());
        if single && partition.entry.is_none() && partition.pattern.is_none() {
            continue;
        }
        // Above the limit it is an error, which the rules for hot keys report with the numbers.
        if partition.load.and_then(KeyLoad::busiest_write_units) > Some(PARTITION_WRITE_UNITS_MAX) {
            continue;
        }
        let message = format!(
            "every `{}` has the partition key {} in {}: all of its traffic goes to one key, which serves {} write units \
             and {} read units a second",
            partition.entity.name,
            partition.source(),
            partition.table_or_index(),
            number(PARTITION_WRITE_UNITS_MAX),
            number(PARTITION_READ_UNITS_MAX),
        );
        let fixes = sharded(context, &partition, "put a field with many values into the partition key");
        findings.report(Severity::Warning, partition.span, partition.subjects(), message, fixes);
    }
}
