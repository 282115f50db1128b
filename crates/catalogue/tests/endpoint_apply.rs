//! Designs are applied to a DynamoDB endpoint as to every store. The endpoint is our own server.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

#[path = "../../run/tests/applied/mod.rs"]
mod applied;
#[path = "../../dynamodb/tests/support/mod.rs"]
mod support;

use applied::apply_tests;
use singlet_run::Wait;
use support::Served;

apply_tests!(Served::start().wait());
