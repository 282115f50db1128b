//! Designs are applied to the engine in this process as to every store.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod applied;

use applied::apply_tests;
use singlet_engine::Database;
use singlet_store::Embedded;

fn open() -> Box<Embedded> {
    Box::new(Embedded::new(Database::in_memory().unwrap(), "memory"))
}

apply_tests!(open());
