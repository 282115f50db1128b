//! Conditions and filters of a design as the trees that stores evaluate.

mod compute;
mod defaults;
mod translate;

pub(super) use defaults::Asked;

#[cfg(test)]
mod tests;
