//! Exports and imports against their tokens.

use std::ops::Bound;

use super::checks::{Check, Context};
use super::finding::{Finding, Reporter};
use crate::bookkeeping::{Import, Transfer, TransferRecord, tokens_start};
use crate::keyspace::RowSpace;
use crate::request::ExportDescription;
use crate::store::{Direction, StoreError};

/// Every row is an export, an import, or a token that leads to one.
pub(super) struct TransferRows;

impl Check for TransferRows {
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
                    .found(Finding::Unreadable(format!("a token leads to transfer {id}, which isn't there")));
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
            let id = key.get(crate::keyspace::PREFIX_BYTES..).unwrap_or_default();
            let id = String::from_utf8_lossy(id).into_owned();
            report.found(Finding::Unreadable(format!("the row of transfer {id} makes no sense")));
        }
    }
    Ok(())
}
