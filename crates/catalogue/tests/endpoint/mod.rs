//! The shared parts of the tests on an endpoint.

pub(crate) mod backend;
