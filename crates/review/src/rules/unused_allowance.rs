//! `unused-allowance`: an allowance that nothing matches any more.

use super::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    id: "unused-allowance",
    summary: "an allowance that nothing matches any more",
    page: include_str!("unused_allowance.md"),
    check: Check::Allowances,
};
