//! Patterns that read, on the engine in this process.

mod answers;
mod fixture;
mod lists;
mod pages;
