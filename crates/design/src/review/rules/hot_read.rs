//! `hot-read`: more reads on one partition key than a partition serves.

use super::{Check, Rule};
use crate::estimate::{KeyLoad, PARTITION_READ_UNITS_MAX};
use crate::review::partition::{Partition, calls, partitions, sharded_for};
use crate::review::text::number;
use crate::review::{Context, Findings, Severity};

pub(super) static RULE: Rule = Rule {
    id: "hot-read",
    summary: "more reads on one partition key than a partition serves",
    page: include_str!("hot_read.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context).filter(Partition::is_first) {
        let Some(units) = partition.load.and_then(KeyLoad::busiest_read_units) else { continue };
        if units <= PARTITION_READ_UNITS_MAX / 2.0 {
            continue;
        }
        let severity = if units > PARTITION_READ_UNITS_MAX { Severity::Error } else { Severity::Warning };
        let readers = partition.load.map_or(&[][..], |load| &load.reads);
        let message = format!(
            "{}: with {} it needs {} read units a second, the ceiling is 3,000",
            partition.busiest_name(),
            calls(readers),
            number(units),
        );
        let needed = units / (PARTITION_READ_UNITS_MAX / 2.0);
        let otherwise = "keep what is read so often under several keys, or answer such reads from a cache";
        let fixes = sharded_for(context, &partition, needed, otherwise);
        findings.report(severity, partition.span, partition.subjects(), message, fixes);
    }
}
