//! Items past their time to live: the store may not have taken them away yet.

use singlet_values::{ItemRef, ValueRef};

use crate::expiry::first_living;

/// Leaves out expired items.
#[derive(Debug, Clone)]
pub(super) struct Expiry {
    attribute: Option<String>,
}

impl Expiry {
    /// By this attribute; `None` lets everything through.
    pub(super) fn new(attribute: Option<String>) -> Self {
        Expiry { attribute }
    }

    /// The attribute that must be read.
    pub(super) fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    /// Whether an item's time is over.
    pub(super) fn is_over(&self, item: ItemRef<'_>, now_ms: u64) -> bool {
        let Some(attribute) = &self.attribute else { return false };
        let Some(ValueRef::N(number)) = item.get(attribute) else { return false };
        number < first_living(now_ms / 1000).view()
    }
}
