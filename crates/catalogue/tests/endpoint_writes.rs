//! Patterns that write, on a DynamoDB endpoint: the tests of `crates/run`, on a store that reaches a server of our own.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod endpoint;
#[path = "../../dynamodb/tests/support/mod.rs"]
mod support;

use endpoint::backend;

#[path = "../../run/tests/writes/arithmetic.rs"]
mod arithmetic;
#[path = "../../run/tests/writes/audit.rs"]
mod audit;
#[path = "../../run/tests/writes/bounds.rs"]
mod bounds;
#[path = "../../run/tests/writes/broken.rs"]
mod broken;
#[path = "../../run/tests/writes/bulk.rs"]
mod bulk;
#[path = "../../run/tests/writes/claims.rs"]
mod claims;
#[path = "../../run/tests/writes/computed.rs"]
mod computed;
#[path = "../../run/tests/writes/defaults.rs"]
mod defaults;
#[path = "../../run/tests/writes/designs.rs"]
mod designs;
#[path = "../../run/tests/writes/elements.rs"]
mod elements;
#[path = "../../run/tests/writes/entries.rs"]
mod entries;
#[path = "../../run/tests/writes/expiry.rs"]
mod expiry;
#[path = "../../run/tests/writes/fixture.rs"]
mod fixture;
#[path = "../../run/tests/writes/keys.rs"]
mod keys;
#[path = "../../run/tests/writes/laws.rs"]
mod laws;
#[path = "../../run/tests/writes/meddler.rs"]
mod meddler;
#[path = "../../run/tests/writes/now.rs"]
mod now;
#[path = "../../run/tests/writes/orders.rs"]
mod orders;
#[path = "../../run/tests/writes/parameters.rs"]
mod parameters;
#[path = "../../run/tests/writes/references.rs"]
mod references;
#[path = "../../run/tests/writes/targets.rs"]
mod targets;
#[path = "../../run/tests/writes/transactions.rs"]
mod transactions;
#[path = "../../run/tests/writes/unique.rs"]
mod unique;
#[path = "../../run/tests/writes/upserts.rs"]
mod upserts;
#[path = "../../run/tests/writes/values.rs"]
mod values;
