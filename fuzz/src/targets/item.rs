//! Stored items and keys: any bytes as both.
//!
//! Promises:
//! - a view of any bytes answers everything it can be asked, and ends; written as JSON, they are JSON if their texts are UTF-8;
//! - bytes that decode are the only ones of their item: encoding gives them back, and views agree with the tree;
//! - a key part that can be read is what writing it gives, and keys sort like their values.

use singlet_values::{
    AttributeValue, EncodedItem, EncodedValue, Item, ItemBuilder, ItemRef, KeyReader, Kind, ValueRef,
    encode_subset, key_successor, partition_hash, write_key_part, write_key_prefix,
};
use singlet_wire::items::{read_item_line, write_item_line};

pub(crate) fn run(input: &[u8]) {
    let view = ItemRef::new(input);
    let _ = (view.size_bytes(), view.len(), view.get("a"), format!("{view:?}"));
    visit(ValueRef::M(view.as_map()), 40);
    let subset = encode_subset(view, |name| name.len().is_multiple_of(2));
    let _ = subset.decode();
    let mut json = Vec::new();
    write_item_line(&mut json, view);
    // Texts are checked when they are written, not when they are read.
    if let Ok(json) = std::str::from_utf8(&json) {
        assert!(serde_json::from_str::<serde_json::Value>(json).is_ok(), "{json}");
    }
    if let Ok(item) = view.to_item() {
        check_item(&item, input);
    }
    check_keys(input);
}

/// Asks a view of everything, as far down as a reader goes.
fn visit(view: ValueRef<'_>, depth: usize) {
    let _ = (view.kind(), view.size_bytes(), view.partial_cmp(&view));
    if depth == 0 {
        return;
    }
    match view {
        ValueRef::M(map) => {
            let _ = (map.len(), map.is_empty(), map.get(""), map.contains("a"), map.iter_raw().count());
            map.iter().for_each(|(_, value)| visit(value, depth - 1));
        }
        ValueRef::L(list) => {
            let _ = (list.len(), list.get(1), list.get(usize::MAX), list.iter_raw().count());
            list.iter().for_each(|value| visit(value, depth - 1));
        }
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => {
            let _ = (set.len(), set.element_kind(), set.contains(ValueRef::S("a")));
            set.iter().for_each(|value| visit(value, depth - 1));
        }
        ValueRef::N(number) => {
            let _ = (number.to_string(), number.to_i64(), number.to_u64_cut());
        }
        _ => {}
    }
}

fn check_item(item: &Item, bytes: &[u8]) {
    let encoded = EncodedItem::encode(item);
    assert_eq!(encoded.as_bytes(), bytes, "an item has one stored form");
    assert_eq!(encoded.size_bytes(), item.size_bytes());
    assert_eq!(encoded.view().len(), item.len());
    let mut builder = ItemBuilder::new();
    for (name, value) in item.iter() {
        let found = encoded.view().get(name).expect("what is iterated is found");
        assert_eq!(found.to_value().as_ref(), Ok(value));
        assert_eq!(found, EncodedValue::encode(value).view());
        assert_eq!(found.size_bytes(), value.size_bytes());
        builder.insert(name, found);
    }
    assert_eq!(builder.finish(), encoded);
    // What DynamoDB's JSON can say, it says without loss. It has limits that stored bytes haven't.
    let mut line = Vec::new();
    write_item_line(&mut line, encoded.view());
    if let Ok(again) = read_item_line(&line) {
        assert_eq!(again, *item, "{}", String::from_utf8_lossy(&line));
    }
}

fn check_keys(input: &[u8]) {
    let (first, second) = input.split_at(input.len() / 2);
    for kind in [Kind::S, Kind::N, Kind::B] {
        let values = [read_part(first, kind), read_part(second, kind)];
        let [Some(a), Some(b)] = values else { continue };
        let (part_a, part_b) = (part(&a), part(&b));
        let order = a.as_scalar().unwrap().partial_cmp(&b.as_scalar().unwrap());
        assert_eq!(Some(part_a.cmp(&part_b)), order, "{a:?} {b:?}");
        assert!(a == b || !part_b.starts_with(&part_a), "no part begins another");
        let _ = partition_hash(&part_a);
        let mut low = Vec::new();
        if write_key_prefix(&mut low, b.as_scalar().unwrap()).is_ok() {
            let high = key_successor(&low);
            let inside = low <= part_a && high.is_none_or(|high| part_a < high);
            assert_eq!(inside, raw(&a).starts_with(raw(&b)), "{a:?} {b:?}");
        }
    }
    let mut reader = KeyReader::new(input);
    for kind in [Kind::S, Kind::N, Kind::B, Kind::Bool, Kind::S] {
        let _ = reader.read(kind);
        assert!(reader.rest().len() <= input.len());
    }
}

/// The key value at the beginning; reading takes exactly what writing gives.
fn read_part(bytes: &[u8], kind: Kind) -> Option<AttributeValue> {
    let mut reader = KeyReader::new(bytes);
    let value = reader.read(kind).ok()?;
    assert_eq!(part(&value), &bytes[..bytes.len() - reader.rest().len()]);
    Some(value)
}

fn part(value: &AttributeValue) -> Vec<u8> {
    let mut out = Vec::new();
    write_key_part(&mut out, value.as_scalar().unwrap()).unwrap();
    out
}

fn raw(value: &AttributeValue) -> &[u8] {
    match value {
        AttributeValue::S(text) => text.as_bytes(),
        AttributeValue::B(bytes) => bytes,
        _ => &[],
    }
}
