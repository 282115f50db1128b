//! The value of one parameter of a call.

use singlet_design::Pattern;
use singlet_values::{AttributeValue, EncodedItem, Item};

/// The value of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Given {
    /// Nothing.
    Missing,
    /// `null`: for most patterns the same as nothing; an update takes the field away.
    Null,
    /// A value of the parameter's type. Lists are `L`; keys of a batch are `L` of values, or of `M` if a key needs
    /// several values.
    Value(AttributeValue),
}

impl Given {
    /// The value, if there is one.
    pub(crate) fn value(&self) -> Option<&AttributeValue> {
        match self {
            Given::Value(value) => Some(value),
            Given::Missing | Given::Null => None,
        }
    }
}

/// Bytes that are the same whenever a caller gives the same values. Held parameters aren't among them: no caller gives
/// those.
pub(crate) fn canonical(pattern: &Pattern, given: &[Given], is_held: impl Fn(&str) -> bool) -> EncodedItem {
    let named = pattern.parameters.iter().zip(given);
    let from_caller = named.filter(|(parameter, _)| !is_held(&parameter.name));
    let values = from_caller
        .filter_map(|(parameter, given)| given.value().map(|value| (parameter.name.clone(), value.clone())));
    EncodedItem::encode(&values.collect::<Item>())
}
