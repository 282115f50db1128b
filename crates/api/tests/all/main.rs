//! The API as callers meet it, without sockets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod answers;
mod callers;
mod client;
mod conditional;
mod documents;
mod live;
mod positions;
mod refusals;
mod requests;
mod tokens;
