//! The review: a design held against rules, before anything runs.
//!
//! This crate knows designs, how large their items can be and what load their rates make. It must not know databases:
//! neither stores nor runs, and neither terminals nor files.
//!
//! One rule is one file in `rules/` with its page beside it. A rule looks at the resolved design and the load that its
//! rates make, and reports findings: what will happen in this design, with its own names and numbers, and a fix as
//! changed lines.
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
mod difference;
mod estimate;
mod finding;
mod fix;
mod format;
mod keys;
mod lines;
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
mod verify;

pub use context::{Context, Findings};
pub use difference::difference;
pub use estimate::{
    ASSUMED_KEYS, Contribution, Distinct, ITEM_BYTES_MAX, KeyLoad, Load, PAGE_BYTES_MAX,
    PARTITION_READ_UNITS_MAX, PARTITION_WRITE_UNITS_MAX, Place, Size, Spread, WriteCost, assumed_share,
    distinct_keys, entry_size, field_size, item_size, merge_run_units, pattern_writes, query_units,
    read_units, reservation_size, scan_units, template_size, value_size, write_units,
};
pub use finding::{Allowed, Finding, Severity};
pub use fix::{Edit, Fix, Proposals};
pub use format::{Format, Reviewed, render};
pub use repair::{Applied, Repaired, repair};
pub use review::{Review, review};
pub use rules::{Check, RULES, Rule, nearest, rule};
