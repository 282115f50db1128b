//! `transaction-size`: transactions that may pass a hundred writes.

use super::{Check, Rule};
use crate::model::{FieldType, Operation, ParameterType, Pattern, Step};
use crate::review::{Context, Findings, Fix, Severity, Subject};

pub(super) static RULE: Rule = Rule {
    id: "transaction-size",
    summary: "a transaction that may pass 100 writes",
    page: include_str!("transaction_size.md"),
    check: Check::Review(check),
};

const WRITES_MAX: u64 = 100;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Transaction(transaction) = &pattern.operation else { continue };
        let writes: Option<u64> = transaction.steps.iter().map(|step| step_writes(pattern, step)).sum();
        let how = match writes {
            Some(writes) if writes <= WRITES_MAX => continue,
            Some(writes) => format!("can have {writes} writes"),
            None => "runs a step for each element of a list without a maximum".to_owned(),
        };
        let message = format!("{} {how}; a transaction of more than {WRITES_MAX} is refused", pattern.name);
        let fix = Fix::advice("bound the list with `max`, reservations of unique fields counted");
        let place = context.place(&Subject::pattern(pattern), "transaction");
        findings.report(Severity::Error, place, vec![Subject::pattern(pattern)], message, Some(fix));
    }
}

/// A write and the reservations of its unique fields (an update gives one back and takes one), for each element.
fn step_writes(pattern: &Pattern, step: &Step) -> Option<u64> {
    let unique = match &step.pattern.operation {
        Operation::Create(insert) => insert.entity.unique.len(),
        Operation::Put(insert) => insert.entity.unique.len() * 2,
        Operation::Update(update) => update.entity.unique.len() * 2,
        Operation::Delete(delete) => delete.entity.unique.len(),
        _ => 0,
    };
    let each = match &step.each {
        None => 1,
        Some((_, list)) => list_max(&pattern.parameter(list)?.kind)?,
    };
    Some(each.saturating_mul(1 + unique as u64))
}

fn list_max(kind: &ParameterType) -> Option<u64> {
    match kind {
        ParameterType::Field(FieldType::List { max, .. } | FieldType::Set { max, .. }) => max.map(u64::from),
        _ => None,
    }
}
