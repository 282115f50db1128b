//! `transaction-size`: a transaction that can exceed DynamoDB's limits.

use singlet_design::{
    Each, EachList, FieldType, Operation, Origin, ParameterType, Pattern, Reference, Step, Subject,
    ValueSource,
};
use singlet_values::limits::{ITEM_BYTES_MAX, TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::item_size;
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
    let each = match (&step.each, step.each_max) {
        (None, _) => 1,
        (Some(_), Some(max)) => u64::from(max),
        (Some(each), None) => list_max(pattern, all, each)?,
    };
    let size = item_size(entity);
    // The rules about fields report items without a largest size.
    let largest = size.max.unwrap_or(size.usual).min(ITEM_BYTES_MAX as u64);
    let (shared, own) = checks(step, all);
    let writes = each.saturating_mul(1 + unique as u64 + own).saturating_add(shared);
    Some((writes, each.saturating_mul(largest)))
}

/// The number of checks of a step's references: those shared by all elements of its list, and those of each element.
/// Items that another step writes or checks need no check.
fn checks(step: &Step, all: &[Step]) -> (u64, u64) {
    let references = step.pattern.checked_references().iter().filter(|reference| {
        let target = &reference.entity.name;
        !all.iter().any(|step| step.pattern.entities().iter().any(|entity| entity.name == *target))
    });
    let varies = |reference: &&Reference| {
        let sources = reference.key.iter().flat_map(|(_, own)| sources(&step.pattern, own));
        sources.into_iter().any(|parameter| varies_by_element(step, all, parameter))
    };
    let own = references.clone().filter(varies).count() as u64;
    (references.count() as u64 - own, own)
}

/// Whether a parameter of a step has another value for each element of its list: a member of the element, or a field of
/// another step for the same element.
fn varies_by_element(step: &Step, all: &[Step], parameter: &str) -> bool {
    let Some(each) = &step.each else { return false };
    let varies = |name: &str| {
        name == each.element || all.iter().any(|other| other.name == name && other.each.is_some())
    };
    let binding = step.bindings.iter().find(|binding| binding.parameter == parameter);
    binding.is_some_and(|binding| binding.argument.results().iter().any(|(name, _)| varies(name)))
}

/// The parameters that give a field its value.
fn sources<'a>(pattern: &'a Pattern, field: &'a str) -> Vec<&'a str> {
    let set = match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => insert.set.as_slice(),
        _ => &[],
    };
    match set.iter().find(|(name, _)| name == field).map(|(_, source)| source) {
        Some(ValueSource::Parameter(name)) => vec![name],
        Some(ValueSource::Composed(composed)) => {
            let names = composed.names().into_iter();
            names
                .filter_map(|name| match &name.origin {
                    Origin::Parameter(name) => Some(name.as_str()),
                    Origin::Field(_) | Origin::Result(..) => None,
                })
                .collect()
        }
        Some(ValueSource::Constant(_) | ValueSource::Now) => Vec::new(),
        None => vec![field],
    }
}

/// The maximum length of a list, if something declares it.
pub(super) fn list_max(pattern: &Pattern, steps: &[Step], each: &Each) -> Option<u64> {
    let kind = match &each.list {
        EachList::Parameter(name) => match &pattern.parameter(name)?.kind {
            ParameterType::Field(kind) => kind,
            _ => return None,
        },
        EachList::Result(name, field) => {
            let step = steps.iter().find(|step| step.name == *name)?;
            step.pattern.entities().first()?.field_at(field)?
        }
    };
    match kind {
        FieldType::List { max, .. } | FieldType::Set { max, .. } => max.map(u64::from),
        _ => None,
    }
}
