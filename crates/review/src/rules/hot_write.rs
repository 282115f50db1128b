//! `hot-write`: more writes on one partition key than a partition serves.

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{Distinct, PARTITION_WRITE_UNITS_MAX};
use crate::finding::Severity;
use crate::partition::{ASSUMED, Partition, calls, partitions, sharded_for};
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "hot-write",
    summary: "more writes on one partition key than a partition serves",
    page: include_str!("hot_write.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context).filter(Partition::is_first) {
        let Some(load) = partition.load else { continue };
        let known = load.busiest_write_units().filter(|units| *units > PARTITION_WRITE_UNITS_MAX / 2.0);
        // Keys with many values: where nothing says how the calls are spread, the ceiling itself is what counts.
        let assumed = Some(load.assumed_write_units())
            .filter(|units| load.distinct() == Distinct::Many && *units > PARTITION_WRITE_UNITS_MAX);
        let Some(units) = known.or(assumed) else { continue };
        let sure = known.is_some_and(|units| units > PARTITION_WRITE_UNITS_MAX);
        let severity = if sure { Severity::Error } else { Severity::Warning };
        let writers = &load.writes;
        let message = format!(
            "{}: with {} it needs {} write units a second, the ceiling is 1,000{}",
            partition.busiest_name(),
            calls(writers),
            number(units),
            if known.is_some() { "" } else { ASSUMED },
        );
        let needed = units / (PARTITION_WRITE_UNITS_MAX / 2.0);
        let otherwise = "spread the writes over several keys: put a field into the partition key that differs \
                         between them";
        let fixes = sharded_for(context, &partition, needed, otherwise);
        findings.report(severity, partition.span, partition.subjects(), message, fixes);
    }
}
