//! Leaves items out of an answer that the caller may not reach.

use singlet_expr::Condition;

use crate::outcome::{Outcome, Record};

/// Returns the outcome of a read without the items that don't satisfy the condition.
pub(super) fn reached(outcome: Outcome, condition: &Condition) -> Outcome {
    let is_reached = |record: &Record| condition.matches(record.item.view());
    match outcome {
        Outcome::Item(record) => Outcome::Item(record.filter(is_reached)),
        Outcome::Items { mut records, cursor, previous } => {
            records.retain(is_reached);
            Outcome::Items { records, cursor, previous }
        }
        Outcome::Gathered { mut records, cursor, is_cut } => {
            records.retain(is_reached);
            Outcome::Gathered { records, cursor, is_cut }
        }
        // Writes have the condition themselves.
        written => written,
    }
}
