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

/// The database behind a store, if it is in this process: derived data is kept there.
#[cfg(feature = "http")]
fn opened(store: &Played) -> Option<Embedded> {
    match store {
        Played::First(store) => Some(store.clone()),
        Played::Second(_) => http::own_database(),
    }
}

#[cfg(not(feature = "http"))]
fn opened(store: &Played) -> Option<Embedded> {
    Some(store.clone())
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
    row(&Stage::new(design.clone(), store, designs::ENVIRONMENT, opened(store)));
    designs::remove(&design, store);
}
