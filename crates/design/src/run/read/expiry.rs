//! Items past their time to live: the store may not have taken them away yet.

use singlet_engine::values::{ItemRef, ValueRef};

/// Stores ignore times that lie further back: such a number was hardly meant as an expiry.
const IGNORED_AFTER_SECONDS: i64 = 5 * 365 * 24 * 60 * 60;

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
        let now_seconds = i64::try_from(now_ms / 1000).unwrap_or(i64::MAX);
        number.to_i64().is_some_and(|expires| {
            expires <= now_seconds && expires > now_seconds.saturating_sub(IGNORED_AFTER_SECONDS)
        })
    }
}
