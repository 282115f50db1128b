//! `hot-counter`: a counter that is updated too often for one item.

use singlet_design::{BULK_BATCH_DEFAULT, Change, Operation, Pattern, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{PARTITION_WRITE_UNITS_MAX, distinct_keys};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "hot-counter",
    summary: "a counter that is updated more often than one item can be",
    page: include_str!("hot_counter.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Update(update) = &pattern.operation else { continue };
        let counts = update.changes.iter().any(|change| matches!(change, Change::Add { .. }));
        let rate = rate(context, pattern);
        if !counts || rate == 0.0 {
            continue;
        }
        let key = std::iter::once(&update.entity.key.partition).chain(&update.entity.key.sort);
        let even = distinct_keys(&update.entity, key).share();
        let Some(share) = even.into_iter().chain(pattern.busiest).reduce(f64::max) else { continue };
        let writes = rate * share;
        if writes <= PARTITION_WRITE_UNITS_MAX {
            continue;
        }
        let message = format!(
            "`{}` adds to the busiest `{}` item {} times a second, but one item takes {} writes a second",
            pattern.name,
            update.entity.name,
            number(writes),
            number(PARTITION_WRITE_UNITS_MAX),
        );
        let fix =
            Fix::advice("spread the counter over several items with a shard, and add them up when reading");
        let subjects = vec![Subject::pattern(pattern), Subject::entity(&update.entity)];
        findings.report(
            Severity::Error,
            context.span(&Subject::pattern(pattern), "add"),
            subjects,
            message,
            Some(fix),
        );
    }
}

/// Calls of an update in a second, including those as a step of transactions.
fn rate(context: &Context<'_>, pattern: &Pattern) -> f64 {
    let own = pattern.rate.map_or(0.0, |rate| rate.per_second);
    let within = context.directory.users_of(pattern).filter_map(|other| match &other.operation {
        Operation::Transaction(transaction) => {
            let steps = transaction.steps.iter().filter(|step| step.pattern.name == pattern.name).count();
            Some(other.rate?.per_second * f64::from(u32::try_from(steps).ok()?))
        }
        Operation::Claim(_) => Some(other.rate?.per_second),
        Operation::Bulk(_) => Some(other.rate?.per_second * f64::from(BULK_BATCH_DEFAULT)),
        _ => None,
    });
    own + within.sum::<f64>()
}
