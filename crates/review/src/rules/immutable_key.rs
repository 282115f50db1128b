//! `immutable-key`: an update of the item's own key.

use super::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    id: "immutable-key",
    summary: "an update of a part of the table's own key",
    page: include_str!("immutable_key.md"),
    check: Check::Language,
};
