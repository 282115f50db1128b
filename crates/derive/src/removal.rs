//! Items that are deleted with the item that they refer to.

use std::sync::Arc;

use singlet_design::{Cascade, Child, Entity, Made, Referral, instant_ms};
use singlet_expr::{Condition, Path};
use singlet_run::derive::{key_of, value_at};
use singlet_store::{DeleteItem, ReturnItem, TransactAction};
use singlet_values::{AttributeValue, Item};

use crate::reads::Found;

/// A rule that deletes items.
#[derive(Debug, Clone)]
pub(crate) struct Remover {
    pub(crate) name: String,
    pub(crate) rule: Cascade,
}

/// An item that may have to be deleted.
#[derive(Debug, Clone)]
pub(crate) struct Removal {
    pub(crate) entity: Arc<Entity>,
    /// The table's key of the item.
    pub(crate) key: Item,
    /// The deletions of items that it may refer to.
    pub(crate) causes: Vec<Cause>,
}

/// A deletion of an item that others refer to.
#[derive(Debug, Clone)]
pub(crate) struct Cause {
    /// The name of the rule.
    pub(crate) rule: String,
    pub(crate) parent: Arc<Entity>,
    pub(crate) referral: Referral,
    /// The fields in the key of the deleted item.
    pub(crate) identity: Item,
    /// The time of the deletion.
    pub(crate) deleted_ms: u64,
}

impl Remover {
    /// Returns the name of the tasks for one of the entities.
    pub(crate) fn subject(&self, child: &Child) -> String {
        format!("{} of {}", self.name, child.entity.name)
    }

    /// Returns the fields in the key of a deleted item. `None` if it lacks one.
    pub(crate) fn identity(child: &Child, parent: &Item) -> Option<Item> {
        let link = child.referral.link.iter();
        link.map(|(own, _)| Some((own.as_str(), value_at(parent, own)?.clone()))).collect()
    }
}

impl Cause {
    /// Returns the key of the deleted item.
    pub(crate) fn parent_key(&self) -> Option<Item> {
        key_of(&self.parent, &self.identity).ok()
    }

    /// Returns whether an item refers to the deleted one.
    fn concerns(&self, item: &Item) -> bool {
        let mut link = self.referral.link.iter();
        link.all(|(own, theirs)| value_at(item, theirs) == self.identity.get(own))
    }
}

impl Removal {
    /// Returns whether the item is deleted: it was written before an item that it refers to was deleted. If nothing tells
    /// when it was written, it stays if the other item exists again.
    pub(crate) fn applies(&self, item: &Item, environment: &str, found: &Found) -> bool {
        let written_ms = self.written().and_then(|field| item.get(field)).and_then(instant_ms);
        self.causes.iter().filter(|cause| cause.concerns(item)).any(|cause| {
            let deleted_ms = i64::try_from(cause.deleted_ms).unwrap_or(i64::MAX);
            match written_ms.map(|written_ms| written_ms.cmp(&deleted_ms)) {
                Some(std::cmp::Ordering::Less) => true,
                Some(std::cmp::Ordering::Greater) => false,
                Some(std::cmp::Ordering::Equal) | None => {
                    let table = cause.parent.table.name_in(environment);
                    let key = cause.parent_key();
                    key.is_some_and(|key| found.of_entity(&cause.parent, &table, &key).is_none())
                }
            }
        })
    }

    /// Returns the field that tells when an item was written.
    fn written(&self) -> Option<&str> {
        let field = |made: Made| self.entity.fields.iter().find(|field| field.made == Some(made));
        field(Made::Updated).or_else(|| field(Made::Created)).map(|field| field.name.as_str())
    }

    /// Returns the deletion of the item as it was read.
    pub(crate) fn delete(&self, item: &Item, environment: &str) -> TransactAction {
        let table = &self.entity.table;
        let is_item = Condition::equal(
            Path::attribute(table.type_attribute.as_str()),
            AttributeValue::from(self.entity.type_name.as_str()),
        );
        let link =
            self.causes.iter().flat_map(|cause| &cause.referral.link).map(|(_, theirs)| theirs.as_str());
        let mut relied: Vec<&str> = link.chain(self.written()).collect();
        relied.sort_unstable();
        relied.dedup();
        relied.retain(|path| !table.key().any(|key| key.name == *path));
        let guards = relied.into_iter().map(|path| match value_at(item, path) {
            Some(value) => Condition::equal(Path::dotted(path), value.clone()),
            None => Condition::missing(Path::dotted(path)),
        });
        TransactAction::Delete(DeleteItem {
            table: table.name_in(environment),
            key: self.key.clone(),
            condition: Condition::all([is_item].into_iter().chain(guards)),
            returned: ReturnItem::None,
        })
    }
}
