//! `transaction-size`: a transaction that can exceed DynamoDB's limits.

use singlet_design::{Operation, Pattern, Step, Subject};
use singlet_values::limits::{ITEM_BYTES_MAX, TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{checks, elements_max, item_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "transaction-size",
    summary: "a transaction that can exceed 100 writes or 4 MB",
    page: include_str!("transaction_size.md"),
    check: Check::Review(check),
};

const WRITES_MAX: u64 = TRANSACTION_ACTIONS_MAX as u64;
const BYTES_MAX: u64 = TRANSACTION_BYTES_MAX as u64;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Transaction(transaction) = &pattern.operation else { continue };
        // `wide-fan-out` reports lists without a maximum.
        let all = &transaction.steps;
        let Some(steps) = all.iter().map(|step| step_size(pattern, step, all)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let writes: u64 = steps.iter().map(|(writes, _)| writes).sum();
        let size: u64 = steps.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let how = match (writes, size) {
            (writes, _) if writes > WRITES_MAX => {
                format!("can have {writes} writes, but a transaction of more than {WRITES_MAX} is refused")
            }
            (_, size) if size > BYTES_MAX => {
                format!(
                    "can have {}, but a transaction of more than {} is refused",
                    bytes(size),
                    bytes(BYTES_MAX)
                )
            }
            _ => continue,
        };
        let message = format!("`{}` {how}", pattern.name);
        let fix = Fix::advice(
            "limit the lists with `max` in their steps; reservations and checks of references count as well",
        );
        let span = context.span(&Subject::pattern(pattern), "transaction");
        findings.report(Severity::Error, span, vec![Subject::pattern(pattern)], message, Some(fix));
    }
}

/// The most writes and bytes of a step. Each write counts with the reservations of its unique fields (an update releases
/// one and makes one) and the checks of its references, for each element of its list. `None` without a limit.
fn step_size(pattern: &Pattern, step: &Step, all: &[Step]) -> Option<(u64, u64)> {
    let (entity, unique) = match &step.pattern.operation {
        Operation::Create(insert) => (&insert.entity, insert.entity.unique.len()),
        Operation::Put(insert) => (&insert.entity, insert.entity.unique.len() * 2),
        Operation::Update(update) => (&update.entity, update.entity.unique.len() * 2),
        Operation::Delete(delete) => (&delete.entity, delete.entity.unique.len()),
        Operation::Check(check) => (&check.entity, 0),
        Operation::Get(get) => (&get.entity, 0),
        _ => return Some((0, 0)),
    };
    let each = elements_max(pattern, step, all)?;
    let size = item_size(entity);
    // The rules about fields report items without a largest size.
    let largest = size.max.unwrap_or(size.usual).min(ITEM_BYTES_MAX as u64);
    let (shared, own) = checks(step, all);
    let writes = each.saturating_mul(1 + unique as u64 + own).saturating_add(shared);
    Some((writes, each.saturating_mul(largest)))
}
