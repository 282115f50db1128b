//! `ttl-format`: a time-to-live attribute that never fires.

use super::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    id: "ttl-format",
    summary: "a time-to-live attribute that isn't a number of seconds",
    page: include_str!("ttl_format.md"),
    check: Check::Language,
};
