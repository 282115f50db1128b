//! `key-type`: a key attribute that is a text here and a number there.

use super::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    id: "key-type",
    summary: "a key attribute of different types, or of one that no key can have",
    page: include_str!("key_type.md"),
    check: Check::Language,
};
