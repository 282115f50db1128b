//! Strategies that the property tests share.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use singlet_values::{AttributeValue, Item, Number};

/// The parts of a number's spelling: sign, significant digits, and the power of ten of the first digit.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) negative: bool,
    pub(crate) digits: String,
    pub(crate) magnitude: i32,
}

impl Parts {
    /// Scientific notation with one digit before the point.
    pub(crate) fn text(&self) -> String {
        let (first, rest) = self.digits.split_at(1);
        format!("{}{first}.{rest}e{}", if self.negative { "-" } else { "" }, self.magnitude)
    }

    pub(crate) fn number(&self) -> Number {
        self.text().parse().expect("the parts are within the limits")
    }
}

/// Numbers whose first digit has a power of ten in this range, without trailing zeros.
pub(crate) fn parts_within(magnitudes: std::ops::RangeInclusive<i32>) -> impl Strategy<Value = Parts> {
    (any::<bool>(), "[1-9]|[1-9][0-9]{0,36}[1-9]", magnitudes)
        .prop_map(|(negative, digits, magnitude)| Parts { negative, digits, magnitude })
}

pub(crate) fn parts() -> impl Strategy<Value = Parts> {
    parts_within(-130..=125)
}

/// Zero, small integers, near neighbours and the whole range.
pub(crate) fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        Just(Number::ZERO),
        any::<i16>().prop_map(|integer| Number::from(i64::from(integer))),
        parts_within(-3..=3).prop_map(|parts| parts.number()),
        parts().prop_map(|parts| parts.number()),
    ]
}

/// Text with many zero characters and shared beginnings.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[\u{0}\u{1}a\u{ff}]{0,6}", "[a-zA-Z#]{0,20}", "\\PC{0,12}"]
}

/// Bytes with many of the values that need escaping.
pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(prop_oneof![Just(0x00u8), Just(0x01), Just(0xFE), Just(0xFF)], 0..6),
        vec(any::<u8>(), 0..20),
    ]
}

pub(crate) fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        text().prop_map(AttributeValue::S),
        number().prop_map(AttributeValue::N),
        bytes().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        btree_set(text(), 0..5).prop_map(AttributeValue::Ss),
        btree_set(number(), 0..5).prop_map(AttributeValue::Ns),
        btree_set(bytes(), 0..5).prop_map(AttributeValue::Bs),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(AttributeValue::L),
            attributes(inner).prop_map(AttributeValue::M),
        ]
    })
}

fn attributes(value: impl Strategy<Value = AttributeValue>) -> impl Strategy<Value = Item> {
    vec((text(), value), 0..6).prop_map(Item::from_iter)
}

pub(crate) fn item() -> impl Strategy<Value = Item> {
    attributes(value())
}
