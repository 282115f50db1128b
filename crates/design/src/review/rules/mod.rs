//! The rules, one a file. A new one is its file, its page beside it, and a line in each of the two lists here.

use super::{Context, Findings};

mod constant_partition;
mod hot_read;
mod hot_write;

/// A rule of the review.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name.
    pub id: &'static str,
    /// What it finds, in a line.
    pub summary: &'static str,
    /// Its page: what fires, why it matters, the number behind it, and two designs: one that it finds something in
    /// (```` ```toml fires ````) and one that is fine (```` ```toml fine ````).
    pub page: &'static str,
    /// Looks at a design.
    pub check: fn(&Context<'_>, &mut Findings),
}

/// All rules, in the order of their pages.
pub static RULES: &[&Rule] = &[&hot_write::RULE, &hot_read::RULE, &constant_partition::RULE];

/// The rule of this name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}
