//! The review: rules that find faults in a design before anything runs.
//!
//! This crate knows designs, the sizes of their items and the load that their rates make. It must not know databases,
//! neither stores nor runs; nor terminals and files.
//!
//! Each rule is a file in `rules/` with its page beside it. A rule looks at the resolved design and its load, and
//! reports findings. A finding says what happens in this design, with its names and numbers, and how to fix it, as
//! changed lines where possible.
//!
//! ```
//! let source = r#"
//! design = "notes"
//! [table]
//! key = ["PK", "SK"]
//! [entity.Note]
//! key = ["NOTES", "NOTE#{note_id}"]
//! fields = { note_id = "id", text = "string" }
//! [pattern.notes]
//! query = "Note"
//! "#;
//! let design = singlet_design::load("notes.toml", source)?;
//! let review = singlet_review::review(&design, source);
//! assert!(review.findings.iter().any(|finding| finding.rule == "constant-partition"));
//! # Ok::<(), singlet_design::Report>(())
//! ```

mod attributes;
mod context;
mod criteria;
mod difference;
mod directory;
mod estimate;
mod finding;
mod fix;
mod keys;
mod output;
mod partition;
mod pieces;
mod reach;
mod reads;
mod repair;
mod review;
mod rules;
mod sortable;
#[cfg(test)]
mod tests;
mod text;

pub use context::{Context, Findings};
pub use difference::difference;
pub use estimate::{
    ASSUMED_KEYS, Contribution, DerivedWrite, Distinct, KeyLoad, KeySource, Load, PARTITION_READ_UNITS_MAX,
    PARTITION_WRITE_UNITS_MAX, Size, Spread, TableOrIndex, WriteCost, assumed_share, count_units,
    derived_writes, distinct_keys, entry_size, field_size, item_size, merge_run_units, pattern_writes,
    query_units, read_units, reservation_size, scan_units, template_size, value_size, write_units,
};
pub use finding::{Allowed, Finding, Severity};
pub use fix::{Edit, Fix, Proposals};
pub use output::{OutputFormat, Reviewed, render};
pub use repair::{Applied, Repaired, repair};
pub use review::{Review, review};
pub use rules::{Check, RULES, Rule, nearest, rule};
