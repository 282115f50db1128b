//! Conditions and filters of a design as the trees that stores evaluate.

mod compute;
mod defaults;
mod given;
mod holds;
mod translate;

pub(super) use defaults::Asked;
pub use holds::{holds_by, holds_for};

#[cfg(test)]
mod tests;
