//! Writes of single items without a pattern, as an editor makes them: the writer has the item before their eyes.
//!
//! They obey the design as patterns do. Keys and other attributes that follow from fields are made anew, values of
//! unique fields are reserved, and references that must exist are checked. A change, a delete or a restore happens only
//! if the item is as its writer has seen it ([`ItemVersion`]).

mod plan;
mod version;

use std::sync::Arc;

use singlet_design::Entity;
use singlet_store::{Feature, Store, TransactAction};
use singlet_values::Item;

use super::commit;
use super::plan::Planned;
use super::planner::Planner;
use super::retry::{Attempts, Setback};
use crate::arguments::Arguments;
use crate::call::Site;
use crate::error::{RunError, WrongParameter};
use crate::rights::Rights;

pub use version::{ItemVersion, followed_fields};

/// A write of one item without a pattern.
#[derive(Debug, Clone)]
pub struct ItemWrite {
    /// The entity of the item.
    pub entity: Arc<Entity>,
    /// The effect.
    pub action: ItemAction,
}

/// The effect of a write on an item.
#[derive(Debug, Clone)]
pub enum ItemAction {
    /// Makes a new item.
    Create {
        /// Its fields. A missing field gets its default, or is generated.
        fields: Arguments,
    },
    /// Changes fields of an item.
    Change {
        /// The key of the item.
        key: Item,
        /// The item as it was seen.
        seen: ItemVersion,
        /// The fields with their new values; null removes a field.
        fields: Arguments,
    },
    /// Deletes an item.
    Delete {
        /// The key of the item.
        key: Item,
        /// The item as it was seen.
        seen: ItemVersion,
    },
    /// Brings an item back to an earlier state. Attributes that a worker keeps current stay as they are.
    Restore {
        /// The whole item as it was.
        item: Item,
        /// The item as it was seen just now; it may be missing.
        seen: ItemVersion,
    },
}

/// An item before and after a write.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemDifference {
    /// The item before; `None` if it is created.
    pub before: Option<Item>,
    /// The item after; `None` if it is deleted.
    pub after: Option<Item>,
}

/// Why an item wasn't written.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ItemError {
    /// The item isn't as its writer has seen it.
    #[error("somebody else has {} the item in the meantime", if present.is_some() { "changed" } else { "deleted" })]
    Conflict {
        /// The item as it is now.
        present: Option<Box<Item>>,
    },
    /// Values that can't be written.
    #[error("{} values can't be written", .0.len())]
    Wrong(Vec<WrongParameter>),
    /// The write failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Why an attempt failed.
enum ItemSetback {
    Write(Setback),
    Item(ItemError),
}

impl<E: Into<Setback>> From<E> for ItemSetback {
    fn from(error: E) -> Self {
        ItemSetback::Write(error.into())
    }
}

/// A difference, and the actions that make it.
struct ItemPlan<'a> {
    difference: ItemDifference,
    actions: Vec<Planned<'a>>,
}

/// Writes an item. If another write gets in between, it is planned again, and refused if the item has changed.
pub(crate) async fn write_item<S: Store>(
    site: &Site<S>,
    write: &ItemWrite,
    now_ms: u64,
) -> Result<ItemDifference, ItemError> {
    let mut attempts = Attempts::new(&*site.entropy, &write.entity.name);
    loop {
        let is_repeated = attempts.are_repeated();
        let planner = Planner { site, now_ms, is_repeated, rights: Rights::OPERATOR };
        match attempt(&planner, write).await {
            Ok(difference) => return Ok(difference),
            Err(ItemSetback::Item(error)) => return Err(error),
            Err(ItemSetback::Write(setback)) => attempts.after(setback).await?,
        }
    }
}

async fn attempt<S: Store>(
    planner: &Planner<'_, S>,
    write: &ItemWrite,
) -> Result<ItemDifference, ItemSetback> {
    let ItemPlan { difference, mut actions } = planner.item(write).await?;
    match actions.pop() {
        None => {}
        Some(only) if actions.is_empty() && !matches!(only.action, TransactAction::Check { .. }) => {
            commit::single(planner.site, only).await?;
        }
        Some(last) => {
            actions.push(last);
            let name = format!("writing {}", write.entity.name);
            planner.site.require(&name, Feature::Transactions).await?;
            commit::together(planner.site, &name, actions).await?;
        }
    }
    Ok(difference)
}
