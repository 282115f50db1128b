//! What a design will weigh and cost, as far as its bounds, relations and rates tell: one place for the arithmetic
//! that the review and the capacity plan share.

mod distinct;
mod load;
mod reads;
mod size;

pub use distinct::{ASSUMED_KEYS, Distinct, Spread, assumed_share, distinct_keys};
pub use load::{Contribution, KeyLoad, Load, Place, WriteCost, pattern_writes};
pub use reads::{merge_run_units, query_units, scan_units};
use singlet_values::{self as values, ReadKind};

pub use size::{Size, entry_size, field_size, item_size, reservation_size, template_size, value_size};

/// Write units a second that one partition key serves at most.
pub const PARTITION_WRITE_UNITS_MAX: f64 = 1_000.0;

/// Read units a second that one partition key serves at most.
pub const PARTITION_READ_UNITS_MAX: f64 = 3_000.0;

/// The largest item, in bytes.
pub const ITEM_BYTES_MAX: u64 = 400 * 1024;

/// What a query reads at most for one page, in bytes.
pub const PAGE_BYTES_MAX: u64 = 1024 * 1024;

/// Write units of an item of this size.
pub fn write_units(bytes: u64) -> f64 {
    values::write_units(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Read units of reading this many bytes at once.
pub fn read_units(bytes: u64, consistent: bool) -> f64 {
    ReadKind::from_consistent(consistent).units(usize::try_from(bytes).unwrap_or(usize::MAX))
}
