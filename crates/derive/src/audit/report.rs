//! The result of an audit.

use singlet_values::{AttributeValue, Item};

use crate::pair::Pair;
use crate::tally::Tally;

/// The most differences that are listed. All are counted.
pub(super) const LISTED_MAX: usize = 1_000;

/// A derived field that isn't what a recount says.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The entity.
    pub entity: String,
    /// The table's key of the item.
    pub key: Item,
    /// The field.
    pub field: String,
    /// The stored value. `None` if the item has none, or if there is no such item.
    pub stored: Option<AttributeValue>,
    /// The value that it should have.
    pub correct: Option<AttributeValue>,
    /// Whether the item exists. Otherwise what waits for it is wrong.
    pub has_item: bool,
    /// The rule, as `singlet rebuild` names it: `Post.likeCount`, or `derive.approve`.
    pub rule: String,
    /// The fields in the key of an item that has to be made.
    pub(super) identity: Option<Item>,
    pub(super) at: usize,
    pub(super) missing: Tally,
    /// The entry of a feed that differs, if it is one.
    pub(super) pair: Option<Pair>,
}

/// The result of an audit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditReport {
    /// The last batch of a worker before the audit: a repair is right only as long as no other one was written.
    pub(super) batch: u64,
    /// The items that were read.
    pub items: u64,
    /// The derived fields that were compared.
    pub fields: u64,
    /// The differences: all of them, listed or not.
    pub differing: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// The rules that can't be audited yet, because existing items are still being counted.
    pub filling: Vec<String>,
}

impl AuditReport {
    pub(super) fn add(&mut self, difference: Difference) {
        self.differing += 1;
        if self.differences.len() < LISTED_MAX {
            self.differences.push(difference);
        }
    }
}
