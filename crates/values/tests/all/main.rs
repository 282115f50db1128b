//! Values, numbers, keys and their bytes.

#![allow(clippy::indexing_slicing, reason = "a failing test panics")]

mod arbitrary;
mod format;
mod keys;
mod numbers;
mod stored;
