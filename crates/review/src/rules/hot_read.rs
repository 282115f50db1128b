//! `hot-read`: more reads on one partition key than a partition serves.

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{Distinct, PARTITION_READ_UNITS_MAX};
use crate::finding::Severity;
use crate::partition::{ASSUMED, Partition, calls, partitions, sharded_for};
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "hot-read",
    summary: "more reads on one partition key than a partition serves",
    page: include_str!("hot_read.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context).filter(Partition::is_first) {
        let Some(load) = partition.load else { continue };
        let known = load.busiest_read_units().filter(|units| *units > PARTITION_READ_UNITS_MAX / 2.0);
        // Keys with many values: where nothing says how the calls are spread, the ceiling itself is what counts.
        let assumed = Some(load.assumed_read_units())
            .filter(|units| load.distinct() == Distinct::Many && *units > PARTITION_READ_UNITS_MAX);
        let Some(units) = known.or(assumed) else { continue };
        let sure = known.is_some_and(|units| units > PARTITION_READ_UNITS_MAX);
        let severity = if sure { Severity::Error } else { Severity::Warning };
        let readers = &load.reads;
        let message = format!(
            "{}: with {} it needs {} read units a second, the ceiling is 3,000{}",
            partition.busiest_name(),
            calls(readers),
            number(units),
            if known.is_some() { "" } else { ASSUMED },
        );
        let needed = units / (PARTITION_READ_UNITS_MAX / 2.0);
        let otherwise = "keep what is read so often under several keys, or answer such reads from a cache";
        let fixes = sharded_for(context, &partition, needed, otherwise);
        findings.report(severity, partition.span, partition.subjects(), message, fixes);
    }
}
