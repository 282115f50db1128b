//! `AttributeUpdates`.

use std::collections::BTreeMap;

use singlet_values::{AttributeValue, Kind};

use crate::error::{ExprError, LegacyError};
use crate::path::Path;
use crate::update::{Action, Change, Update};

/// The action on an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum UpdateAction {
    /// Sets it.
    #[default]
    Put,
    /// Adds to a number, a set or a list.
    Add,
    /// Removes it or, with a value, elements from a set.
    Delete,
}

/// The entry of `AttributeUpdates` for one attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeUpdate {
    /// `Action`; the default is PUT.
    pub action: UpdateAction,
    /// `Value`.
    pub value: Option<AttributeValue>,
}

/// `AttributeUpdates` as an update. Without attributes it changes nothing, but creates an item that doesn't exist.
pub fn attribute_updates(attributes: BTreeMap<String, AttributeUpdate>) -> Result<Update, ExprError> {
    let mut actions = Vec::with_capacity(attributes.len());
    for (attribute, update) in attributes {
        actions.push(Action { path: Path::attribute(attribute), change: change(update)? });
    }
    Ok(Update::legacy(actions))
}

fn change(update: AttributeUpdate) -> Result<Change, LegacyError> {
    let AttributeUpdate { action, value } = update;
    match (action, value) {
        (UpdateAction::Delete, None) => Ok(Change::Remove),
        (_, None) => Err(LegacyError::UpdateWithoutValue),
        (UpdateAction::Put, Some(value)) => Ok(Change::set(value)),
        (UpdateAction::Add, Some(value)) => match value.kind() {
            Kind::N | Kind::Ss | Kind::Ns | Kind::Bs | Kind::L => Ok(Change::Add(value)),
            kind => Err(LegacyError::AddKind { kind: kind.code() }),
        },
        (UpdateAction::Delete, Some(value)) => match value.kind() {
            Kind::Ss | Kind::Ns | Kind::Bs => Ok(Change::Delete(value)),
            kind => Err(LegacyError::DeleteKind { kind: kind.code() }),
        },
    }
}
