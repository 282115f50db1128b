//! Reading: from request bytes to typed members, in one pass and without an intermediate tree.
//!
//! Two kinds of mistakes are kept apart, because DynamoDB reports them at different moments. JSON of the wrong
//! shape stops the reading at once ([`shape`]). A well-shaped attribute value that no item can hold is read to its
//! end and remembered ([`value`]); the operation reports it after the constraints of its other members.

mod content;
mod footprint;
mod shape;
mod value;

pub(crate) use content::ContentHash;
pub use footprint::parsed_bytes_max;
pub(crate) use shape::{Element, Field, Flag, List, Map, MapValue, Structure, Text, Timestamp, Whole, body};
pub(crate) use value::{AttributeMap, SingleValue};
