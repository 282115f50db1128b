//! Whether an item meets a condition.
//!
//! A missing operand makes every comparison false, except `<>`, which becomes true. Values of different kinds are never
//! equal and have no order.

use std::cmp::Ordering;

use singlet_values::{ItemRef, Number, ValueRef};

use super::search::contains_bytes;
use super::{Operand, Test};
use crate::syntax::Comparator;

impl Test {
    pub(super) fn matches(&self, item: ItemRef<'_>) -> bool {
        match self {
            Test::Or(parts) => parts.iter().any(|part| part.matches(item)),
            Test::And(parts) => parts.iter().all(|part| part.matches(item)),
            Test::Not(part) => !part.matches(item),
            Test::Compare { left, comparator, right } => {
                compare(left.find(item), *comparator, right.find(item))
            }
            Test::Between { operand, low, high } => {
                let found = operand.find(item);
                compare(low.find(item), Comparator::LessOrEqual, found)
                    && compare(found, Comparator::LessOrEqual, high.find(item))
            }
            Test::In { operand, candidates } => {
                let found = operand.find(item);
                candidates.iter().any(|candidate| compare(found, Comparator::Equal, candidate.find(item)))
            }
            Test::Exists(path) => path.find(item).is_some(),
            Test::NotExists(path) => path.find(item).is_none(),
            Test::HasKind { operand, kind } => {
                operand.find(item).is_some_and(|found| found.view().kind() == *kind)
            }
            Test::BeginsWith { operand, prefix } => both(operand.find(item), prefix.find(item), begins_with),
            Test::Contains { operand, part } => both(operand.find(item), part.find(item), contains),
        }
    }
}

/// The value of an operand: stored, or counted.
#[derive(Clone, Copy)]
enum Found<'a> {
    Stored(ValueRef<'a>),
    Count(Number),
}

impl Found<'_> {
    fn view(&self) -> ValueRef<'_> {
        match self {
            Found::Stored(value) => *value,
            Found::Count(number) => ValueRef::N(number.view()),
        }
    }
}

impl Operand {
    fn find<'a>(&'a self, item: ItemRef<'a>) -> Option<Found<'a>> {
        match self {
            Operand::Path(path) => path.find(item).map(Found::Stored),
            Operand::Literal(literal) => Some(Found::Stored(literal.view())),
            Operand::Size(inner) => {
                let count = size(inner.find(item)?.view())?;
                Some(Found::Count(Number::from(count as u64)))
            }
        }
    }
}

fn both(
    left: Option<Found<'_>>,
    right: Option<Found<'_>>,
    test: impl FnOnce(ValueRef<'_>, ValueRef<'_>) -> bool,
) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => test(left.view(), right.view()),
        _ => false,
    }
}

fn compare(left: Option<Found<'_>>, comparator: Comparator, right: Option<Found<'_>>) -> bool {
    let ordered = |accepted: fn(Ordering) -> bool| {
        both(left, right, |left, right| left.partial_cmp(&right).is_some_and(accepted))
    };
    match comparator {
        Comparator::Equal => both(left, right, |left, right| left == right),
        Comparator::NotEqual => !both(left, right, |left, right| left == right),
        Comparator::Less => ordered(Ordering::is_lt),
        Comparator::LessOrEqual => ordered(Ordering::is_le),
        Comparator::Greater => ordered(Ordering::is_gt),
        Comparator::GreaterOrEqual => ordered(Ordering::is_ge),
    }
}

/// The size of a value. For a string it is the number of UTF-16 code units, as in Java. Numbers, booleans and null have
/// no size.
fn size(value: ValueRef<'_>) -> Option<usize> {
    match value {
        ValueRef::S(text) if text.is_ascii() => Some(text.len()),
        ValueRef::S(text) => Some(text.encode_utf16().count()),
        ValueRef::B(bytes) => Some(bytes.len()),
        ValueRef::M(map) => Some(map.len()),
        ValueRef::L(list) => Some(list.len()),
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => Some(set.len()),
        ValueRef::N(_) | ValueRef::Bool(_) | ValueRef::Null => None,
    }
}

fn begins_with(value: ValueRef<'_>, prefix: ValueRef<'_>) -> bool {
    match (value, prefix) {
        (ValueRef::S(text), ValueRef::S(prefix)) => text.starts_with(prefix),
        (ValueRef::B(bytes), ValueRef::B(prefix)) => bytes.starts_with(prefix),
        _ => false,
    }
}

/// A part of a string or binary, or an element of a set or list.
fn contains(value: ValueRef<'_>, part: ValueRef<'_>) -> bool {
    match (value, part) {
        (ValueRef::S(text), ValueRef::S(part)) => text.contains(part),
        (ValueRef::B(bytes), ValueRef::B(part)) => contains_bytes(bytes, part),
        (ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set), part) => set.contains(part),
        (ValueRef::L(list), part) => list.iter().any(|element| element == part),
        _ => false,
    }
}
