//! Sizes in bytes as DynamoDB counts them: what capacity is billed on and what the 400 KB limit is held against.
//!
//! They have nothing to do with the length of the stored bytes; `docs/format.md` describes those.

use crate::{AttributeValue, Attributes};

/// What a list or map costs before its elements.
pub(crate) const CONTAINER_BYTES: usize = 3;
/// What each element of a list or map costs besides its name and value.
pub(crate) const ELEMENT_BYTES: usize = 1;

impl AttributeValue {
    /// The size of the value, without a name.
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

impl Attributes {
    /// The size of an item with these attributes: all names and all values.
    pub fn size_bytes(&self) -> usize {
        self.iter().map(|(name, value)| name.len() + value.size_bytes()).sum()
    }
}
