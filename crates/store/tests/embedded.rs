//! The embedded engine passes the conformance tests of stores.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod conformance;

use conformance::store_tests;
use singlet_engine::Database;
use singlet_store::Embedded;

async fn open() -> Box<Embedded> {
    Box::new(Embedded::new(Database::in_memory().unwrap(), "memory"))
}

store_tests!(open());
