//! Rules that a condition breaks for every item. Bound and built trees keep the same rules.

use std::cmp::Ordering;

use singlet_values::Kind;

use super::{Operand, Test};
use crate::check::check_operators;
use crate::error::Problem;
use crate::function::Function;
use crate::literal::Literal;
use crate::syntax::Comparator;

/// The maximum number of candidates for IN.
const CANDIDATES_MAX: usize = singlet_values::limits::EXPRESSION_IN_MAX;
/// The kinds that have an order.
const ORDERED: &[Kind] = &[Kind::S, Kind::N, Kind::B];
/// The kinds that have a beginning.
const WITH_PREFIX: &[Kind] = &[Kind::S, Kind::B];
/// The kinds that have a size.
const WITH_SIZE: &[Kind] = &[Kind::S, Kind::B, Kind::Ss, Kind::Ns, Kind::Bs, Kind::L, Kind::M];

impl Test {
    /// Checks the whole tree.
    pub(super) fn check(&self) -> Result<(), Problem> {
        check_operators(self.operators())?;
        for path in self.paths() {
            path.check()?;
        }
        self.check_deep()
    }

    /// The test, unless its own operands break a rule.
    pub(super) fn checked(self) -> Result<Test, Problem> {
        self.check_own()?;
        Ok(self)
    }

    fn check_deep(&self) -> Result<(), Problem> {
        match self {
            Test::Or(parts) | Test::And(parts) => parts.iter().try_for_each(Test::check_deep),
            Test::Not(part) => part.check_deep(),
            test => {
                test.operands().into_iter().try_for_each(Operand::check)?;
                test.check_own()
            }
        }
    }

    fn check_own(&self) -> Result<(), Problem> {
        match self {
            Test::Compare { left, comparator, right } => {
                refuse_same(comparator.symbol(), left, [right])?;
                match comparator {
                    Comparator::Equal | Comparator::NotEqual => Ok(()),
                    _ => refuse_kinds(comparator.symbol(), ORDERED, [left, right]),
                }
            }
            Test::Between { operand, low, high } => {
                refuse_same("BETWEEN", operand, [low, high])?;
                refuse_kinds("BETWEEN", ORDERED, [operand, low, high])?;
                refuse_bounds(low, high)
            }
            Test::In { operand, candidates } => {
                if candidates.len() > CANDIDATES_MAX {
                    return Err(Problem::TooManyInOperands { count: candidates.len() });
                }
                refuse_same("IN", operand, candidates)
            }
            Test::BeginsWith { operand, prefix } => {
                refuse_same(Function::BeginsWith.name(), operand, [prefix])?;
                refuse_kinds(Function::BeginsWith.name(), WITH_PREFIX, [operand, prefix])
            }
            Test::Contains { operand, part } => refuse_same(Function::Contains.name(), operand, [part]),
            Test::Or(_)
            | Test::And(_)
            | Test::Not(_)
            | Test::Exists(_)
            | Test::NotExists(_)
            | Test::HasKind { .. } => Ok(()),
        }
    }

    /// How many operators and functions the text of the tree has.
    fn operators(&self) -> usize {
        let inner = match self {
            Test::Or(parts) | Test::And(parts) => {
                let joints = parts.len().saturating_sub(1);
                return joints + parts.iter().map(Test::operators).sum::<usize>();
            }
            Test::Not(part) => part.operators(),
            test => test.operands().into_iter().map(Operand::operators).sum(),
        };
        1 + inner
    }
}

impl Operand {
    /// Checks an operand: only some kinds have a size.
    pub(super) fn check(&self) -> Result<(), Problem> {
        match self {
            Operand::Size(inner) => {
                inner.check()?;
                refuse_kinds(Function::Size.name(), WITH_SIZE, [&**inner])
            }
            Operand::Path(_) | Operand::Literal(_) => Ok(()),
        }
    }

    fn operators(&self) -> usize {
        match self {
            Operand::Size(inner) => 1 + inner.operators(),
            Operand::Path(_) | Operand::Literal(_) => 0,
        }
    }
}

/// An operand must not be compared with itself.
pub(super) fn refuse_same<'o>(
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
