//! The engine in this process does what every store must do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod store_conformance;

use singlet_design::store::Embedded;
use singlet_engine::Database;
use store_conformance::store_tests;

fn open() -> Box<Embedded> {
    Box::new(Embedded::new(Database::in_memory().unwrap(), "memory"))
}

store_tests!(open());
