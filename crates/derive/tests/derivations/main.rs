//! Derived fields, kept correct for every writer.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod aggregates;
mod cascades;
mod concurrent;
mod conditional;
mod copies;
mod counted;
mod extremes;
mod fans;
mod fill;
mod fixture;
mod hostile;
mod hot;
mod killed;
mod made;
mod model;
mod model_of_extremes;
mod model_of_feeds;
mod model_of_kinds;
mod repair;
