//! The laws of the stored form: nothing is lost, views agree with trees, and no bytes can make a reader fail.

use crate::arbitrary::{item, text, value};
use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use singlet_values::{
    AttributeValue, Corrupt, EncodedItem, EncodedValue, Item, ItemBuilder, ItemRef, ValueRef, encode_subset,
};

/// Calls every accessor of a view and of everything in it, as far down as an item may go.
fn visit(view: ValueRef<'_>, depth: usize) {
    let _ = (view.kind(), view.size_bytes(), view.to_value(), view.partial_cmp(&view), format!("{view:?}"));
    if depth == 0 {
        return;
    }
    match view {
        ValueRef::M(map) => {
            let _ = (map.len(), map.is_empty(), map.get(""), map.get("a"), map.contains("\u{10FFFF}"));
            map.iter().for_each(|(_, value)| visit(value, depth - 1));
        }
        ValueRef::L(list) => {
            let _ = (list.len(), list.is_empty(), list.get(0), list.get(1), list.get(usize::MAX));
            list.iter().for_each(|value| visit(value, depth - 1));
        }
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => {
            let _ = (set.len(), set.is_empty(), set.element_kind(), set.contains(ValueRef::S("a")));
            set.iter().for_each(|value| visit(value, depth - 1));
        }
        ValueRef::N(number) => {
            let _ = (number.to_string(), number.to_i64(), number.is_zero(), number.to_number());
        }
        _ => {}
    }
}

fn visit_item(bytes: &[u8]) {
    let view = ItemRef::new(bytes);
    let _ =
        (view.size_bytes(), view.len(), view.is_empty(), view.get("a"), view.get(""), format!("{view:?}"));
    view.iter().for_each(|(_, value)| visit(value, 40));
    visit(ValueRef::M(view.as_map()), 40);
    let _ = encode_subset(view, |name| name.len() % 2 == 0).decode();
}

/// Bytes that decode are exactly the bytes that encoding writes.
fn decodes_only_if_canonical(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(item) = ItemRef::new(bytes).to_item() {
        let encoded = EncodedItem::encode(&item);
        prop_assert_eq!(encoded.as_bytes(), bytes);
    }
    Ok(())
}

proptest! {
    #[test]
    fn an_item_survives_encoding(item in item()) {
        let encoded = EncodedItem::encode(&item);
        prop_assert_eq!(encoded.decode(), Ok(item.clone()));
        prop_assert_eq!(encoded.size_bytes(), item.size_bytes());
        prop_assert_eq!(EncodedItem::from_bytes(Bytes::copy_from_slice(encoded.as_bytes())), encoded);
    }

    #[test]
    fn a_value_survives_encoding(value in value()) {
        let encoded = EncodedValue::encode(&value);
        prop_assert_eq!(encoded.view().to_value(), Ok(value.clone()));
        prop_assert_eq!(encoded.view().kind(), value.kind());
        prop_assert_eq!(encoded.view().size_bytes(), value.size_bytes());
        if let Some(scalar) = value.as_scalar() {
            prop_assert_eq!(scalar, encoded.view());
        }
    }

    #[test]
    fn the_order_of_building_leaves_no_trace(pairs in vec((text(), value()), 0..8)) {
        let collected: Item = pairs.iter().cloned().collect();
        let mut inserted = Item::new();
        for (name, value) in pairs {
            inserted.insert(name, value);
        }
        prop_assert_eq!(EncodedItem::encode(&collected), EncodedItem::encode(&inserted));
    }

    #[test]
    fn views_show_what_the_tree_holds(item in item()) {
        let encoded = EncodedItem::encode(&item);
        let view = encoded.view();
        prop_assert_eq!(view.len(), item.len());
        let names: Vec<&str> = view.iter().map(|(name, _)| name).collect();
        prop_assert_eq!(names, item.iter().map(|(name, _)| name).collect::<Vec<_>>());
        for (name, value) in item.iter() {
            let found = view.get(name).expect("the attribute is there");
            prop_assert_eq!(found.to_value(), Ok(value.clone()));
            let alone = EncodedValue::encode(value);
            prop_assert_eq!(found, alone.view());
            visit_agrees(found, value)?;
        }
        prop_assert_eq!(view.get("no such name"), None);
    }

    #[test]
    fn equal_values_are_equal_bytes_and_others_are_not(a in value(), b in value()) {
        prop_assert_eq!(EncodedValue::encode(&a).view() == EncodedValue::encode(&b).view(), a == b);
    }

    #[test]
    fn a_subset_is_what_encoding_the_kept_attributes_gives(item in item(), bits: u64) {
        let keep = |name: &str| bits >> (name.len() % 7) & 1 == 1;
        let mut kept = item.clone();
        kept.retain(|name, _| keep(name));
        prop_assert_eq!(encode_subset(EncodedItem::encode(&item).view(), keep), EncodedItem::encode(&kept));
    }

    #[test]
    fn a_built_item_is_what_encoding_the_tree_gives(a in item(), b in item()) {
        let (stored_a, stored_b) = (EncodedItem::encode(&a), EncodedItem::encode(&b));
        let mut builder = ItemBuilder::new();
        stored_a.view().iter().chain(stored_b.view().iter()).for_each(|(name, value)| builder.insert(name, value));
        let mut merged = a;
        merged.extend(b);
        prop_assert_eq!(builder.finish(), EncodedItem::encode(&merged));
    }

    #[test]
    fn no_bytes_hurt_a_view(bytes in vec(any::<u8>(), 0..200)) {
        visit_item(&bytes);
        decodes_only_if_canonical(&bytes)?;
    }

    #[test]
    fn bytes_that_look_like_an_item_do_not_hurt_a_view(
        bytes in vec(prop_oneof![prop::sample::select(b"SNBTF0MLsnb".to_vec()), 0u8..6, any::<u8>()], 0..120),
    ) {
        visit_item(&bytes);
        decodes_only_if_canonical(&bytes)?;
    }

    #[test]
    fn a_damaged_item_does_not_hurt_a_view(
        item in item(), at: prop::sample::Index, byte: u8, cut: prop::sample::Index,
    ) {
        let mut bytes = EncodedItem::encode(&item).as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        visit_item(&bytes);
        decodes_only_if_canonical(&bytes)?;
        bytes.truncate(cut.index(bytes.len()));
        visit_item(&bytes);
        decodes_only_if_canonical(&bytes)?;
    }

    #[test]
    fn a_shortened_or_lengthened_item_is_corrupt(item in item(), cut: prop::sample::Index, more: u8) {
        let mut bytes = EncodedItem::encode(&item).as_bytes().to_vec();
        prop_assert_eq!(ItemRef::new(&bytes[..cut.index(bytes.len())]).to_item(), Err(Corrupt));
        bytes.push(more);
        prop_assert_eq!(ItemRef::new(&bytes).to_item(), Err(Corrupt));
    }
}

fn visit_agrees(view: ValueRef<'_>, value: &AttributeValue) -> Result<(), TestCaseError> {
    match (view, value) {
        (ValueRef::M(map), AttributeValue::M(tree)) => {
            prop_assert_eq!(map.len(), tree.len());
            for (name, value) in tree.iter() {
                visit_agrees(map.get(name).expect("the entry is there"), value)?;
            }
        }
        (ValueRef::L(list), AttributeValue::L(tree)) => {
            prop_assert_eq!(list.len(), tree.len());
            for (index, value) in tree.iter().enumerate() {
                visit_agrees(list.get(index).expect("the element is there"), value)?;
            }
            prop_assert_eq!(list.get(tree.len()), None);
        }
        (ValueRef::Ss(set), AttributeValue::Ss(tree)) => {
            prop_assert!(set.iter().eq(tree.iter().map(|text| ValueRef::S(text))));
            prop_assert!(tree.iter().all(|text| set.contains(ValueRef::S(text))));
            prop_assert!(!set.contains(ValueRef::S("not in the set")));
        }
        (ValueRef::Ns(set), AttributeValue::Ns(tree)) => {
            prop_assert!(set.iter().eq(tree.iter().map(|number| ValueRef::N(number.view()))));
        }
        (ValueRef::Bs(set), AttributeValue::Bs(tree)) => {
            prop_assert!(set.iter().eq(tree.iter().map(|bytes| ValueRef::B(bytes))));
            prop_assert!(
                tree.iter().all(|bytes| !set.contains(ValueRef::S(&String::from_utf8_lossy(bytes))))
            );
        }
        (view, value) => prop_assert_eq!(value.as_scalar(), Some(view)),
    }
    Ok(())
}

#[test]
fn only_strings_numbers_and_binaries_have_an_order() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (one, ten) = (AttributeValue::from(1), AttributeValue::from(10));
    let numbers = (one.as_scalar().expect("a scalar"), ten.as_scalar().expect("a scalar"));
    assert_eq!(numbers.0.partial_cmp(&numbers.1), Some(Less));
    assert_eq!(ValueRef::S("b").partial_cmp(&ValueRef::S("aa")), Some(Greater));
    assert_eq!(ValueRef::B(b"\xff").partial_cmp(&ValueRef::B(b"\x7f")), Some(Greater));
    assert_eq!(ValueRef::S("a").partial_cmp(&ValueRef::S("a")), Some(Equal));
    assert_eq!(ValueRef::S("1").partial_cmp(&numbers.0), None);
    assert_eq!(ValueRef::Bool(true).partial_cmp(&ValueRef::Bool(true)), None);
    assert_eq!(ValueRef::Null.partial_cmp(&ValueRef::Null), None);
}

#[test]
fn the_empty_item_is_stored_as_the_view_of_a_missing_one() {
    assert_eq!(EncodedItem::encode(&Item::new()).view(), ItemRef::EMPTY);
    assert_eq!(EncodedItem::default().decode(), Ok(Item::new()));
    assert!(ItemRef::EMPTY.is_empty());
    assert_eq!(ItemRef::EMPTY.get("a"), None);
}

#[test]
fn the_deepest_item_that_dynamodb_allows_can_be_stored() {
    let nested = |levels| (0..levels).fold(AttributeValue::Null, |inner, _| AttributeValue::L(vec![inner]));
    let deepest = nested(AttributeValue::DEPTH_MAX);
    assert_eq!(deepest.depth(), AttributeValue::DEPTH_MAX);
    let item = Item::from([("deep", deepest)]);
    assert_eq!(EncodedItem::encode(&item).decode(), Ok(item));
}

#[test]
fn endless_nesting_is_corrupt_and_does_not_use_up_the_stack() {
    // A list in a list in a list…, written from the inside: tag, length of the body, count of one.
    let levels = 100_000u32;
    let mut reversed = vec![b'0'];
    for level in 0..levels {
        let body_len = 2 + level * 6;
        reversed.push(1);
        reversed.extend(body_len.to_le_bytes().iter().rev());
        reversed.push(b'L');
    }
    let value: Vec<u8> = reversed.into_iter().rev().collect();
    let bytes = [&[0, 1, 1, b'a'][..], &value].concat();
    let view = ItemRef::new(&bytes);
    assert_eq!(view.get("a").map(ValueRef::kind), Some(singlet_values::Kind::L));
    assert_eq!(view.to_item(), Err(Corrupt));
    assert_eq!(view.get("a").map(|value| value.to_value()), Some(Err(Corrupt)));
    assert_eq!(view.get("a"), view.get("a"));
    visit_item(&bytes);
}

#[test]
fn sizes_count_names_elements_and_containers_as_dynamodb_does() {
    let list =
        |values: &[&str]| AttributeValue::L(values.iter().map(|text| AttributeValue::from(*text)).collect());
    for (value, size_bytes) in [
        (AttributeValue::from(""), 0),
        (AttributeValue::from("abc"), 3),
        (AttributeValue::from("é€"), 5),
        (AttributeValue::from(vec![0u8; 7]), 7),
        (AttributeValue::from(true), 1),
        (AttributeValue::Null, 1),
        (AttributeValue::from(12345), 4),
        (list(&[]), 3),
        (list(&["xy", "z"]), 3 + (1 + 2) + (1 + 1)),
        (AttributeValue::M(Item::new()), 3),
        (AttributeValue::M(Item::from([("name", "xy")])), 3 + (1 + 4 + 2)),
        (AttributeValue::Ss(["ab".to_owned(), "c".to_owned()].into()), 3),
        (AttributeValue::Ns([1.into(), 123.into()].into()), 2 + 3),
        (AttributeValue::Bs([vec![1, 2], vec![3]].into()), 3),
    ] {
        assert_eq!(value.size_bytes(), size_bytes, "{value:?}");
        let item = Item::from([("née", value)]);
        assert_eq!(item.size_bytes(), 4 + size_bytes);
        assert_eq!(EncodedItem::encode(&item).size_bytes(), 4 + size_bytes);
    }
}

#[test]
fn lengths_beyond_one_byte_are_stored_and_read() {
    for len in [127, 128, 16_383, 16_384, 409_600] {
        let item = Item::from([("a".repeat(len % 1000 + 1), AttributeValue::from("x".repeat(len)))]);
        assert_eq!(EncodedItem::encode(&item).decode(), Ok(item));
    }
}

#[test]
fn second_representations_of_an_item_are_corrupt() {
    let decode = |bytes: &[u8]| ItemRef::new(bytes).to_item();
    assert_eq!(decode(b"\x02\x01\x01aT"), Ok(Item::from([("a", true)])));
    for (bytes, fault) in [
        (&b""[..], "nothing"),
        (b"\x03\x01\x01aT", "another size"),
        (b"\x82\x00\x01\x01aT", "a long spelling of a short length"),
        (b"\x04\x02\x01bT\x01aT", "names that descend"),
        (b"\x04\x02\x01aT\x01aT", "a name twice"),
        (b"\x02\x01\x01\xffT", "a name that is not UTF-8"),
        (b"\x02\x01\x01aS\x01\xff", "a string that is not UTF-8"),
        (b"\x01\x01\x01as\x03\x00\x00\x00\x01\x01\xff", "a string in a set that is not UTF-8"),
        (b"\x03\x01\x01as\x05\x00\x00\x00\x02\x01x\x01x", "an element twice"),
        (b"\x03\x01\x01ab\x05\x00\x00\x00\x02\x01y\x01x", "elements that descend"),
        (b"\x05\x01\x01an\x07\x00\x00\x00\x02\xc1\x02\x00\xc1\x02\x00", "a number twice"),
        (b"\x04\x01\x01aL\x02\x00\x00\x00\x00T", "bytes after the last element"),
        (b"\x02\x01\x01a?", "an unknown tag"),
        (b"\x00\xff\xff\xff\xff\x0f", "a count without elements"),
    ] {
        assert_eq!(decode(bytes), Err(Corrupt), "{fault}");
    }
}

#[test]
fn iteration_ends_for_good_at_the_first_malformed_element() {
    // True, an unknown tag, true.
    let stored = b"\x00\x01\x01aL\x04\x00\x00\x00\x03T?T";
    let Some(ValueRef::L(list)) = ItemRef::new(stored).get("a") else { panic!("a list") };
    let mut elements = list.iter();
    assert_eq!(elements.next(), Some(ValueRef::Bool(true)));
    assert_eq!(elements.next(), None);
    assert_eq!(elements.next(), None);
    assert_eq!(list.get(2), None);
}
