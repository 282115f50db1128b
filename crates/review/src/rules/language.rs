//! Rules that the language checks: a design that breaks one doesn't load.

use super::{Check, Rule};

pub(super) static IMMUTABLE_KEY: Rule = Rule {
    id: "immutable-key",
    summary: "an update of a field in the table's own key",
    page: include_str!("immutable_key.md"),
    check: Check::Language,
};

pub(super) static KEY_TYPE: Rule = Rule {
    id: "key-type",
    summary: "a key attribute with two types, or with a type that a key can't have",
    page: include_str!("key_type.md"),
    check: Check::Language,
};

pub(super) static STRONG_ON_INDEX: Rule = Rule {
    id: "strong-on-index",
    summary: "a strongly consistent read of a global index",
    page: include_str!("strong_on_index.md"),
    check: Check::Language,
};

pub(super) static TTL_FORMAT: Rule = Rule {
    id: "ttl-format",
    summary: "a time-to-live attribute that isn't a number of seconds",
    page: include_str!("ttl_format.md"),
    check: Check::Language,
};
