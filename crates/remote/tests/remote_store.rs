//! A DynamoDB endpoint does what every store must do. The endpoint is our own server.

#[path = "../../design/tests/store_conformance/mod.rs"]
mod store_conformance;
mod support;

use store_conformance::store_tests;
use support::Served;

store_tests!(Served::start());
