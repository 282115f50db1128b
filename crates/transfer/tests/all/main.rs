//! Exports and imports, from the request to the files.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod imports;
mod lifecycle;
mod past;
mod protocol;
mod round_trip;
mod support;
