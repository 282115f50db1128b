//! Short ways to write values, items and placeholders in this crate's tests.

use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::Placeholders;

pub(crate) fn s(text: &str) -> AttributeValue {
    AttributeValue::from(text)
}

pub(crate) fn n(text: &str) -> AttributeValue {
    AttributeValue::N(text.parse().unwrap())
}

pub(crate) fn b(text: &str) -> AttributeValue {
    AttributeValue::B(text.as_bytes().to_vec())
}

pub(crate) fn ss(texts: &[&str]) -> AttributeValue {
    AttributeValue::Ss(texts.iter().map(|text| (*text).to_owned()).collect())
}

pub(crate) fn ns(texts: &[&str]) -> AttributeValue {
    AttributeValue::Ns(texts.iter().map(|text| text.parse().unwrap()).collect())
}

pub(crate) fn bs(texts: &[&str]) -> AttributeValue {
    AttributeValue::Bs(texts.iter().map(|text| text.as_bytes().to_vec()).collect())
}

pub(crate) fn l(values: &[AttributeValue]) -> AttributeValue {
    AttributeValue::L(values.to_vec())
}

pub(crate) fn m(fields: &[(&str, AttributeValue)]) -> AttributeValue {
    AttributeValue::M(item(fields))
}

pub(crate) fn item(attributes: &[(&str, AttributeValue)]) -> Item {
    attributes.iter().cloned().collect()
}

pub(crate) fn stored(attributes: &[(&str, AttributeValue)]) -> EncodedItem {
    EncodedItem::encode(&item(attributes))
}

/// A value of every kind.
pub(crate) fn one_of_each_kind() -> [AttributeValue; 10] {
    [
        s("a"),
        n("1"),
        b("a"),
        true.into(),
        AttributeValue::Null,
        m(&[]),
        l(&[]),
        ss(&["a"]),
        ns(&["1"]),
        bs(&["a"]),
    ]
}

/// Placeholders. A kind without placeholders is left out of the request.
pub(crate) fn placeholders(names: &[(&str, &str)], values: &[(&str, AttributeValue)]) -> Placeholders {
    let names = names.iter().map(|(placeholder, name)| ((*placeholder).to_owned(), (*name).to_owned()));
    let values = values.iter().map(|(placeholder, value)| ((*placeholder).to_owned(), value.clone()));
    Placeholders::new(
        Some(names.collect()).filter(|names: &std::collections::BTreeMap<_, _>| !names.is_empty()),
        Some(values.collect()).filter(|values: &std::collections::BTreeMap<_, _>| !values.is_empty()),
    )
    .unwrap()
}
