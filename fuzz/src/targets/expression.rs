//! Expressions: the first line is the text; a second and a third may give the values and the item as JSON lines.
//!
//! Promises:
//! - the same text is understood the same way twice, and one over 4 KB is refused;
//! - an item meets exactly one of a condition and its negation;
//! - a projection is never larger than its item, and without indexes of lists it changes nothing the second time;
//! - whatever an update makes can be stored and read back, and says what it changed;
//! - a key condition that binds has a value for the whole partition key, and a range that isn't an equality.

use std::collections::BTreeMap;

use singlet_expr::{
    Condition, ExprError, ExpressionKind, KeyAttribute, KeyCondition, KeyNames, KeyTest, Placeholders,
    Projection, Update,
};
use singlet_values::{AttributeValue, Attributes, EncodedItem, Item, ItemRef, Kind};
use singlet_wire::items::read_item_line;

const TEXT_BYTES_MAX: usize = 4096;

const KEY: KeyNames<'_> = KeyNames {
    partition: &[KeyAttribute { name: "pk", kind: Kind::S }],
    sort: &[KeyAttribute { name: "sk", kind: Kind::S }, KeyAttribute { name: "n", kind: Kind::N }],
};

pub(crate) fn run(input: &[u8]) {
    let mut lines = input.splitn(3, |byte| *byte == b'\n');
    let text = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let values = lines.next().and_then(|line| read_item_line(line).ok()).unwrap_or_else(values);
    let Ok(placeholders) = placeholders(values) else { return };
    let mut items = items();
    items.extend(lines.next().and_then(|line| read_item_line(line).ok()));
    let stored: Vec<EncodedItem> = items.iter().map(EncodedItem::encode).collect();
    check_condition(&text, &placeholders, &stored);
    check_projection(&text, &placeholders, &stored);
    check_update(&text, &placeholders, &stored);
    check_key_condition(&text, &placeholders);
    // Conditions are also evaluated on bytes that a disk gave back wrong.
    if let Ok(condition) = Condition::parse(ExpressionKind::Filter, &text, &mut placeholders.clone()) {
        condition.matches(ItemRef::new(input));
    }
}

fn values() -> Item {
    Item::from([
        (":n", AttributeValue::from(1)),
        (":s", AttributeValue::from("x")),
        (":b", AttributeValue::from(vec![0u8, 255])),
        (":l", AttributeValue::L(vec![AttributeValue::Null, 2.into()])),
        (":m", AttributeValue::M(Attributes::from([("b", 1)]))),
        (":t", AttributeValue::from("SS")),
        (":y", AttributeValue::from(true)),
        (":z", AttributeValue::Ss(["x".to_owned()].into())),
        (":ns", AttributeValue::Ns([1.into(), 2.into()].into())),
    ])
}

fn placeholders(values: Item) -> Result<Placeholders, ExprError> {
    let names = BTreeMap::from([("#n".to_owned(), "a".to_owned()), ("#s".to_owned(), "status.x".to_owned())]);
    let values: BTreeMap<String, AttributeValue> =
        values.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    Placeholders::new(Some(names), Some(values))
}

fn items() -> Vec<Item> {
    let set = AttributeValue::Ss(["x".to_owned(), "y".to_owned()].into());
    let deep = (0..30).fold(AttributeValue::from("deep"), |inner, _| AttributeValue::L(vec![inner]));
    vec![
        Item::new(),
        Item::from([("a", AttributeValue::from(1)), ("b", AttributeValue::L(vec!["x".into(), 2.into()]))]),
        Item::from([
            ("a", AttributeValue::M(Attributes::from([("b", 1)]))),
            ("b", "x".into()),
            ("c", AttributeValue::M(Attributes::from([("d", set)]))),
            ("d", deep),
            ("status.x", AttributeValue::Ns([3.into()].into())),
        ]),
    ]
}

fn parse_twice<T: PartialEq + std::fmt::Debug>(
    text: &str,
    placeholders: &Placeholders,
    parse: impl Fn(&str, &mut Placeholders) -> Result<T, ExprError>,
) -> Option<T> {
    let first = parse(text, &mut placeholders.clone());
    let second = parse(text, &mut placeholders.clone());
    match (first, second) {
        (Ok(one), Ok(other)) => {
            assert_eq!(one, other);
            assert!(text.len() <= TEXT_BYTES_MAX, "a text of {} bytes is taken", text.len());
            Some(one)
        }
        (Err(one), Err(other)) => {
            assert_eq!(one.to_string(), other.to_string());
            None
        }
        (one, other) => panic!("{one:?} {other:?}"),
    }
}

fn check_condition(text: &str, placeholders: &Placeholders, items: &[EncodedItem]) {
    let parse = |text: &str, placeholders: &mut Placeholders| {
        Condition::parse(ExpressionKind::Condition, text, placeholders)
    };
    let Some(condition) = parse_twice(text, placeholders, parse) else { return };
    assert!(condition.nested_attributes().count() <= condition.top_level_attributes().count());
    // The negation may be over a limit that the condition just meets.
    let negation = parse(&format!("NOT ({text})"), &mut placeholders.clone()).ok();
    for item in items {
        let met = condition.matches(item.view());
        if let Some(negation) = &negation {
            assert_ne!(met, negation.matches(item.view()), "{text}");
        }
    }
}

fn check_projection(text: &str, placeholders: &Placeholders, items: &[EncodedItem]) {
    let Some(projection) = parse_twice(text, placeholders, Projection::parse) else { return };
    for item in items {
        let once = projection.project(item.view());
        assert!(once.size_bytes() <= item.size_bytes(), "{text}");
        assert!(once.decode().is_ok(), "{text}");
        if !text.contains('[') {
            assert_eq!(projection.project(once.view()), once, "{text}");
        }
    }
}

fn check_update(text: &str, placeholders: &Placeholders, items: &[EncodedItem]) {
    let Some(update) = parse_twice(text, placeholders, Update::parse) else { return };
    for item in items {
        for applied in [update.apply(item.view()), update.apply_to_new(item.view())] {
            let Ok(updated) = applied else { continue };
            let again = EncodedItem::encode(&updated.item);
            assert_eq!(again.decode().as_ref(), Ok(&updated.item), "{text}");
            let depth = |item: &Item| item.iter().map(|(_, value)| value.depth()).max().unwrap_or(0);
            assert!(depth(&updated.item) <= AttributeValue::DEPTH_MAX, "{text}");
            assert!(updated.updated_new().size_bytes() <= updated.item.size_bytes(), "{text}");
            assert!(updated.updated_old().size_bytes() <= item.size_bytes(), "{text}");
        }
    }
}

fn check_key_condition(text: &str, placeholders: &Placeholders) {
    let Some(condition) = parse_twice(text, placeholders, KeyCondition::parse) else { return };
    let Ok(bound) = condition.bind(&KEY) else { return };
    assert_eq!(bound.partition.len(), 1);
    assert!(bound.sort.len() <= 2);
    assert!(!matches!(bound.range, Some(KeyTest::Equal(_))));
}
