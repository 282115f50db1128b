//! `shards-idle`: far more shards than the load needs.

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::PARTITION_WRITE_UNITS_MAX;
use crate::finding::Severity;
use crate::fix::Fix;
use crate::partition::{Partition, partitions, shards as shards_of};
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "shards-idle",
    summary: "far more shards than the declared rates need",
    page: include_str!("shards_idle.md"),
    check: Check::Review(check),
};

/// Shards from which reading all of them is expensive enough to report.
const SHARDS_MANY: u64 = 32;
/// A shard that takes fewer write units a second than this is idle.
const IDLE_UNITS: f64 = 10.0;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for partition in
        partitions(context).filter(|partition| partition.pattern.is_none() && partition.is_first())
    {
        let Some(load) = partition.load.filter(|load| load.spread.shards >= SHARDS_MANY) else { continue };
        let shards = load.spread.shards;
        let written = load.busiest_write_units().filter(|_| !load.writes.is_empty());
        let Some(units) = written.filter(|units| *units < IDLE_UNITS) else { continue };
        let message = format!(
            "{} is spread over {shards} shards in {}, but each uses only {} of its {} write units a second, and every list \
             reads all {shards}",
            partition.source(),
            partition.table_or_index(),
            number(units),
            number(PARTITION_WRITE_UNITS_MAX),
        );
        let fixes = fewer(context, &partition, shards, units);
        findings.report(Severity::Warning, partition.span, partition.subjects(), message, fixes);
    }
}

/// As many shards as serve the load at half of their limit, at least two.
fn fewer(context: &Context<'_>, partition: &Partition<'_>, shards: u64, units: f64) -> Vec<Fix> {
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand shards")]
    let needed = (units * shards as f64 / (PARTITION_WRITE_UNITS_MAX / 2.0)).ceil().clamp(2.0, 1000.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just above")]
    let count = (needed as u64).next_power_of_two();
    let mut fixes = shards_of(context, partition, count);
    fixes.push(Fix::advice(format!("use {count} shards, which are enough for the declared rates")));
    fixes
}
