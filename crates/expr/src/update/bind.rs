//! Looks up an update's placeholders, and rejects errors that depend on the kinds of its literals.

use super::value::SetValue;
use super::{Action, Change};
use crate::error::Problem;
use crate::function::Function;
use crate::path::{Path, refuse_clashes};
use crate::placeholders::Placeholders;
use crate::syntax::{self, Call, Operand, Section, Update};

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
            WrittenChange::Add(value) => Change::Add(placeholders.value(value)?.clone()).checked(),
            WrittenChange::Delete(value) => Change::Delete(placeholders.value(value)?.clone()).checked(),
        }
    }
}

fn bind_value(value: &syntax::SetValue<'_>, placeholders: &mut Placeholders) -> Result<SetValue, Problem> {
    let mut both = |left: &Operand<'_>, right: &Operand<'_>| {
        let left = bind_operand(left, placeholders)?;
        Ok((Box::new(left), Box::new(bind_operand(right, placeholders)?)))
    };
    match value {
        syntax::SetValue::Sum(left, right) => {
            let (left, right) = both(left, right)?;
            SetValue::Sum(left, right).checked()
        }
        syntax::SetValue::Difference(left, right) => {
            let (left, right) = both(left, right)?;
            SetValue::Difference(left, right).checked()
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
            SetValue::Path(path) => SetValue::IfNotExists(path, Box::new(second)).checked(),
            _ => Err(Problem::NeedsPath { function: name }),
        },
        Function::ListAppend => SetValue::ListAppend(Box::new(first), Box::new(second)).checked(),
        _ => Err(Problem::FunctionNotInUpdate { function: name }),
    }
}
