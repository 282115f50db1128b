//! The protocol as a client sees it, without HTTP.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod absent_features;
mod any_request;
mod backups;
mod batches;
mod constraints;
mod items;
mod names_and_limits;
mod pages;
mod partiql;
mod protocol;
mod recovery;
mod room;
mod shapes;
mod streams;
mod support;
mod tables;
mod time_to_live;
mod transactions;
mod values;
