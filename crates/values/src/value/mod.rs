//! The ten kinds of attribute value, as owned trees.

mod attributes;

use std::collections::BTreeSet;

pub(crate) use attributes::sort_keeping_last;
pub use attributes::{Attributes, Item};

use crate::Number;

/// The size that DynamoDB counts for a list or map, besides its elements.
pub(crate) const CONTAINER_BYTES: usize = 3;
/// The size that DynamoDB counts for each element of a list or map, besides its name and value.
pub(crate) const ELEMENT_BYTES: usize = 1;

/// One attribute value, owned. Sets are kept sorted, so equal values have one representation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttributeValue {
    /// A string.
    S(String),
    /// A number of up to 38 digits.
    N(Number),
    /// Binary.
    B(Vec<u8>),
    /// True or false.
    Bool(bool),
    /// The null value, which differs from a missing attribute.
    Null,
    /// A map from names to values.
    M(Attributes),
    /// A list.
    L(Vec<AttributeValue>),
    /// A set of strings.
    Ss(BTreeSet<String>),
    /// A set of numbers.
    Ns(BTreeSet<Number>),
    /// A set of binaries.
    Bs(BTreeSet<Vec<u8>>),
}

/// Which of the ten kinds a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// Map.
    M,
    /// List.
    L,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
}

impl Kind {
    /// Every kind, in the order of the enum.
    pub const ALL: [Kind; 10] =
        [Kind::S, Kind::N, Kind::B, Kind::Bool, Kind::Null, Kind::M, Kind::L, Kind::Ss, Kind::Ns, Kind::Bs];

    /// The type descriptor that DynamoDB uses in JSON and in `attribute_type`.
    pub fn code(self) -> &'static str {
        match self {
            Kind::S => "S",
            Kind::N => "N",
            Kind::B => "B",
            Kind::Bool => "BOOL",
            Kind::Null => "NULL",
            Kind::M => "M",
            Kind::L => "L",
            Kind::Ss => "SS",
            Kind::Ns => "NS",
            Kind::Bs => "BS",
        }
    }

    /// The kind with this type descriptor.
    pub fn from_code(code: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Whether a key attribute may be of this kind.
    pub fn is_key(self) -> bool {
        matches!(self, Kind::S | Kind::N | Kind::B)
    }
}

impl AttributeValue {
    /// The maximum depth of a value in an item. DynamoDB documents 32 levels and counts the scalar at the bottom as
    /// one.
    pub const DEPTH_MAX: usize = 31;

    /// Which kind of value this is.
    pub fn kind(&self) -> Kind {
        match self {
            AttributeValue::S(_) => Kind::S,
            AttributeValue::N(_) => Kind::N,
            AttributeValue::B(_) => Kind::B,
            AttributeValue::Bool(_) => Kind::Bool,
            AttributeValue::Null => Kind::Null,
            AttributeValue::M(_) => Kind::M,
            AttributeValue::L(_) => Kind::L,
            AttributeValue::Ss(_) => Kind::Ss,
            AttributeValue::Ns(_) => Kind::Ns,
            AttributeValue::Bs(_) => Kind::Bs,
        }
    }

    /// Levels of lists and maps: 0 for a scalar or a set, 1 for a list or map that contains no other.
    pub fn depth(&self) -> usize {
        match self {
            AttributeValue::M(map) => 1 + map.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
            AttributeValue::L(list) => 1 + list.iter().map(AttributeValue::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The size of the value in bytes as DynamoDB counts it, without a name.
    ///
    /// Capacity units and the limit of 400 KB for an item are based on this size. The stored form has another length.
    pub fn size_bytes(&self) -> usize {
        match self {
            AttributeValue::S(text) => text.len(),
            AttributeValue::N(number) => number.size_bytes(),
            AttributeValue::B(bytes) => bytes.len(),
            AttributeValue::Bool(_) | AttributeValue::Null => 1,
            AttributeValue::M(map) => CONTAINER_BYTES + map.len() * ELEMENT_BYTES + map.size_bytes(),
            AttributeValue::L(list) => {
                CONTAINER_BYTES + list.iter().map(|value| ELEMENT_BYTES + value.size_bytes()).sum::<usize>()
            }
            AttributeValue::Ss(set) => set.iter().map(String::len).sum(),
            AttributeValue::Ns(set) => set.iter().map(|number| number.size_bytes()).sum(),
            AttributeValue::Bs(set) => set.iter().map(Vec::len).sum(),
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        AttributeValue::S(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        AttributeValue::S(text)
    }
}

impl From<bool> for AttributeValue {
    fn from(truth: bool) -> Self {
        AttributeValue::Bool(truth)
    }
}

impl From<Number> for AttributeValue {
    fn from(number: Number) -> Self {
        AttributeValue::N(number)
    }
}

impl From<i64> for AttributeValue {
    fn from(number: i64) -> Self {
        AttributeValue::N(number.into())
    }
}

impl From<u64> for AttributeValue {
    fn from(number: u64) -> Self {
        AttributeValue::N(number.into())
    }
}

impl From<i32> for AttributeValue {
    fn from(number: i32) -> Self {
        AttributeValue::N(i64::from(number).into())
    }
}

impl From<Vec<u8>> for AttributeValue {
    fn from(bytes: Vec<u8>) -> Self {
        AttributeValue::B(bytes)
    }
}

impl From<&[u8]> for AttributeValue {
    fn from(bytes: &[u8]) -> Self {
        AttributeValue::B(bytes.to_vec())
    }
}

impl From<Attributes> for AttributeValue {
    fn from(map: Attributes) -> Self {
        AttributeValue::M(map)
    }
}

impl From<Vec<AttributeValue>> for AttributeValue {
    fn from(list: Vec<AttributeValue>) -> Self {
        AttributeValue::L(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_own_code() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_code(kind.code()), Some(kind));
        }
        assert_eq!(Kind::from_code("s"), None);
    }

    #[test]
    fn depth_counts_lists_and_maps_only() {
        let scalar = AttributeValue::from("x");
        assert_eq!(scalar.depth(), 0);
        assert_eq!(AttributeValue::Ss(["x".to_owned()].into()).depth(), 0);
        assert_eq!(AttributeValue::L(vec![]).depth(), 1);
        let list = AttributeValue::L(vec![scalar, AttributeValue::L(vec![])]);
        assert_eq!(list.depth(), 2);
        assert_eq!(AttributeValue::M([("a", list)].into_iter().collect()).depth(), 3);
    }
}
