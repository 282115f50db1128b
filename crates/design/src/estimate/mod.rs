//! What a design will weigh and cost, as far as its bounds, relations and rates tell: one place for the arithmetic
//! that the review and the capacity plan share.

mod distinct;
mod load;
mod size;

pub use distinct::{Distinct, Spread, distinct_keys};
pub use load::{Contribution, KeyLoad, Load, Place, WriteCost, pattern_writes};
pub use size::{Size, entry_size, field_size, item_size, template_size, value_size};

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
    units(bytes, 1024)
}

/// Read units of reading this many bytes at once: half of it unless strongly consistent.
pub fn read_units(bytes: u64, consistent: bool) -> f64 {
    units(bytes, 4096) * if consistent { 1.0 } else { 0.5 }
}

/// Sizes are far below the 52 bits that a float holds exactly.
#[expect(clippy::cast_precision_loss, reason = "sizes of items and pages stay far below 2^52")]
fn units(bytes: u64, block: u64) -> f64 {
    bytes.div_ceil(block).max(1) as f64
}
