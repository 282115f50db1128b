//! Conditions and filters of a design as the expressions that a store takes.

mod defaults;
mod write;

pub(super) use defaults::Asked;

#[cfg(test)]
mod tests;
