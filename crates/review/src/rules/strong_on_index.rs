//! `strong-on-index`: a consistent read of a global index.

use super::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    id: "strong-on-index",
    summary: "a consistent read of a global index",
    page: include_str!("strong_on_index.md"),
    check: Check::Language,
};
