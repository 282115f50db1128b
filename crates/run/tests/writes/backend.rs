//! The store under the tests: the engine in this process. `crates/catalogue` runs the same tests over HTTP.

use singlet_engine::Database;
use singlet_store::Embedded;

pub(crate) type Backend = Embedded;

/// Nothing has to be kept running.
pub(crate) struct Guard;

pub(crate) fn open(database: Database) -> (Backend, Guard) {
    (Embedded::new(database, "memory"), Guard)
}

/// The number of cases of a property.
pub(crate) fn cases(number: u32) -> u32 {
    number
}
