//! Writing: from outcomes to JSON bytes, from the stored form of items and without an intermediate tree.

mod backup;
mod capacity;
mod json;
mod table;
mod transfer;
mod value;

pub(crate) use backup::{write_backup_description, write_backup_details, write_backup_summary};
pub(crate) use capacity::{CapacityReport, write_capacities, write_capacity, write_collection};
pub(crate) use json::JsonWriter;
pub(crate) use table::{write_key_schema, write_table};
pub(crate) use transfer::{write_export, write_export_summary, write_import, write_import_summary};
pub(crate) use value::{write_attributes, write_item, write_some};
