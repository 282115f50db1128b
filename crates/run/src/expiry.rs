//! Which times to live are over, for reads and writes alike.
//!
//! Expired is expired: DynamoDB's rule that times more than five years past are ignored is one of the deleter, which
//! must not take a mistaken number for a time. Such an item stays in the table, and nobody sees it.

use singlet_values::Number;

/// The least time to live that isn't over. A fraction of a second is cut off, so all below it are.
pub(super) fn first_living(now_second: u64) -> Number {
    Number::from(now_second.saturating_add(1))
}
