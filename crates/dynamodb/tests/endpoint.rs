//! A DynamoDB endpoint does what every store must do. The endpoint is our own server.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

#[path = "../../store/tests/conformance/mod.rs"]
mod conformance;
mod support;

use conformance::store_tests;
use support::Served;

store_tests!(Served::start());
