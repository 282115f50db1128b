//! The catalogue, read back when a database is opened.

use std::sync::Arc;

use singlet_values::EncodedItem;

use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::keyspace::RowSpace;
use crate::pending::Pending;
use crate::store::{Direction, Opened, Store};
use crate::table::Table;
use crate::write::{Job, Writer};

/// Reads the tables and makes the writer.
pub(super) fn recover(opened: &Opened, region: &str, account_id: &str) -> Result<(Catalogue, Writer)> {
    let key_arn = opened.key_id().map(|id| format!("arn:aws:kms:{region}:{account_id}:key/{id}"));
    let mut catalogue = Catalogue::new(key_arn);
    let space = RowSpace::descriptors();
    let (start, end) = (space.prefix(), space.end());
    let view = opened.view();
    let rows = view.range(
        std::ops::Bound::Included(start.as_slice()),
        std::ops::Bound::Excluded(end.as_slice()),
        Direction::Forward,
    );
    for row in rows {
        let (key, value) = row?;
        let table = Table::decode(&EncodedItem::from_bytes(value)).ok_or_else(|| {
            let name = String::from_utf8_lossy(key.get(start.len()..).unwrap_or_default()).into_owned();
            Error::Storage(format!("the descriptor of table {name} can't be read"))
        })?;
        catalogue = catalogue.with(Arc::new(table));
    }
    let arn_prefix = format!("arn:aws:dynamodb:{region}:{account_id}:table/");
    Ok((catalogue, Writer { arn_prefix }))
}

/// Removes tables that were being loaded when the database was last open: what loaded them is gone.
pub(super) fn abandon_loads(store: &Store<Catalogue, Job>) -> Result<()> {
    let view = store.view();
    for table in view.attachment().tables().filter(|table| table.is_loading()) {
        tracing::warn!(
            table = table.name,
            "the table was not loaded to its end when the database was closed; it is removed"
        );
        let (answer, pending) = Pending::channel();
        store.submit(Job::AbandonLoad { table_number: table.number, answer })?;
        pending.wait()?;
    }
    Ok(())
}
