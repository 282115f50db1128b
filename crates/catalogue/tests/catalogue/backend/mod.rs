//! The stores that rows are played on.

#[cfg(feature = "http")]
pub(crate) mod http;

use singlet_engine::Database;
use singlet_store::{Embedded, Store};

use crate::designs;
use crate::stage::Stage;

/// Plays a row on the engine in this process.
pub(crate) fn embedded(design: &str, row: fn(&Stage)) {
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    play(design, "", &store, row);
}

fn play(design: &str, prefix: &str, store: &dyn Store, row: fn(&Stage)) {
    let design = designs::design(design, prefix);
    designs::apply(&design, store);
    row(&Stage::new(design.clone(), store, designs::ENVIRONMENT));
    designs::remove(&design, store);
}
