//! What the review says about whole designs: those of the seeds as they were written, good ones, and our own.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod as_written;
mod document;
mod files;
mod fixes;
mod generated;
mod good;
mod ours;
mod traps;
