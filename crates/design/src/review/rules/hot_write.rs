//! `hot-write`: more writes on one partition key than a partition serves.

use super::{Check, Rule};
use crate::estimate::{KeyLoad, PARTITION_WRITE_UNITS_MAX};
use crate::review::partition::{Partition, calls, partitions, sharded_for};
use crate::review::text::number;
use crate::review::{Context, Findings, Severity};

pub(super) static RULE: Rule = Rule {
    id: "hot-write",
    summary: "more writes on one partition key than a partition serves",
    page: include_str!("hot_write.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context).filter(Partition::is_first) {
        let Some(units) = partition.load.and_then(KeyLoad::busiest_write_units) else { continue };
        if units <= PARTITION_WRITE_UNITS_MAX / 2.0 {
            continue;
        }
        let severity = if units > PARTITION_WRITE_UNITS_MAX { Severity::Error } else { Severity::Warning };
        let writers = partition.load.map_or(&[][..], |load| &load.writes);
        let message = format!(
            "{}: with {} it needs {} write units a second, the ceiling is 1,000",
            partition.busiest_name(),
            calls(writers),
            number(units),
        );
        let needed = units / (PARTITION_WRITE_UNITS_MAX / 2.0);
        let otherwise = "spread the writes over several keys: put a field into the partition key that differs \
                         between them";
        let fixes = sharded_for(context, &partition, needed, otherwise);
        findings.report(severity, partition.span, partition.subjects(), message, fixes);
    }
}
