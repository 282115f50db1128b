//! The rules, one in each file. A new rule needs its file, a page beside it, and a line in each of the two lists here.

use crate::context::{Context, Findings};

mod blind_write;
mod capacity_mismatch;
mod check_alone;
mod constant_partition;
mod duplicate_index;
mod embedding;
mod filter;
mod foreign_items;
mod hot_counter;
mod hot_read;
mod hot_write;
mod index_contention;
mod index_count;
mod index_gap;
mod item_size;
mod key_collision;
mod key_length;
mod language;
mod low_cardinality;
mod lsi_collection;
mod missing_rate;
mod missing_size;
mod mutable_key;
mod number_in_text;
mod orphans;
mod owner_outside_key;
mod page_over_1mb;
mod partial_key_update;
mod prefix_overlap;
mod projection_missing;
mod projection_wide;
mod scan;
mod separator;
mod sequential_partition;
mod shards_idle;
mod single_transaction;
mod sparse_chance;
mod time_format;
mod time_partition;
mod transaction_size;
mod ttl_missing;
mod ttl_read;
mod unbounded_list;
mod unbounded_query;
mod unique_by_index;
mod unique_case;
mod unserved;
mod unused_allowance;
mod unused_index;
mod weak_secret;
mod wide_fan_out;
mod wrong_sort_key;

pub(super) use unused_allowance::unused;

/// A rule of the review.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which never changes.
    pub id: &'static str,
    /// The kind of finding, in one line.
    pub summary: &'static str,
    /// Its page: what it finds, why that matters, examples, and when to allow it. A test loads the examples. The rule
    /// finds something in ```` ```toml fires ````, ```` ```toml refused ```` doesn't load, and ```` ```toml fine ````
    /// has no finding of the rule.
    pub page: &'static str,
    /// The function that checks it.
    pub check: Check,
}

/// The part of the product that checks a rule.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The review calls the function with each design.
    Review(fn(&Context<'_>, &mut Findings)),
    /// The language. A design that breaks the rule doesn't load.
    Language,
    /// The review, after it has matched allowances with findings.
    Allowances,
}

/// All rules, in the order of their pages.
pub static RULES: &[&Rule] = &[
    &hot_write::RULE,
    &hot_read::RULE,
    &constant_partition::RULE,
    &low_cardinality::RULE,
    &time_partition::RULE,
    &sequential_partition::RULE,
    &shards_idle::RULE,
    &hot_counter::RULE,
    &scan::RULE,
    &unserved::RULE,
    &wrong_sort_key::RULE,
    &index_contention::RULE,
    &filter::RULE,
    &item_size::RULE,
    &unbounded_list::RULE,
    &embedding::RULE,
    &number_in_text::RULE,
    &time_format::RULE,
    &key_collision::RULE,
    &prefix_overlap::RULE,
    &foreign_items::RULE,
    &separator::RULE,
    &key_length::RULE,
    &language::KEY_TYPE,
    &mutable_key::RULE,
    &language::IMMUTABLE_KEY,
    &partial_key_update::RULE,
    &index_gap::RULE,
    &sparse_chance::RULE,
    &unused_index::RULE,
    &duplicate_index::RULE,
    &projection_missing::RULE,
    &projection_wide::RULE,
    &language::STRONG_ON_INDEX,
    &unbounded_query::RULE,
    &page_over_1mb::RULE,
    &ttl_missing::RULE,
    &language::TTL_FORMAT,
    &ttl_read::RULE,
    &unique_by_index::RULE,
    &unique_case::RULE,
    &blind_write::RULE,
    &orphans::RULE,
    &transaction_size::RULE,
    &single_transaction::RULE,
    &check_alone::RULE,
    &wide_fan_out::RULE,
    &lsi_collection::RULE,
    &index_count::RULE,
    &capacity_mismatch::RULE,
    &weak_secret::RULE,
    &owner_outside_key::RULE,
    &missing_rate::RULE,
    &missing_size::RULE,
    &unused_allowance::RULE,
];

/// The rule with this name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}

/// The name of a rule that is most similar to this one.
pub fn nearest(id: &str) -> Option<&'static str> {
    singlet_design::nearest(id, RULES.iter().map(|rule| rule.id))
}
