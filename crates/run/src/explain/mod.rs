//! The exact DynamoDB requests of a pattern, and their cost.
//!
//! A pattern is run on a [`Recording`], which notes every request before it passes it on. Reads are done. Writes are
//! not, unless asked for: what they would do is worked out from the items that are there, so that conditions,
//! answers and costs are the same as if they were done.
//!
//! The costs that are foretold follow DynamoDB's rules for sizes: a write from the item before and after, and its
//! entries in each index; a read from the items that it evaluated. A filter or a projection hides what was read but
//! not what it costs: then the explanation reads the same once more without them, for itself.

mod body;
mod capacity;
mod foresee;
mod print;
mod recording;
#[cfg(test)]
mod tests;

pub use capacity::Predicted;
pub use print::total;
pub use recording::{Recorded, RecordedOutcome, Recording};
