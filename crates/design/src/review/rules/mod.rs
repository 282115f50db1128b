//! The rules, one a file. A new one is its file, its page beside it, and a line in each of the two lists here.

use super::{Context, Findings};

mod blind_write;
mod constant_partition;
mod duplicate_index;
mod filter;
mod hot_counter;
mod hot_read;
mod hot_write;
mod index_count;
mod item_size;
mod key_collision;
mod key_length;
mod low_cardinality;
mod missing_rate;
mod missing_size;
mod mutable_key;
mod number_in_text;
mod page_over_1mb;
mod partial_key_update;
mod prefix_overlap;
mod projection_missing;
mod projection_wide;
mod separator;
mod sequential_partition;
mod single_transaction;
mod sparse_chance;
mod time_format;
mod time_partition;
mod transaction_size;
mod ttl_format;
mod ttl_missing;
mod ttl_read;
mod unbounded_list;
mod unbounded_query;
mod unique_by_index;
mod unused_index;
mod weak_secret;

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
pub static RULES: &[&Rule] = &[
    &hot_write::RULE,
    &hot_read::RULE,
    &constant_partition::RULE,
    &low_cardinality::RULE,
    &time_partition::RULE,
    &sequential_partition::RULE,
    &hot_counter::RULE,
    &filter::RULE,
    &item_size::RULE,
    &unbounded_list::RULE,
    &number_in_text::RULE,
    &time_format::RULE,
    &key_collision::RULE,
    &prefix_overlap::RULE,
    &separator::RULE,
    &key_length::RULE,
    &mutable_key::RULE,
    &partial_key_update::RULE,
    &sparse_chance::RULE,
    &unused_index::RULE,
    &duplicate_index::RULE,
    &projection_missing::RULE,
    &projection_wide::RULE,
    &unbounded_query::RULE,
    &page_over_1mb::RULE,
    &ttl_missing::RULE,
    &ttl_format::RULE,
    &ttl_read::RULE,
    &unique_by_index::RULE,
    &blind_write::RULE,
    &transaction_size::RULE,
    &single_transaction::RULE,
    &index_count::RULE,
    &weak_secret::RULE,
    &missing_rate::RULE,
    &missing_size::RULE,
];

/// The rule of this name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}
