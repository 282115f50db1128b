//! `hot-write`: more writes on one partition key than it serves.

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{Distinct, PARTITION_WRITE_UNITS_MAX};
use crate::finding::Severity;
use crate::partition::{Partition, assumption, calls, partitions, sharded_for};
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "hot-write",
    summary: "more writes on one partition key than it serves",
    page: include_str!("hot_write.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in partitions(context).filter(Partition::is_first) {
        let Some(load) = partition.load else { continue };
        let known = load.busiest_write_units().filter(|units| *units > PARTITION_WRITE_UNITS_MAX / 2.0);
        // If the spread over many keys is assumed, only a load above the limit is reported.
        let assumed = Some(load.assumed_write_units())
            .filter(|units| load.distinct() == Distinct::Many && *units > PARTITION_WRITE_UNITS_MAX);
        let Some(units) = known.or(assumed) else { continue };
        let sure = known.is_some_and(|units| units > PARTITION_WRITE_UNITS_MAX);
        let severity = if sure { Severity::Error } else { Severity::Warning };
        let message = format!(
            "{} needs {} write units a second ({}); one partition key serves {}{}",
            partition.busiest_name(),
            number(units),
            calls(&load.writes),
            number(PARTITION_WRITE_UNITS_MAX),
            if known.is_some() { String::new() } else { assumption() },
        );
        let needed = units / (PARTITION_WRITE_UNITS_MAX / 2.0);
        let otherwise = "spread the writes over several keys: add a field to the partition key that differs \
                         between them";
        let fixes = sharded_for(context, &partition, needed, otherwise);
        findings.report(severity, partition.span, partition.subjects(), message, fixes);
    }
}
