//! Rules that an update breaks for every item. Bound and built updates keep the same rules.

use singlet_values::{AttributeValue, Kind};

use super::value::SetValue;
use super::{Action, Change};
use crate::check::check_operators;
use crate::error::Problem;
use crate::function::Function;
use crate::path::refuse_clashes;

/// The kinds that ADD can add.
const ADDED: &[Kind] = &[Kind::N, Kind::Ss, Kind::Ns, Kind::Bs];
/// The kinds that DELETE can remove.
const DELETED: &[Kind] = &[Kind::Ss, Kind::Ns, Kind::Bs];

/// Checks all actions of an update.
pub(super) fn check(actions: &[Action]) -> Result<(), Problem> {
    if actions.is_empty() {
        return Err(Problem::Empty);
    }
    check_operators(actions.iter().map(|action| action.change.operators()).sum())?;
    actions.iter().try_for_each(|action| action.path.check())?;
    refuse_clashes(actions.iter().map(|action| &action.path))?;
    actions.iter().rev().try_for_each(|action| match &action.change {
        Change::Set(value) => value.check_deep(),
        change => change.check_own(),
    })
}

impl Change {
    /// The change, unless its operand breaks a rule.
    pub(super) fn checked(self) -> Result<Change, Problem> {
        self.check_own()?;
        Ok(self)
    }

    fn check_own(&self) -> Result<(), Problem> {
        match self {
            Change::Add(value) => refuse_operand("ADD", ADDED, value),
            Change::Delete(value) => refuse_operand("DELETE", DELETED, value),
            Change::Set(_) | Change::Remove => Ok(()),
        }
    }

    fn operators(&self) -> usize {
        match self {
            Change::Set(value) => value.operators(),
            Change::Remove | Change::Add(_) | Change::Delete(_) => 0,
        }
    }
}

impl SetValue {
    /// The value, unless its own operands break a rule.
    pub(super) fn checked(self) -> Result<SetValue, Problem> {
        self.check_own()?;
        Ok(self)
    }

    fn check_deep(&self) -> Result<(), Problem> {
        match self {
            SetValue::Path(path) => path.check(),
            SetValue::Literal(_) => Ok(()),
            SetValue::IfNotExists(path, otherwise) => {
                path.check()?;
                otherwise.check_part()?;
                self.check_own()
            }
            SetValue::ListAppend(left, right)
            | SetValue::Sum(left, right)
            | SetValue::Difference(left, right) => {
                left.check_part()?;
                right.check_part()?;
                self.check_own()
            }
        }
    }

    /// Checks a value that is part of another.
    fn check_part(&self) -> Result<(), Problem> {
        let syntax = |token: &str| Problem::Syntax { token: token.to_owned(), near: token.to_owned() };
        match self {
            SetValue::Sum(..) => Err(syntax("+")),
            SetValue::Difference(..) => Err(syntax("-")),
            SetValue::ListAppend(..) => {
                Err(Problem::MisusedFunction { function: Function::ListAppend.name() })
            }
            value => value.check_deep(),
        }
    }

    fn check_own(&self) -> Result<(), Problem> {
        match self {
            SetValue::Sum(left, right) => refuse_kinds("+", Kind::N, [left, right]),
            SetValue::Difference(left, right) => refuse_kinds("-", Kind::N, [left, right]),
            SetValue::ListAppend(left, right) => {
                refuse_kinds(Function::ListAppend.name(), Kind::L, [left, right])
            }
            SetValue::IfNotExists(path, otherwise) => match &**otherwise {
                SetValue::Path(other) if other == path => Err(Problem::SameOperand {
                    operator: Function::IfNotExists.name(),
                    path: path.to_string(),
                }),
                _ => Ok(()),
            },
            SetValue::Path(_) | SetValue::Literal(_) => Ok(()),
        }
    }

    fn operators(&self) -> usize {
        match self {
            SetValue::Path(_) | SetValue::Literal(_) => 0,
            SetValue::IfNotExists(_, otherwise) => 1 + otherwise.operators(),
            SetValue::ListAppend(left, right)
            | SetValue::Sum(left, right)
            | SetValue::Difference(left, right) => 1 + left.operators() + right.operators(),
        }
    }
}

/// Literals must be of the one kind that the operator accepts.
fn refuse_kinds(operator: &'static str, allowed: Kind, operands: [&SetValue; 2]) -> Result<(), Problem> {
    for operand in operands {
        if let SetValue::Literal(value) = operand
            && value.kind() != allowed
        {
            return Err(Problem::OperandKind { operator, kind: value.kind().code() });
        }
    }
    Ok(())
}

fn refuse_operand(action: &'static str, allowed: &[Kind], value: &AttributeValue) -> Result<(), Problem> {
    if allowed.contains(&value.kind()) {
        Ok(())
    } else {
        Err(Problem::ActionOperandKind { action, kind: long_name(value.kind()) })
    }
}

/// ADD and DELETE have their own names for the kinds.
fn long_name(kind: Kind) -> &'static str {
    match kind {
        Kind::S => "STRING",
        Kind::N => "NUMBER",
        Kind::B => "BINARY",
        Kind::Bool => "BOOLEAN",
        Kind::Null => "NULL",
        Kind::M => "MAP",
        Kind::L => "LIST",
        Kind::Ss => "STRING_SET",
        Kind::Ns => "NUMBER_SET",
        Kind::Bs => "BINARY_SET",
    }
}
