//! Tallies that wait for their item: it doesn't exist, or it can't take them.
//!
//! Comments can arrive before their post, and a post can be deleted before its comments. Their contributions are kept
//! beside the progress, and go into the item when there is one.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use singlet_design::Entity;
use singlet_expr::{Condition, Path};
use singlet_run::apply::DERIVED_TABLE;
use singlet_store::{DeleteItem, PutItem, ReturnItem, TransactAction};
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::progress::{KIND, OWNER};
use crate::tally::{TALLIES, Tallies};

/// The kind of the items.
pub(crate) const WAITING: &str = "waiting";
/// The beginning of the kinds of records that an item couldn't be made or deleted. The rule and the place of its cause
/// follow.
const REFUSED: &str = "refused#";
const ENTITY: &str = "entity";
const KEY: &str = "key";
const REASON: &str = "reason";
const DOUBT: &str = "doubt";

/// The tallies that wait for one item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Waiting {
    pub(crate) tallies: Tallies,
    /// Why the item can't take them. `None` if it doesn't exist.
    pub(crate) reason: Option<String>,
    /// The field whose value a search couldn't find, if the item has everything else.
    pub(crate) doubt: Option<String>,
}

impl Waiting {
    pub(crate) fn of(item: &Item) -> Waiting {
        let text = |name: &str| match item.get(name) {
            Some(AttributeValue::S(text)) => Some(text.clone()),
            _ => None,
        };
        Waiting { tallies: Tallies::kept(item).unwrap_or_default(), reason: text(REASON), doubt: text(DOUBT) }
    }

    /// Returns the write that keeps these tallies, or forgets them if nothing waits any more. It fails if something else
    /// was kept since. `None` if there is nothing to do.
    pub(crate) fn write(
        &self,
        before: Option<&Waiting>,
        place: &Place<'_>,
        batch: u64,
    ) -> Option<TransactAction> {
        let number =
            Path { head: TALLIES.to_owned(), steps: vec![singlet_expr::Step::Field("#".to_owned())] };
        let condition = Some(match before {
            None => Condition::missing(Path::attribute(OWNER)),
            Some(before) => Condition::equal(number, AttributeValue::from(before.tallies.batch)),
        });
        let table = DERIVED_TABLE.to_owned();
        let returned = ReturnItem::None;
        if self.tallies.is_zero() && self.reason.is_none() {
            before?;
            return Some(TransactAction::Delete(DeleteItem { table, key: place.key(), condition, returned }));
        }
        let mut item = place.key();
        item.insert(ENTITY, place.entity.name.as_str());
        item.insert(KEY, place.target.clone());
        item.insert(TALLIES, self.tallies.to_kept(batch));
        if let Some(reason) = &self.reason {
            item.insert(REASON, reason.as_str());
        }
        if let Some(field) = &self.doubt {
            item.insert(DOUBT, field.as_str());
        }
        Some(TransactAction::Put(PutItem { table, item, condition, returned }))
    }
}

/// Where the tallies of an item wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The owner of the progress.
    pub(crate) owner: &'a str,
    pub(crate) entity: &'a Entity,
    /// The table's key of the item.
    pub(crate) target: &'a Item,
}

impl Place<'_> {
    /// Returns the entity and the key of the item for which an item of the table of derived data waits. `None` if it belongs
    /// to another owner, or is something else.
    pub(crate) fn read(item: &Item, owner: &str) -> Option<(String, Item)> {
        match (item.get(OWNER)?, item.get(KIND)?, item.get(ENTITY)?, item.get(KEY)?) {
            (
                AttributeValue::S(own),
                AttributeValue::S(kind),
                AttributeValue::S(entity),
                AttributeValue::M(key),
            ) if (kind == WAITING || kind.starts_with(REFUSED))
                && own.strip_prefix(owner)?.starts_with(' ') =>
            {
                Some((entity.clone(), key.clone()))
            }
            _ => None,
        }
    }

    /// Returns the write of a record that no item could be made from this one.
    pub(crate) fn refuse(&self, rule: &str, position: &str, reason: &str) -> TransactAction {
        let mut item = self.key();
        item.insert(KIND, format!("{REFUSED}{rule}#{position}"));
        item.insert(ENTITY, self.entity.name.as_str());
        item.insert(KEY, self.target.clone());
        item.insert(REASON, format!("{rule}: {reason}"));
        let table = DERIVED_TABLE.to_owned();
        TransactAction::Put(PutItem { table, item, condition: None, returned: ReturnItem::None })
    }

    /// Returns the key in the table of derived data. Keys of items can be longer than a sort key.
    pub(crate) fn key(&self) -> Item {
        let digest = Sha256::digest(EncodedItem::encode(self.target).as_bytes());
        let mut owner = format!("{} {} ", self.owner, self.entity.name);
        for byte in digest.iter().take(16) {
            // Writing to a string can't fail.
            let _ = write!(owner, "{byte:02x}");
        }
        Item::from([(OWNER, owner.as_str()), (KIND, WAITING)])
    }
}
