//! The rules, one a file. A new one is its file, its page beside it, and a line in each of the two lists here.

use crate::context::{Context, Findings};

mod blind_write;
mod check_alone;
mod constant_partition;
mod duplicate_index;
mod filter;
mod foreign_items;
mod hot_counter;
mod hot_read;
mod hot_write;
mod immutable_key;
mod index_contention;
mod index_count;
mod index_gap;
mod item_size;
mod key_collision;
mod key_length;
mod key_type;
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
mod strong_on_index;
mod time_format;
mod time_partition;
mod transaction_size;
mod ttl_format;
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

/// A rule of the review.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name.
    pub id: &'static str,
    /// What it finds, in a line.
    pub summary: &'static str,
    /// Its page: what fires, why it matters, the number behind it, and two designs: one that it finds something in
    /// (```` ```toml fires ````), or that doesn't load (```` ```toml refused ````), and one that is fine
    /// (```` ```toml fine ````).
    pub page: &'static str,
    /// Who holds designs against it.
    pub check: Check,
}

/// Who holds designs against a rule.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    /// The review: looks at a design and reports.
    Review(fn(&Context<'_>, &mut Findings)),
    /// The language: a design that breaks the rule doesn't load.
    Language,
    /// The review, when it has sorted out what a design allows.
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
    &number_in_text::RULE,
    &time_format::RULE,
    &key_collision::RULE,
    &prefix_overlap::RULE,
    &foreign_items::RULE,
    &separator::RULE,
    &key_length::RULE,
    &key_type::RULE,
    &mutable_key::RULE,
    &immutable_key::RULE,
    &partial_key_update::RULE,
    &index_gap::RULE,
    &sparse_chance::RULE,
    &unused_index::RULE,
    &duplicate_index::RULE,
    &projection_missing::RULE,
    &projection_wide::RULE,
    &strong_on_index::RULE,
    &unbounded_query::RULE,
    &page_over_1mb::RULE,
    &ttl_missing::RULE,
    &ttl_format::RULE,
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
    &weak_secret::RULE,
    &owner_outside_key::RULE,
    &missing_rate::RULE,
    &missing_size::RULE,
    &unused_allowance::RULE,
];

/// The rule that the review itself breaks the silence with, after all others.
pub(super) const UNUSED_ALLOWANCE: &str = unused_allowance::RULE.id;

/// The rule of this name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}

/// The rule whose name is most like this one.
pub fn nearest(id: &str) -> Option<&'static str> {
    singlet_design::nearest(id, RULES.iter().map(|rule| rule.id))
}
