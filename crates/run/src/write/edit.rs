//! Changes of attributes with their values: applied to an item in memory, and as the update that a store applies.

use singlet_design::is_empty_set;
use singlet_expr::{Action, Change, Path, SetValue, Update};
use singlet_values::{AttributeValue, Item, NumberError};

use crate::error::RunError;

/// One change with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edit {
    /// The attribute, or a path: `address.city`, `foods[2].amount`.
    pub(super) path: String,
    /// The edit.
    pub(super) verb: Verb,
}

/// An edit of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verb {
    /// It gets this value.
    Set(AttributeValue),
    /// It gets this value if it is missing.
    Fill(AttributeValue),
    /// It grows by a number, or by elements.
    Add {
        /// The amount or the elements.
        more: AttributeValue,
        /// The number that it starts from where it is missing, if that isn't zero.
        start: Option<AttributeValue>,
    },
    /// It is a list that gets elements at its end.
    Append {
        /// The elements.
        more: Vec<AttributeValue>,
        /// The elements that it has where it is missing.
        start: Vec<AttributeValue>,
    },
    /// It goes.
    Remove,
    /// It loses elements.
    Subtract(AttributeValue),
}

impl Edit {
    pub(super) fn set(path: impl Into<String>, value: AttributeValue) -> Self {
        let verb = if is_empty_set(&value) { Verb::Remove } else { Verb::Set(value) };
        Edit { path: path.into(), verb }
    }

    pub(super) fn remove(path: impl Into<String>) -> Self {
        Edit { path: path.into(), verb: Verb::Remove }
    }

    /// Whether what a path leads to is known afterwards, whatever it was before.
    pub(super) fn settles(&self, path: &str) -> bool {
        let within = path.strip_prefix(self.path.as_str());
        matches!(self.verb, Verb::Set(_) | Verb::Remove)
            && within.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Makes the change in an item. A path into an object that isn't there leads nowhere.
    pub(super) fn apply(&self, item: &mut Item) -> Result<(), RunError> {
        let (parents, name) = self.path.rsplit_once('.').map_or((None, &*self.path), |(p, n)| (Some(p), n));
        let mut target = item;
        for parent in parents.into_iter().flat_map(|parents| parents.split('.')) {
            match target.get_mut(parent) {
                Some(AttributeValue::M(members)) => target = members,
                _ => return Ok(()),
            }
        }
        match &self.verb {
            Verb::Set(value) => _ = target.insert(name, value.clone()),
            Verb::Fill(_) if target.contains(name) => {}
            Verb::Fill(value) => _ = target.insert(name, value.clone()),
            Verb::Remove => _ = target.remove(name),
            Verb::Add { more, start } => {
                let sum = match target.get(name).or(start.as_ref()) {
                    None => more.clone(),
                    Some(have) => sum(have, more).map_err(|error| self.too_much(error))?,
                };
                target.insert(name, sum);
            }
            Verb::Append { more, start } => {
                let mut elements = match target.get(name) {
                    Some(AttributeValue::L(elements)) => elements.clone(),
                    _ => start.clone(),
                };
                elements.extend(more.iter().cloned());
                target.insert(name, elements);
            }
            Verb::Subtract(less) => {
                let rest = target.get(name).map(|have| difference(have, less));
                match rest {
                    Some(rest) if is_empty_set(&rest) => _ = target.remove(name),
                    Some(rest) => _ = target.insert(name, rest),
                    None => {}
                }
            }
        }
        Ok(())
    }

    fn too_much(&self, error: NumberError) -> RunError {
        RunError::Parameter {
            parameter: self.path.clone(),
            reason: format!("can't be changed by so much: {error}"),
        }
    }
}

/// The update that makes these edits.
pub(super) fn update(edits: &[Edit]) -> Update {
    let action = |Edit { path, verb }: &Edit| {
        let path = Path::dotted(path);
        let change = match verb {
            Verb::Set(value) => Change::set(value.clone()),
            Verb::Fill(value) => {
                let value = Box::new(SetValue::Literal(value.clone()));
                Change::Set(SetValue::IfNotExists(path.clone(), value))
            }
            Verb::Remove => Change::Remove,
            Verb::Add { more, start: None } => Change::Add(more.clone()),
            Verb::Add { more, start: Some(start) } => {
                let start = SetValue::Literal(start.clone());
                let have = SetValue::IfNotExists(path.clone(), Box::new(start));
                Change::Set(SetValue::Sum(Box::new(have), Box::new(SetValue::Literal(more.clone()))))
            }
            Verb::Append { more, start } => {
                let list =
                    |elements: &[AttributeValue]| Box::new(SetValue::Literal(elements.to_vec().into()));
                let have = SetValue::IfNotExists(path.clone(), list(start));
                Change::Set(SetValue::ListAppend(Box::new(have), list(more)))
            }
            Verb::Subtract(value) => Change::Delete(value.clone()),
        };
        Action { path, change }
    };
    Update::new(edits.iter().map(action).collect())
}

fn sum(have: &AttributeValue, more: &AttributeValue) -> Result<AttributeValue, NumberError> {
    Ok(match (have, more) {
        (AttributeValue::N(have), AttributeValue::N(more)) => AttributeValue::N(have.checked_add(more)?),
        (AttributeValue::Ss(have), AttributeValue::Ss(more)) => AttributeValue::Ss(have | more),
        (AttributeValue::Ns(have), AttributeValue::Ns(more)) => AttributeValue::Ns(have | more),
        (AttributeValue::Bs(have), AttributeValue::Bs(more)) => AttributeValue::Bs(have | more),
        (have, _) => have.clone(),
    })
}

fn difference(have: &AttributeValue, less: &AttributeValue) -> AttributeValue {
    match (have, less) {
        (AttributeValue::Ss(have), AttributeValue::Ss(less)) => AttributeValue::Ss(have - less),
        (AttributeValue::Ns(have), AttributeValue::Ns(less)) => AttributeValue::Ns(have - less),
        (AttributeValue::Bs(have), AttributeValue::Bs(less)) => AttributeValue::Bs(have - less),
        (have, _) => have.clone(),
    }
}
