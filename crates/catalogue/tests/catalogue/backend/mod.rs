//! The stores that rows are played on.

#[cfg(feature = "http")]
pub(crate) mod http;

use std::sync::Arc;

use singlet_engine::{Database, ManualClock, Options};
use singlet_store::Embedded;

use crate::designs;
use crate::stage::{START_MS, Stage};

#[cfg(feature = "http")]
/// A store that rows are played on.
pub(crate) type Played = singlet_store::Either<Embedded, &'static singlet_dynamodb::DynamoDb>;
#[cfg(not(feature = "http"))]
/// A store that rows are played on.
pub(crate) type Played = Embedded;

/// Plays a row on the engine in this process.
pub(crate) fn embedded(design: &str, row: fn(&Stage)) {
    let store = Embedded::new(database(), "memory");
    play(design, "", &played(store), row);
}

/// An hour, which is longer than any row takes.
const HOUR_MS: u64 = 60 * 60 * 1000;

/// A database in memory whose clock stands after the times of all stages. A worker takes the times of changes from it, and
/// what a row has written must be older than what happens then.
fn database() -> Database {
    let clock = Arc::new(ManualClock::new(START_MS + HOUR_MS));
    Database::in_memory_with(Options { clock, ..Options::default() }).unwrap()
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
