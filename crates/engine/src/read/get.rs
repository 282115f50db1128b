//! Reading one item.

use singlet_expr::Projection;
use singlet_values::{EncodedItem, Item};

use super::Snapshot;
use crate::capacity::{Consumed, ReadKind, Units};
use crate::error::Result;
use crate::request::{GetItem, GetOutcome};
use crate::table::Table;

/// Reads one item.
pub(crate) fn get_item(view: &Snapshot, request: &GetItem) -> Result<GetOutcome> {
    let table = view.catalogue().table(&request.table)?;
    let found = find(view, table, &request.key)?;
    let mut consumed = Consumed::of(&table.name);
    let bytes = found.as_ref().map_or(0, EncodedItem::size_bytes);
    consumed.table_units = Units::read(ReadKind::from_consistent(request.consistent).units(bytes));
    Ok(GetOutcome { item: found.map(|item| project(item, request.projection.as_ref())), consumed })
}

/// Finds an item by its key.
pub(super) fn find(view: &Snapshot, table: &Table, key: &Item) -> Result<Option<EncodedItem>> {
    let (row, _) = table.encode_key(key)?;
    Ok(view.get(&row)?.map(EncodedItem::from_bytes))
}

/// Returns the part of an item that a projection selects.
pub(super) fn project(item: EncodedItem, projection: Option<&Projection>) -> EncodedItem {
    match projection {
        Some(projection) => projection.project(item.view()),
        None => item,
    }
}
