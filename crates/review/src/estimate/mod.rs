//! Estimates of sizes, capacity units and load, from the bounds, relations and rates that a design declares. The
//! review and the capacity plan share this arithmetic.

mod derived;
mod distinct;
mod load;
mod reads;
mod size;
mod steps;

pub use derived::{DerivedWrite, derived_writes};
pub use distinct::{ASSUMED_KEYS, Distinct, Spread, assumed_share, distinct_keys};
pub use load::{Contribution, KeyLoad, KeySource, Load, TableOrIndex, WriteCost, pattern_writes};
pub use reads::{count_units, merge_run_units, query_units, scan_units};
pub use size::{Size, entry_size, field_size, item_size, reservation_size, template_size, value_size};
pub(crate) use steps::{checks, elements_max, list_max};

use singlet_values::{self as values, ReadKind, limits};

/// Write units a second that one partition key serves.
pub const PARTITION_WRITE_UNITS_MAX: f64 = limits::PARTITION_WRITE_UNITS_MAX as f64;

/// Read units a second that one partition key serves.
pub const PARTITION_READ_UNITS_MAX: f64 = limits::PARTITION_READ_UNITS_MAX as f64;

/// Write units of an item of this size.
pub fn write_units(bytes: u64) -> f64 {
    values::write_units(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Read units of reading this many bytes at once.
pub fn read_units(bytes: u64, consistent: bool) -> f64 {
    ReadKind::from_consistent(consistent).units(usize::try_from(bytes).unwrap_or(usize::MAX))
}
