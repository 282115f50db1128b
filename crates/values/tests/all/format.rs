//! The examples in `docs/format.md` agree with the code.

use singlet_values::{
    AttributeValue, EncodedItem, Item, ItemRef, Number, ValueRef, partition_hash, write_key_part,
};

const PAGE: &str = include_str!("../../../../docs/format.md");

/// The lines of the code block with this name.
fn block(name: &str) -> impl Iterator<Item = &'static str> {
    let start = format!("```text {name}\n");
    let (_, rest) = PAGE.split_once(&start).expect("the page has the block");
    let (lines, _) = rest.split_once("\n```").expect("the block ends");
    lines.lines()
}

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hexadecimal")).collect()
}

/// The bytes of a block whose lines are bytes, two spaces or more, and a remark.
fn annotated(name: &str) -> Vec<u8> {
    block(name).flat_map(|line| hex(line.split_once("  ").map_or(line, |(bytes, _)| bytes))).collect()
}

fn key_part(value: ValueRef<'_>) -> Vec<u8> {
    let mut part = Vec::new();
    write_key_part(&mut part, value).expect("a key value");
    part
}

#[test]
fn the_numbers_on_the_page_have_the_bytes_on_the_page() {
    let mut last = Vec::new();
    for line in block("numbers") {
        let (text, bytes) = line.split_once(' ').expect("a number and its bytes");
        let number: Number = text.parse().expect("a number");
        assert_eq!(number.as_bytes(), hex(bytes), "{text}");
        assert!(last < hex(bytes), "the list ascends at {text}");
        last = hex(bytes);
    }
}

#[test]
fn the_item_on_the_page_has_the_bytes_on_the_page() {
    let item = Item::from([
        ("PK", AttributeValue::from("USER#7")),
        ("address", Item::from([("city", "Huế")]).into()),
        ("old", false.into()),
        ("score", "-12.50".parse::<Number>().expect("a number").into()),
        ("tags", AttributeValue::Ss(["b", "a"].map(str::to_owned).into())),
    ]);
    assert_eq!(EncodedItem::encode(&item).as_bytes(), annotated("item"));
    assert_eq!(ItemRef::new(&annotated("item")).to_item(), Ok(item));
}

#[test]
fn the_keys_on_the_page_have_the_bytes_on_the_page() {
    let expected: Vec<Vec<u8>> =
        block("keys").map(|line| hex(line.rsplit_once("  ").expect("a value and its bytes").1)).collect();
    let number: Number = "-12.5".parse().expect("a number");
    let values = [ValueRef::S("USER#7"), ValueRef::S(""), ValueRef::B(&[0, 1]), ValueRef::N(number.view())];
    assert_eq!(values.map(key_part).to_vec(), expected);

    let partition = key_part(ValueRef::S("USER#7"));
    let sort = key_part(ValueRef::N(Number::from(12).view()));
    assert_eq!([partition.clone(), sort].concat(), annotated("key"));
    let hash = format!("`{:08X}`", partition_hash(&partition));
    assert!(PAGE.contains(&hash), "{hash}");
}
