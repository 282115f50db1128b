//! Looks up an update's placeholders, and rejects errors that depend on the kinds of its literals.

use singlet_values::{AttributeValue, Kind};

use super::value::SetValue;
use super::{Action, Change};
use crate::error::Problem;
use crate::function::Function;
use crate::path::{Path, refuse_clashes};
use crate::placeholders::Placeholders;
use crate::syntax::{self, Call, Operand, Section, Update};

/// The kinds that ADD can add.
const ADDED: &[Kind] = &[Kind::N, Kind::Ss, Kind::Ns, Kind::Bs];
/// The kinds that DELETE can remove.
const DELETED: &[Kind] = &[Kind::Ss, Kind::Ns, Kind::Bs];

/// Binds an update that has been checked.
///
/// DynamoDB first checks whether the changed paths clash. Then it checks the values of the actions, from the last
/// action to the first.
pub(super) fn bind_update(
    update: &Update<'_>,
    placeholders: &mut Placeholders,
) -> Result<Vec<Action>, Problem> {
    let written: Vec<Written<'_, '_>> = update.sections.iter().flat_map(Written::of_section).collect();
    let mut paths = Vec::with_capacity(written.len());
    for action in &written {
        paths.push(Path::bind(action.path, placeholders)?);
    }
    refuse_clashes(paths.iter())?;

    let mut actions = Vec::with_capacity(written.len());
    for (action, path) in written.iter().zip(paths).rev() {
        actions.push(Action { path, change: action.bind(placeholders)? });
    }
    actions.reverse();
    Ok(actions)
}

/// An action as it was written.
struct Written<'s, 'a> {
    path: &'s syntax::Path<'a>,
    change: WrittenChange<'s, 'a>,
}

enum WrittenChange<'s, 'a> {
    Set(&'s syntax::SetValue<'a>),
    Remove,
    Add(&'a str),
    Delete(&'a str),
}

impl<'s, 'a> Written<'s, 'a> {
    fn of_section(section: &'s Section<'a>) -> Vec<Written<'s, 'a>> {
        let written = |path, change| Written { path, change };
        match section {
            Section::Set(actions) => {
                actions.iter().map(|(path, value)| written(path, WrittenChange::Set(value))).collect()
            }
            Section::Remove(paths) => paths.iter().map(|path| written(path, WrittenChange::Remove)).collect(),
            Section::Add(actions) => {
                actions.iter().map(|(path, value)| written(path, WrittenChange::Add(value))).collect()
            }
            Section::Delete(actions) => {
                actions.iter().map(|(path, value)| written(path, WrittenChange::Delete(value))).collect()
            }
        }
    }

    fn bind(&self, placeholders: &mut Placeholders) -> Result<Change, Problem> {
        match self.change {
            WrittenChange::Set(value) => bind_value(value, placeholders).map(Change::Set),
            WrittenChange::Remove => Ok(Change::Remove),
            WrittenChange::Add(value) => {
                action_operand("ADD", ADDED, placeholders.value(value)?).map(Change::Add)
            }
            WrittenChange::Delete(value) => {
                action_operand("DELETE", DELETED, placeholders.value(value)?).map(Change::Delete)
            }
        }
    }
}

fn bind_value(value: &syntax::SetValue<'_>, placeholders: &mut Placeholders) -> Result<SetValue, Problem> {
    let mut arithmetic = |operator, left: &Operand<'_>, right: &Operand<'_>| {
        let left = bind_operand(left, placeholders)?;
        let right = bind_operand(right, placeholders)?;
        refuse_kinds(operator, Kind::N, [&left, &right])?;
        Ok((Box::new(left), Box::new(right)))
    };
    match value {
        syntax::SetValue::Sum(left, right) => {
            arithmetic("+", left, right).map(|(left, right)| SetValue::Sum(left, right))
        }
        syntax::SetValue::Difference(left, right) => {
            arithmetic("-", left, right).map(|(left, right)| SetValue::Difference(left, right))
        }
        syntax::SetValue::Operand(operand) => bind_operand(operand, placeholders),
    }
}

fn bind_operand(operand: &Operand<'_>, placeholders: &mut Placeholders) -> Result<SetValue, Problem> {
    match operand {
        Operand::Path(path) => Path::bind(path, placeholders).map(SetValue::Path),
        Operand::Value(placeholder) => Ok(SetValue::Literal(placeholders.value(placeholder)?.clone())),
        Operand::Call(call) => bind_call(call, placeholders),
    }
}

fn bind_call(call: &Call<'_>, placeholders: &mut Placeholders) -> Result<SetValue, Problem> {
    let operands: Vec<SetValue> =
        call.operands.iter().map(|operand| bind_operand(operand, placeholders)).collect::<Result<_, _>>()?;
    let Some(function) = Function::named(call.function) else {
        return Err(Problem::UnknownFunction { function: call.function.to_owned() });
    };
    let name = function.name();
    let count = operands.len();
    let Ok([first, second]) = <[SetValue; 2]>::try_from(operands) else {
        return Err(Problem::OperandCount { function: name, count });
    };
    match function {
        Function::IfNotExists => match first {
            SetValue::Path(path) if second == SetValue::Path(path.clone()) => {
                Err(Problem::SameOperand { operator: name, path: path.to_string() })
            }
            SetValue::Path(path) => Ok(SetValue::IfNotExists(path, Box::new(second))),
            _ => Err(Problem::NeedsPath { function: name }),
        },
        Function::ListAppend => {
            refuse_kinds(name, Kind::L, [&first, &second])?;
            Ok(SetValue::ListAppend(Box::new(first), Box::new(second)))
        }
        _ => Err(Problem::FunctionNotInUpdate { function: name }),
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

fn action_operand(
    action: &'static str,
    allowed: &[Kind],
    value: &AttributeValue,
) -> Result<AttributeValue, Problem> {
    if allowed.contains(&value.kind()) {
        Ok(value.clone())
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
