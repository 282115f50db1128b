//! Reviews of whole designs: the transcribed documents, good designs, and the designs that the project ships.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod as_written;
mod document;
mod files;
mod fixes;
mod generated;
mod good;
mod ours;
mod traps;
