//! Attribute values of DynamoDB, and the two ways in which Singlet encodes them.
//!
//! This crate knows attribute values, exact 38-digit numbers, item sizes as DynamoDB bills them, the stored form of
//! items, the sortable form of keys, DynamoDB's limits, and backup schedules. It must not know files, time, threads,
//! JSON or expressions: everything here is a function of its arguments.
//!
//! An item is encoded once, when it is written. Afterwards it is read through views ([`ItemRef`], [`ValueRef`]) that
//! borrow the stored bytes. A condition, a filter or a JSON writer reads only the bytes that it needs.
//!
//! ```
//! use singlet_values::{AttributeValue, EncodedItem, Item, Number, ValueRef, write_key_part};
//!
//! let mut recipe = Item::new();
//! recipe.insert("PK", AttributeValue::from("RECIPE#17"));
//! recipe.insert("minutes", "45".parse::<Number>()?);
//!
//! let stored = EncodedItem::encode(&recipe);
//! assert_eq!(stored.size_bytes(), 20); // what DynamoDB would bill
//! assert_eq!(stored.view().get("PK"), Some(ValueRef::S("RECIPE#17")));
//! assert_eq!(stored.decode()?, recipe);
//!
//! let mut key = Vec::new();
//! write_key_part(&mut key, ValueRef::S("RECIPE#17"))?;
//! assert_eq!(key, b"RECIPE#17\0\0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The bytes are described in `docs/format.md`.

mod key;
pub mod limits;
mod number;
mod schedule;
mod stored;
mod units;
mod value;

pub use key::{KeyReader, NotAKey, key_successor, partition_hash, write_key_part, write_key_prefix};
pub use number::{Number, NumberError, NumberRef};
pub use schedule::{Schedule, ScheduleError};
pub use stored::{
    Corrupt, EncodedItem, EncodedValue, ItemBuilder, ItemRef, ListIter, ListRef, MapIter, MapRef, RawRef,
    SetIter, SetRef, ValueRef, encode_subset,
};
pub use units::{ReadKind, write_units};
pub use value::{AttributeValue, Attributes, Item, Kind};
