//! Changes of attributes with their values: made in an item in memory, and written as an update expression.

use singlet_design::is_empty_set;
use singlet_store::{Expression, ExpressionBuilder};
use singlet_values::{AttributeValue, Item, NumberError};

use crate::error::RunError;

/// One change with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edit {
    /// The attribute, or a path: `address.city`, `foods[2].amount`.
    pub(super) path: String,
    /// What happens to it.
    pub(super) verb: Verb,
}

/// What happens to an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verb {
    /// It gets this value.
    Set(AttributeValue),
    /// It grows by a number, or by elements.
    Add {
        /// What is added.
        more: AttributeValue,
        /// The number that it starts from where it is missing, if that isn't zero.
        start: Option<AttributeValue>,
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
            Verb::Remove => _ = target.remove(name),
            Verb::Add { more, start } => {
                let sum = match target.get(name).or(start.as_ref()) {
                    None => more.clone(),
                    Some(have) => sum(have, more).map_err(|error| self.too_much(error))?,
                };
                target.insert(name, sum);
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

/// The update expression of these edits.
pub(super) fn expression(edits: &[Edit]) -> Expression {
    let mut builder = ExpressionBuilder::new('u');
    let mut clauses: [(&str, Vec<String>); 4] =
        [("SET", Vec::new()), ("REMOVE", Vec::new()), ("ADD", Vec::new()), ("DELETE", Vec::new())];
    let [set, remove, add, delete] = &mut clauses;
    for Edit { path, verb } in edits {
        let path = builder.path(path);
        match verb {
            Verb::Set(value) => set.1.push(format!("{path} = {}", builder.value(value.clone()))),
            Verb::Remove => remove.1.push(path),
            Verb::Add { more, start: None } => add.1.push(format!("{path} {}", builder.value(more.clone()))),
            Verb::Add { more, start: Some(start) } => {
                let (start, more) = (builder.value(start.clone()), builder.value(more.clone()));
                set.1.push(format!("{path} = if_not_exists({path}, {start}) + {more}"));
            }
            Verb::Subtract(value) => delete.1.push(format!("{path} {}", builder.value(value.clone()))),
        }
    }
    let used = clauses.iter().filter(|(_, actions)| !actions.is_empty());
    let text: Vec<String> = used.map(|(word, actions)| format!("{word} {}", actions.join(", "))).collect();
    builder.finish(text.join(" "))
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
