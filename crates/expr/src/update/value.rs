//! The right sides of assignments.

use singlet_values::{AttributeValue, ItemRef, Number};

use crate::error::UpdateError;
use crate::path::Path;

/// An expression that has a value for a given item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetValue {
    /// The value at a path.
    Path(Path),
    /// A value of the request.
    Literal(AttributeValue),
    /// The value at a path or, if there is none, another.
    IfNotExists(Path, Box<SetValue>),
    /// Two lists, one after the other. It can't be part of another value.
    ListAppend(Box<SetValue>, Box<SetValue>),
    /// The sum of two numbers. It can't be part of another value.
    Sum(Box<SetValue>, Box<SetValue>),
    /// The difference of two numbers. It can't be part of another value.
    Difference(Box<SetValue>, Box<SetValue>),
}

impl SetValue {
    pub(super) fn evaluate(&self, item: ItemRef<'_>) -> Result<AttributeValue, UpdateError> {
        match self {
            SetValue::Path(path) => match path.find(item) {
                Some(value) => Ok(value.to_value()?),
                None => Err(UpdateError::MissingAttribute),
            },
            SetValue::Literal(value) => Ok(value.clone()),
            SetValue::IfNotExists(path, otherwise) => match path.find(item) {
                Some(value) => Ok(value.to_value()?),
                None => otherwise.evaluate(item),
            },
            SetValue::ListAppend(first, second) => {
                let mut list = first.list(item)?;
                list.extend(second.list(item)?);
                Ok(AttributeValue::L(list))
            }
            SetValue::Sum(left, right) => {
                Ok(AttributeValue::N(left.number(item)?.checked_add(&right.number(item)?)?))
            }
            SetValue::Difference(left, right) => {
                Ok(AttributeValue::N(left.number(item)?.checked_sub(&right.number(item)?)?))
            }
        }
    }

    fn list(&self, item: ItemRef<'_>) -> Result<Vec<AttributeValue>, UpdateError> {
        match self.evaluate(item)? {
            AttributeValue::L(list) => Ok(list),
            _ => Err(UpdateError::OperandKind),
        }
    }

    fn number(&self, item: ItemRef<'_>) -> Result<Number, UpdateError> {
        match self.evaluate(item)? {
            AttributeValue::N(number) => Ok(number),
            _ => Err(UpdateError::OperandKind),
        }
    }

    pub(super) fn collect_paths<'v>(&'v self, paths: &mut Vec<&'v Path>) {
        match self {
            SetValue::Path(path) => paths.push(path),
            SetValue::Literal(_) => {}
            SetValue::IfNotExists(path, otherwise) => {
                paths.push(path);
                otherwise.collect_paths(paths);
            }
            SetValue::ListAppend(left, right)
            | SetValue::Sum(left, right)
            | SetValue::Difference(left, right) => {
                left.collect_paths(paths);
                right.collect_paths(paths);
            }
        }
    }
}
