//! Views that borrow stored bytes and read them in place.
//!
//! Views accept any bytes. Iteration ends where the bytes stop making sense, `get` finds nothing there, and only
//! decoding (`to_item`, `to_value`) says [`Corrupt`]. Storage checks its own checksums before bytes come here.

use std::cmp::Ordering;
use std::fmt;

use super::containers::{ListRef, MapIter, MapRef, SetRef};
use super::reader::{self, RawValue, Reader};
use super::{Corrupt, DEPTH_MAX, decode, tag};
use crate::number::NumberRef;
use crate::size::{CONTAINER_BYTES, ELEMENT_BYTES};
use crate::{AttributeValue, Item, Kind};

/// A stored item, read in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ItemRef<'a> {
    bytes: &'a [u8],
}

impl<'a> ItemRef<'a> {
    /// The item without attributes, which also stands for an item that does not exist.
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
        // Nothing is left to read after a header that can't be read.
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

/// A stored value for writers that only copy it. A string was checked to be UTF-8 when it was encoded, and what is
/// stored has checksums, so a copy need not check it again.
#[derive(Clone, Copy, Debug)]
pub enum RawRef<'a> {
    /// A string, as bytes.
    Text(&'a [u8]),
    /// Any other value.
    Value(ValueRef<'a>),
}

impl<'a> RawRef<'a> {
    #[inline]
    pub(super) fn from_raw(raw: RawValue<'a>) -> Result<Self, Corrupt> {
        match raw.tag {
            tag::S => Ok(RawRef::Text(raw.payload)),
            _ => ValueRef::from_raw(raw).map(RawRef::Value),
        }
    }
}

impl<'a> ValueRef<'a> {
    #[inline]
    pub(super) fn from_raw(raw: RawValue<'a>) -> Result<Self, Corrupt> {
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

    /// The order of two strings, two numbers or two binaries; nothing else has an order.
    ///
    /// Not the trait of the same name: it would promise an order for everything that is equal.
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

/// Decoding bounds the depth, so printing hostile bytes ends too.
fn debug_decoded<T: fmt::Debug>(decoded: Result<T, Corrupt>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match decoded {
        Ok(value) => value.fmt(f),
        Err(corrupt) => fmt::Debug::fmt(&corrupt, f),
    }
}
