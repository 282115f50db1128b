//! Writing: outcomes to JSON bytes, from the stored form of items and without a tree in between.

mod capacity;
mod json;
mod table;
mod value;

pub(crate) use capacity::{CapacityReport, write_capacities, write_capacity, write_collection};
pub(crate) use json::JsonWriter;
pub(crate) use table::{write_key_schema, write_table};
pub(crate) use value::{write_attributes, write_item};
