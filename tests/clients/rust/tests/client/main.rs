//! The AWS SDK for Rust against the servers that `tests/clients/run` has started.

mod connect;
mod credentials;
mod operations;
mod orders;
