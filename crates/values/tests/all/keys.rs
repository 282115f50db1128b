//! The laws of keys: bytes sort like values, parts are self-delimiting, and prefix ranges are exact.

use std::cmp::Ordering;

use crate::arbitrary::{bytes, number, text};
use proptest::collection::vec;
use proptest::prelude::*;
use singlet_values::{
    AttributeValue, Corrupt, KeyReader, Kind, NotAKey, ValueRef, key_successor, partition_hash,
    write_key_part, write_key_prefix,
};

fn scalar(value: &AttributeValue) -> ValueRef<'_> {
    value.as_scalar().expect("keys are scalars")
}

fn part(value: &AttributeValue) -> Vec<u8> {
    let mut out = Vec::new();
    write_key_part(&mut out, scalar(value)).expect("a key value");
    out
}

fn key(values: &[AttributeValue]) -> Vec<u8> {
    values.iter().flat_map(part).collect()
}

fn of_kind(kind: Kind) -> BoxedStrategy<AttributeValue> {
    match kind {
        Kind::S => text().prop_map(AttributeValue::S).boxed(),
        Kind::N => number().prop_map(AttributeValue::N).boxed(),
        _ => bytes().prop_map(AttributeValue::B).boxed(),
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::S, Kind::N, Kind::B])
}

fn pair_of_one_kind() -> impl Strategy<Value = (AttributeValue, AttributeValue)> {
    kind().prop_flat_map(|kind| (of_kind(kind), of_kind(kind)))
}

/// Two keys with the same kinds of parts, as two keys of one index have.
fn two_keys() -> impl Strategy<Value = Vec<(AttributeValue, AttributeValue)>> {
    // Equal parts must be frequent. Otherwise only the first part ever decides.
    let part =
        pair_of_one_kind().prop_flat_map(|(a, b)| prop_oneof![Just((a.clone(), a.clone())), Just((a, b))]);
    vec(part, 1..5)
}

fn compare(a: &AttributeValue, b: &AttributeValue) -> Ordering {
    scalar(a).partial_cmp(&scalar(b)).expect("values of one kind have an order")
}

/// A text or binary, and a prefix that fits it more often than not.
fn value_and_prefix() -> impl Strategy<Value = (AttributeValue, AttributeValue)> {
    let binary = (bytes(), bytes(), any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(value, other, at, own)| {
            let prefix =
                if own { value.iter().copied().take(at.index(value.len() + 1)).collect() } else { other };
            (AttributeValue::B(value), AttributeValue::B(prefix))
        },
    );
    let string =
        (text(), text(), any::<prop::sample::Index>(), any::<bool>()).prop_map(|(value, other, at, own)| {
            let chars = value.chars().count();
            let prefix = if own { value.chars().take(at.index(chars + 1)).collect() } else { other };
            (AttributeValue::S(value), AttributeValue::S(prefix))
        });
    prop_oneof![binary, string]
}

fn raw(value: &AttributeValue) -> &[u8] {
    match value {
        AttributeValue::S(text) => text.as_bytes(),
        AttributeValue::B(bytes) => bytes,
        _ => &[],
    }
}

proptest! {
    #[test]
    fn parts_sort_like_their_values((a, b) in pair_of_one_kind()) {
        prop_assert_eq!(part(&a).cmp(&part(&b)), compare(&a, &b));
    }

    #[test]
    fn keys_sort_part_by_part(parts in two_keys()) {
        let (a, b): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let expected = a.iter().zip(&b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
        prop_assert_eq!(key(&a).cmp(&key(&b)), expected.unwrap_or(Ordering::Equal));
    }

    #[test]
    fn no_part_begins_another((a, b) in pair_of_one_kind()) {
        prop_assert!(a == b || !part(&b).starts_with(&part(&a)));
    }

    #[test]
    fn keys_can_be_read_back(values in vec(kind().prop_flat_map(of_kind), 0..5), rest in bytes()) {
        let bytes = [key(&values), rest.clone()].concat();
        let mut reader = KeyReader::new(&bytes);
        for value in &values {
            prop_assert_eq!(reader.read(value.kind()), Ok(value.clone()));
        }
        prop_assert_eq!(reader.rest(), rest);
    }

    #[test]
    fn a_prefix_range_holds_exactly_the_values_that_begin_with_it(
        (value, prefix) in value_and_prefix(), partition in text(),
    ) {
        let mut low = part(&AttributeValue::S(partition.clone()));
        let whole = [low.clone(), part(&value)].concat();
        write_key_prefix(&mut low, scalar(&prefix)).expect("strings and binaries have prefixes");
        // The partition part ends in zero bytes, so there is always something above the range.
        let high = key_successor(&low).expect("a successor");
        prop_assert_eq!(low <= whole && whole < high, raw(&value).starts_with(raw(&prefix)));
    }

    #[test]
    fn the_successor_is_the_least_bound_above_a_prefix(prefix in bytes(), other in bytes(), tail in bytes()) {
        let extended = [prefix.clone(), tail].concat();
        match key_successor(&prefix) {
            Some(successor) => {
                prop_assert!(extended < successor);
                // Every string below the successor is below the prefix or begins with it.
                prop_assert!(other >= successor || other < prefix || other.starts_with(&prefix));
            }
            None => prop_assert!(prefix.iter().all(|byte| *byte == 0xFF)),
        }
    }

    #[test]
    fn no_bytes_hurt_the_reader(bytes in bytes(), kinds in vec(prop::sample::select(Kind::ALL.to_vec()), 0..5)) {
        let mut reader = KeyReader::new(&bytes);
        for kind in kinds {
            let before = reader.rest().len();
            if let Ok(value) = reader.read(kind) {
                // A part that can be read is one that would have been written.
                let read = &bytes[bytes.len() - before..bytes.len() - reader.rest().len()];
                prop_assert_eq!(part(&value), read);
            }
        }
    }
}

#[test]
fn only_strings_numbers_and_binaries_are_keys() {
    for value in [ValueRef::Null, ValueRef::Bool(true)] {
        assert_eq!(write_key_part(&mut Vec::new(), value), Err(NotAKey(value.kind())));
    }
    let number = AttributeValue::from(1);
    assert_eq!(write_key_prefix(&mut Vec::new(), scalar(&number)), Err(NotAKey(Kind::N)));
    assert_eq!(KeyReader::new(b"a\0\0").read(Kind::M), Err(Corrupt));
}

#[test]
fn a_refused_value_leaves_no_bytes_behind() {
    let mut out = b"before".to_vec();
    let _ = write_key_part(&mut out, ValueRef::Null);
    assert_eq!(out, b"before");
}

#[test]
fn nothing_is_above_a_prefix_of_all_ones() {
    assert_eq!(key_successor(b""), None);
    assert_eq!(key_successor(b"\xff\xff"), None);
    assert_eq!(key_successor(b"a\xff").as_deref(), Some(&b"b"[..]));
}

/// The hash decides where an item is on disk, so it must never change.
#[test]
fn partition_hashes_stay_what_they_were() {
    assert_eq!(partition_hash(b""), 0x2d06_8005);
    assert_eq!(partition_hash(b"USER#1\0\0"), 0x8a6b_6867);
}
