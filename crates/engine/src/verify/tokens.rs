//! Idempotency tokens against the times at which they end.

use std::ops::Bound;

use super::finding::{Finding, Reporter};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::store::{Direction, StoreError, View};
use crate::write::decode_token;

/// Every token has its end, and every end its token.
pub(super) fn check_tokens(view: &View<()>, reporter: &mut Reporter) -> Result<(), StoreError> {
    let rows = |space: RowSpace| {
        let (start, end) = (space.prefix(), space.end());
        let rows = view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
        rows.collect::<Result<Vec<_>, _>>()
    };
    for (row, value) in rows(RowSpace::tokens())? {
        reporter.counts.tokens += 1;
        let text = row.get(PREFIX_BYTES..).unwrap_or_default();
        let Some((_, end_ms)) = decode_token(&value) else {
            reporter.found(Finding::token(text, "its record makes no sense"));
            continue;
        };
        let end_row = [&end_ms.to_be_bytes(), text].concat();
        if view.get(&RowSpace::token_ends().key(&end_row))?.is_none() {
            reporter.found(Finding::token(text, "the time at which it ends is not entered"));
        }
    }
    for (row, _) in rows(RowSpace::token_ends())? {
        let text = row.get(PREFIX_BYTES + size_of::<u64>()..).unwrap_or_default();
        // One that was used again after its end has a later end, too.
        if view.get(&RowSpace::tokens().key(text))?.is_none() {
            reporter.found(Finding::token(text, "the time at which it ends is entered, but it isn't there"));
        }
    }
    Ok(())
}
