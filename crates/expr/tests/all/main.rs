//! Expressions on items: what they mean, and that no text breaks them.

mod evaluation;
mod robustness;
