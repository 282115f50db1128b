//! Checks of bookkeeping rows: idempotency tokens with their ends, and exports and imports with their tokens.

use std::ops::Bound;

use super::checks::{Check, Context};
use super::finding::{Finding, Reporter};
use crate::bookkeeping::{Import, Transfer, TransferRecord, tokens_start};
use crate::keyspace::{PREFIX_BYTES, RowSpace};
use crate::request::ExportDescription;
use crate::store::{Direction, StoreError, View};
use crate::write::decode_token;

/// Checks that every token has its end, and every end its token.
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
            reporter.found(Finding::token(text, "its row is invalid"));
            continue;
        };
        let end_row = [&end_ms.to_be_bytes(), text].concat();
        if view.get(&RowSpace::token_ends().key(&end_row))?.is_none() {
            reporter.found(Finding::token(text, "its end is missing"));
        }
    }
    for (row, _) in rows(RowSpace::token_ends())? {
        let text = row.get(PREFIX_BYTES + size_of::<u64>()..).unwrap_or_default();
        // A token that was used again after its end has a later end too.
        if view.get(&RowSpace::tokens().key(text))?.is_none() {
            reporter.found(Finding::token(text, "it is missing, but its end is recorded"));
        }
    }
    Ok(())
}

/// Checks that every row is an export, an import, or the token of one.
pub(super) struct CheckTransfers;

impl Check for CheckTransfers {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        check_kind::<ExportDescription>(context, report)?;
        check_kind::<Import>(context, report)?;
        let (start, end) = (tokens_start(), RowSpace::transfers().end());
        let rows = context.view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
        for row in rows {
            let id = String::from_utf8_lossy(&row?.1).into_owned();
            let is_there = context.view.get(&ExportDescription::KIND.row(&id))?.is_some()
                || context.view.get(&Import::KIND.row(&id))?.is_some();
            if !is_there {
                report
                    .found(Finding::Unreadable(format!("a token refers to transfer {id}, which is missing")));
            }
        }
        Ok(())
    }
}

fn check_kind<T: Transfer>(context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
    let (start, end) = (T::KIND.row(""), T::KIND.end());
    let rows = context.view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    for row in rows {
        let (key, value) = row?;
        let is_sound = TransferRecord::<T>::decode(value).is_some_and(|record| record.row() == key);
        if !is_sound {
            let id = key.get(PREFIX_BYTES..).unwrap_or_default();
            let id = String::from_utf8_lossy(id).into_owned();
            report.found(Finding::Unreadable(format!("the row of transfer {id} is invalid")));
        }
    }
    Ok(())
}
