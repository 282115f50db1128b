//! `transaction-size`: transactions that may pass a hundred writes or 4 MB.

use singlet_design::{FieldType, Operation, ParameterType, Pattern, Step, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{ITEM_BYTES_MAX, item_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "transaction-size",
    summary: "a transaction that may pass 100 writes or 4 MB",
    page: include_str!("transaction_size.md"),
    check: Check::Review(check),
};

const WRITES_MAX: u64 = 100;
const BYTES_MAX: u64 = 4 * 1024 * 1024;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Transaction(transaction) = &pattern.operation else { continue };
        // `wide-fan-out` tells of steps that nothing bounds.
        let Some(steps) =
            transaction.steps.iter().map(|step| step_size(pattern, step)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let writes: u64 = steps.iter().map(|(writes, _)| writes).sum();
        let size: u64 = steps.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let how = match (writes, size) {
            (writes, _) if writes > WRITES_MAX => {
                format!("can have {writes} writes; a transaction of more than {WRITES_MAX} is refused")
            }
            (_, size) if size > BYTES_MAX => {
                format!("can have {}; a transaction of more than 4 MB is refused", bytes(size))
            }
            _ => continue,
        };
        let message = format!("{} {how}", pattern.name);
        let fix =
            Fix::advice("bound the lists with `max` in their steps; reservations of unique fields count too");
        let place = context.place(&Subject::pattern(pattern), "transaction");
        findings.report(Severity::Error, place, vec![Subject::pattern(pattern)], message, Some(fix));
    }
}

/// Most writes and bytes of a step: each write with the reservations of its unique fields (an update gives one back
/// and takes one), for each element of its list. `None` if nothing bounds that.
fn step_size(pattern: &Pattern, step: &Step) -> Option<(u64, u64)> {
    let (entity, unique) = match &step.pattern.operation {
        Operation::Create(insert) => (&insert.entity, insert.entity.unique.len()),
        Operation::Put(insert) => (&insert.entity, insert.entity.unique.len() * 2),
        Operation::Update(update) => (&update.entity, update.entity.unique.len() * 2),
        Operation::Delete(delete) => (&delete.entity, delete.entity.unique.len()),
        Operation::Check(check) => (&check.entity, 0),
        _ => return Some((0, 0)),
    };
    let each = match (&step.each, step.each_max) {
        (None, _) => 1,
        (Some(_), Some(max)) => u64::from(max),
        (Some((_, list)), None) => list_max(&pattern.parameter(list)?.kind)?,
    };
    let size = item_size(entity);
    // Items without a bound are told by the rules about fields.
    let largest = size.max.unwrap_or(size.usual).min(ITEM_BYTES_MAX);
    Some((each.saturating_mul(1 + unique as u64), each.saturating_mul(largest)))
}

fn list_max(kind: &ParameterType) -> Option<u64> {
    match kind {
        ParameterType::Field(FieldType::List { max, .. } | FieldType::Set { max, .. }) => max.map(u64::from),
        _ => None,
    }
}
