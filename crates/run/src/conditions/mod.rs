//! Conditions and filters of a design as the trees that stores evaluate.

mod compute;
mod defaults;
mod holds;
mod translate;

pub(super) use defaults::Asked;
pub use holds::{holds_by, holds_for};

#[cfg(test)]
mod tests;
