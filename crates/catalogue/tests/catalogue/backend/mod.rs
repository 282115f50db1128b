//! The stores that rows are played on.

#[cfg(feature = "http")]
pub(crate) mod http;

use singlet_engine::Database;
use singlet_store::Embedded;

use crate::designs;
use crate::stage::Stage;

#[cfg(feature = "http")]
/// A store that rows are played on.
pub(crate) type Played = singlet_store::Either<Embedded, &'static singlet_dynamodb::DynamoDb>;
#[cfg(not(feature = "http"))]
/// A store that rows are played on.
pub(crate) type Played = Embedded;

/// Plays a row on the engine in this process.
pub(crate) fn embedded(design: &str, row: fn(&Stage)) {
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    play(design, "", &played(store), row);
}

#[cfg(feature = "http")]
fn played(store: Embedded) -> Played {
    Played::First(store)
}

#[cfg(not(feature = "http"))]
fn played(store: Embedded) -> Played {
    store
}

fn play(design: &str, prefix: &str, store: &Played, row: fn(&Stage)) {
    let design = designs::design(design, prefix);
    designs::apply(&design, store);
    row(&Stage::new(design.clone(), store, designs::ENVIRONMENT));
    designs::remove(&design, store);
}
