//! Looks up a condition's placeholders, and rejects errors that depend on the kinds of its literals.

use std::cmp::Ordering;

use singlet_values::{AttributeValue, Kind};

use super::{Operand, Test};
use crate::error::Problem;
use crate::function::Function;
use crate::literal::Literal;
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::syntax::{self, Call, Comparator, Condition};

/// The maximum number of candidates for IN.
const CANDIDATES_MAX: usize = singlet_values::limits::EXPRESSION_IN_MAX;
/// DynamoDB's name for the kind of an operand that depends on the item.
const ANY_KIND: &str = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";
/// The kinds that have an order.
const ORDERED: &[Kind] = &[Kind::S, Kind::N, Kind::B];
/// The kinds that have a beginning.
const WITH_PREFIX: &[Kind] = &[Kind::S, Kind::B];
/// The kinds that have a size.
const WITH_SIZE: &[Kind] = &[Kind::S, Kind::B, Kind::Ss, Kind::Ns, Kind::Bs, Kind::L, Kind::M];

/// Binds a condition that has been checked. Each comparison is bound and checked before the next.
pub(super) fn bind_condition(
    condition: &Condition<'_>,
    placeholders: &mut Placeholders,
) -> Result<Test, Problem> {
    match condition {
        Condition::Or(parts) => bind_conditions(parts, placeholders).map(Test::Or),
        Condition::And(parts) => bind_conditions(parts, placeholders).map(Test::And),
        Condition::Not(inner) => Ok(Test::Not(Box::new(bind_condition(inner, placeholders)?))),
        Condition::Compare { left, comparator, right } => {
            bind_compare(left, *comparator, right, placeholders)
        }
        Condition::Between { operand, low, high } => bind_between([operand, low, high], placeholders),
        Condition::In { operand, candidates } => bind_in(operand, candidates, placeholders),
        Condition::Call(call) => bind_call(call, placeholders),
    }
}

fn bind_conditions(
    conditions: &[Condition<'_>],
    placeholders: &mut Placeholders,
) -> Result<Vec<Test>, Problem> {
    conditions.iter().map(|condition| bind_condition(condition, placeholders)).collect()
}

fn bind_compare(
    left: &syntax::Operand<'_>,
    comparator: Comparator,
    right: &syntax::Operand<'_>,
    placeholders: &mut Placeholders,
) -> Result<Test, Problem> {
    let left = bind_operand(left, placeholders)?;
    let right = bind_operand(right, placeholders)?;
    refuse_same(comparator.symbol(), &left, [&right])?;
    if !matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
        refuse_kinds(comparator.symbol(), ORDERED, [&left, &right])?;
    }
    Ok(Test::Compare { left, comparator, right })
}

fn bind_between(
    operands: [&syntax::Operand<'_>; 3],
    placeholders: &mut Placeholders,
) -> Result<Test, Problem> {
    let [operand, low, high] = operands;
    let operand = bind_operand(operand, placeholders)?;
    let low = bind_operand(low, placeholders)?;
    let high = bind_operand(high, placeholders)?;
    refuse_same("BETWEEN", &operand, [&low, &high])?;
    refuse_kinds("BETWEEN", ORDERED, [&operand, &low, &high])?;
    refuse_bounds(&low, &high)?;
    Ok(Test::Between { operand, low, high })
}

fn bind_in(
    operand: &syntax::Operand<'_>,
    candidates: &[syntax::Operand<'_>],
    placeholders: &mut Placeholders,
) -> Result<Test, Problem> {
    let operand = bind_operand(operand, placeholders)?;
    let candidates = bind_operands(candidates, placeholders)?;
    if candidates.len() > CANDIDATES_MAX {
        return Err(Problem::TooManyInOperands { count: candidates.len() });
    }
    refuse_same("IN", &operand, &candidates)?;
    Ok(Test::In { operand, candidates })
}

fn bind_operands(
    operands: &[syntax::Operand<'_>],
    placeholders: &mut Placeholders,
) -> Result<Vec<Operand>, Problem> {
    operands.iter().map(|operand| bind_operand(operand, placeholders)).collect()
}

fn bind_operand(operand: &syntax::Operand<'_>, placeholders: &mut Placeholders) -> Result<Operand, Problem> {
    match operand {
        syntax::Operand::Path(path) => Path::bind(path, placeholders).map(Operand::Path),
        syntax::Operand::Value(placeholder) => {
            Ok(Operand::Literal(placeholders.value(placeholder)?.clone().into()))
        }
        // After the check, only this function can be here.
        syntax::Operand::Call(call) => {
            let [inner] = take_operands(Function::Size, bind_operands(&call.operands, placeholders)?)?;
            refuse_kinds(Function::Size.name(), WITH_SIZE, [&inner])?;
            Ok(Operand::Size(Box::new(inner)))
        }
    }
}

fn bind_call(call: &Call<'_>, placeholders: &mut Placeholders) -> Result<Test, Problem> {
    let operands = bind_operands(&call.operands, placeholders)?;
    let Some(function) = Function::named(call.function) else {
        return Err(Problem::UnknownFunction { function: call.function.to_owned() });
    };
    match function {
        Function::AttributeExists => Ok(Test::Exists(take_path(function, operands)?)),
        Function::AttributeNotExists => Ok(Test::NotExists(take_path(function, operands)?)),
        Function::AttributeType => {
            let [operand, kind] = take_distinct(function, operands)?;
            Ok(Test::HasKind { operand, kind: named_kind(&kind)? })
        }
        Function::BeginsWith => {
            let [operand, prefix] = take_distinct(function, operands)?;
            refuse_kinds(function.name(), WITH_PREFIX, [&operand, &prefix])?;
            Ok(Test::BeginsWith { operand, prefix })
        }
        Function::Contains => {
            let [operand, part] = take_distinct(function, operands)?;
            Ok(Test::Contains { operand, part })
        }
        Function::Size | Function::IfNotExists | Function::ListAppend => {
            Err(Problem::MisusedFunction { function: function.name() })
        }
    }
}

/// The operands of a function that takes exactly `COUNT`.
fn take_operands<const COUNT: usize>(
    function: Function,
    operands: Vec<Operand>,
) -> Result<[Operand; COUNT], Problem> {
    let count = operands.len();
    operands.try_into().map_err(|_| Problem::OperandCount { function: function.name(), count })
}

fn take_distinct(function: Function, operands: Vec<Operand>) -> Result<[Operand; 2], Problem> {
    let [first, second] = take_operands(function, operands)?;
    refuse_same(function.name(), &first, [&second])?;
    Ok([first, second])
}

fn take_path(function: Function, operands: Vec<Operand>) -> Result<Path, Problem> {
    match take_operands(function, operands)? {
        [Operand::Path(path)] => Ok(path),
        _ => Err(Problem::NeedsPath { function: function.name() }),
    }
}

/// The kind that the second operand of `attribute_type` names.
fn named_kind(operand: &Operand) -> Result<Kind, Problem> {
    let wrong = |kind| Problem::OperandKind { operator: Function::AttributeType.name(), kind };
    match operand {
        Operand::Literal(literal) => match literal.value() {
            AttributeValue::S(name) => {
                Kind::from_code(name).ok_or_else(|| Problem::UnknownKind { name: name.clone() })
            }
            other => Err(wrong(other.kind().code())),
        },
        Operand::Size(_) => Err(wrong(Kind::N.code())),
        Operand::Path(_) => Err(wrong(ANY_KIND)),
    }
}

/// An operand must not be compared with itself.
fn refuse_same<'o>(
    operator: &'static str,
    first: &Operand,
    rest: impl IntoIterator<Item = &'o Operand>,
) -> Result<(), Problem> {
    match first {
        Operand::Path(path) if rest.into_iter().any(|other| other == first) => {
            Err(Problem::SameOperand { operator, path: path.to_string() })
        }
        _ => Ok(()),
    }
}

/// Operands of a known kind must be of a kind that the operator accepts.
fn refuse_kinds<'o>(
    operator: &'static str,
    allowed: &[Kind],
    operands: impl IntoIterator<Item = &'o Operand>,
) -> Result<(), Problem> {
    let known = |operand: &Operand| match operand {
        Operand::Path(_) => None,
        Operand::Literal(literal) => Some(literal.value().kind()),
        Operand::Size(_) => Some(Kind::N),
    };
    match operands.into_iter().filter_map(known).find(|kind| !allowed.contains(kind)) {
        Some(kind) => Err(Problem::OperandKind { operator, kind: kind.code() }),
        None => Ok(()),
    }
}

/// For BETWEEN with two literals, the first must not be above the second.
fn refuse_bounds(low: &Operand, high: &Operand) -> Result<(), Problem> {
    let (Operand::Literal(low), Operand::Literal(high)) = (low, high) else { return Ok(()) };
    let texts = |low: &Literal, high: &Literal| (low.to_string(), high.to_string());
    match low.view().partial_cmp(&high.view()) {
        None => {
            let (low, high) = texts(low, high);
            Err(Problem::BetweenKinds { low, high })
        }
        Some(Ordering::Greater) => {
            let (low, high) = texts(low, high);
            Err(Problem::BetweenOrder { low, high })
        }
        Some(_) => Ok(()),
    }
}
