//! The console as a browser meets it: requests to the router, and the pages that it answers with.

#![allow(clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod data;
mod design;
mod edits;
mod hostile;
mod links;
mod past;
mod patterns;
mod safety;
mod site;
mod statements;
