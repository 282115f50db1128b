//! Views that borrow stored bytes and read them in place.
//!
//! Views accept any bytes. Where the bytes are malformed, iteration ends and `get` returns `None`. Only decoding
//! (`to_item`, `to_value`) returns [`Corrupt`]. Storage verifies its checksums before it creates a view.

mod containers;
mod decode;

use std::cmp::Ordering;
use std::fmt;

pub use containers::{ListIter, ListRef, MapIter, MapRef, SetIter, SetRef};

use super::reader::{self, RawValue, Reader};
use super::{Corrupt, DEPTH_MAX, tag};
use crate::number::NumberRef;
use crate::value::{CONTAINER_BYTES, ELEMENT_BYTES};
use crate::{AttributeValue, Item, Kind};

/// A stored item, read in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ItemRef<'a> {
    bytes: &'a [u8],
}

impl<'a> ItemRef<'a> {
    /// The item without attributes. It also represents an item that doesn't exist.
    pub const EMPTY: ItemRef<'static> = ItemRef { bytes: &[0, 0] };

    /// A view of stored bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        ItemRef { bytes }
    }

    /// The stored bytes.
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The size that DynamoDB counts, which is stored at the front.
    pub fn size_bytes(self) -> usize {
        Reader::new(self.bytes).varint().unwrap_or(0)
    }

    /// All attributes as one map.
    #[inline]
    pub fn as_map(self) -> MapRef<'a> {
        let mut reader = Reader::new(self.bytes);
        // After a malformed header the rest is empty.
        let body = reader.varint().map_or(&[][..], |_| reader.rest());
        MapRef { body }
    }

    /// The value of a top-level attribute.
    pub fn get(self, name: &str) -> Option<ValueRef<'a>> {
        self.as_map().get(name)
    }

    /// Names and values, by ascending name.
    pub fn iter(self) -> MapIter<'a> {
        self.as_map().iter()
    }

    /// How many attributes the item has.
    pub fn len(self) -> usize {
        self.as_map().len()
    }

    /// Whether the item has no attributes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The item as an owned tree.
    pub fn to_item(self) -> Result<Item, Corrupt> {
        decode::item(self.bytes)
    }
}

/// A stored value, read in place. Equality is DynamoDB's: exact for numbers, without order for sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueRef<'a> {
    /// A string.
    S(&'a str),
    /// A number.
    N(NumberRef<'a>),
    /// Binary.
    B(&'a [u8]),
    /// True or false.
    Bool(bool),
    /// The null value.
    Null,
    /// A map.
    M(MapRef<'a>),
    /// A list.
    L(ListRef<'a>),
    /// A set of strings.
    Ss(SetRef<'a>),
    /// A set of numbers.
    Ns(SetRef<'a>),
    /// A set of binaries.
    Bs(SetRef<'a>),
}

/// A stored value for writers that only copy it. Strings are checked for UTF-8 when they are encoded, and stored bytes
/// have checksums, so a copy needn't check them again.
#[derive(Clone, Copy, Debug)]
pub enum RawRef<'a> {
    /// A string, as bytes.
    Text(&'a [u8]),
    /// Any other value.
    Value(ValueRef<'a>),
}

impl<'a> RawRef<'a> {
    #[inline]
    pub(in crate::stored) fn from_raw(raw: RawValue<'a>) -> Result<Self, Corrupt> {
        match raw.tag {
            tag::S => Ok(RawRef::Text(raw.payload)),
            _ => ValueRef::from_raw(raw).map(RawRef::Value),
        }
    }
}

impl<'a> ValueRef<'a> {
    #[inline]
    pub(in crate::stored) fn from_raw(raw: RawValue<'a>) -> Result<Self, Corrupt> {
        let body = raw.payload;
        Ok(match raw.tag {
            tag::S => ValueRef::S(reader::text(body)?),
            tag::N => ValueRef::N(reader::number(body)?),
            tag::B => ValueRef::B(body),
            tag::TRUE => ValueRef::Bool(true),
            tag::FALSE => ValueRef::Bool(false),
            tag::NULL => ValueRef::Null,
            tag::M => ValueRef::M(MapRef { body }),
            tag::L => ValueRef::L(ListRef { body }),
            tag::SS => ValueRef::Ss(SetRef { element: Kind::S, body }),
            tag::NS => ValueRef::Ns(SetRef { element: Kind::N, body }),
            tag::BS => ValueRef::Bs(SetRef { element: Kind::B, body }),
            _ => return Err(Corrupt),
        })
    }

    /// Which kind of value this is.
    #[inline]
    pub fn kind(self) -> Kind {
        match self {
            ValueRef::S(_) => Kind::S,
            ValueRef::N(_) => Kind::N,
            ValueRef::B(_) => Kind::B,
            ValueRef::Bool(_) => Kind::Bool,
            ValueRef::Null => Kind::Null,
            ValueRef::M(_) => Kind::M,
            ValueRef::L(_) => Kind::L,
            ValueRef::Ss(_) => Kind::Ss,
            ValueRef::Ns(_) => Kind::Ns,
            ValueRef::Bs(_) => Kind::Bs,
        }
    }

    /// The order of two strings, two numbers or two binaries. Other values have no order.
    ///
    /// This isn't the trait's method, which would promise an order for all equal values.
    pub fn partial_cmp(&self, other: &ValueRef<'_>) -> Option<Ordering> {
        match (self, other) {
            (ValueRef::S(a), ValueRef::S(b)) => Some(a.cmp(b)),
            (ValueRef::N(a), ValueRef::N(b)) => Some(a.cmp(b)),
            (ValueRef::B(a), ValueRef::B(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// The size that DynamoDB counts, without a name.
    pub fn size_bytes(self) -> usize {
        self.size_within(DEPTH_MAX)
    }

    fn size_within(self, depth: usize) -> usize {
        match self {
            ValueRef::S(text) => text.len(),
            ValueRef::N(number) => number.size_bytes(),
            ValueRef::B(bytes) => bytes.len(),
            ValueRef::Bool(_) | ValueRef::Null => 1,
            ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => {
                set.iter().map(|element| element.size_within(0)).sum()
            }
            ValueRef::M(_) | ValueRef::L(_) if depth == 0 => 0,
            ValueRef::M(map) => {
                let entry = |(name, value): (&str, ValueRef<'_>)| {
                    ELEMENT_BYTES + name.len() + value.size_within(depth - 1)
                };
                CONTAINER_BYTES + map.iter().map(entry).sum::<usize>()
            }
            ValueRef::L(list) => {
                let element = |value: ValueRef<'_>| ELEMENT_BYTES + value.size_within(depth - 1);
                CONTAINER_BYTES + list.iter().map(element).sum::<usize>()
            }
        }
    }

    /// The value as an owned tree.
    pub fn to_value(self) -> Result<AttributeValue, Corrupt> {
        decode::value(self, DEPTH_MAX)
    }
}

impl AttributeValue {
    /// A view of a scalar without encoding it; `None` for maps, lists and sets.
    pub fn as_scalar(&self) -> Option<ValueRef<'_>> {
        match self {
            AttributeValue::S(text) => Some(ValueRef::S(text)),
            AttributeValue::N(number) => Some(ValueRef::N(number.view())),
            AttributeValue::B(bytes) => Some(ValueRef::B(bytes)),
            AttributeValue::Bool(truth) => Some(ValueRef::Bool(*truth)),
            AttributeValue::Null => Some(ValueRef::Null),
            _ => None,
        }
    }
}

impl fmt::Debug for ItemRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_decoded(self.to_item(), f)
    }
}

impl fmt::Debug for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_decoded(self.to_value(), f)
    }
}

/// Decoding limits the depth, so printing hostile bytes ends as well.
fn debug_decoded<T: fmt::Debug>(decoded: Result<T, Corrupt>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match decoded {
        Ok(value) => value.fmt(f),
        Err(corrupt) => fmt::Debug::fmt(&corrupt, f),
    }
}
