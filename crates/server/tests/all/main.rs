//! The server as clients meet it: over sockets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod authentication;
mod compression;
mod lifecycle;
mod limits;
mod mount;
mod protocol;
mod support;
