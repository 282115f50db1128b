//! No input of a client makes this crate panic, and every updated item can be stored.

use proptest::prelude::*;
use singlet_expr::{
    Condition, ExpressionKind, KeyAttribute, KeyCondition, KeyNames, Placeholders, Projection, Update,
};
use singlet_values::{AttributeValue, Attributes, EncodedItem, Item, ItemRef, Kind};

/// Pieces of expressions, many of which make sense one after the other.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "b", "pk", "sk", "#n", "#q", ":n", ":s", ":l", ":z", ".b", "[0]", "[7]", "AND", "OR", "NOT",
    "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE", "=", "<>", "<", ">=", "+", "-", "(", ")", ",",
    "size(a)", "begins_with(sk, :s)", "if_not_exists(a, :n)", "list_append(b, :l)", "contains(",
    "attribute_exists(a.b)", "a = :n", "b[0] = :s", "pk = :s", "a.b", "status", "_", "é", "😀",
    "99999999999",
];

fn text() -> impl Strategy<Value = String> {
    let pieces = || proptest::collection::vec(proptest::sample::select(PIECES), 0..16);
    let keyword = proptest::sample::select(vec!["SET", "REMOVE", "ADD", "DELETE"]);
    prop_oneof![
        any::<String>(),
        pieces().prop_map(|pieces| pieces.join(" ")),
        (keyword, pieces()).prop_map(|(keyword, pieces)| format!("{keyword} {}", pieces.join(" "))),
        proptest::collection::vec(
            proptest::sample::select(vec![
                "SET a = :n",
                "SET b[3] = :s",
                "SET b[0] = a",
                "SET c = a + :n",
                "SET b = list_append(b, :l)",
                "SET a.b = :n",
                "REMOVE b[0]",
                "REMOVE a.b, b[1]",
                "ADD a :n",
                "ADD c.d :z",
                "DELETE c.d :z",
            ]),
            1..3
        )
        .prop_map(|sections| sections.join(" ")),
    ]
}

fn placeholders() -> Placeholders {
    let names = [("#n".to_owned(), "a".to_owned())];
    let values = [
        (":n", AttributeValue::from(1)),
        (":s", AttributeValue::from("x")),
        (":l", AttributeValue::L(vec![AttributeValue::Null])),
        (":z", AttributeValue::Ss(["x".to_owned()].into())),
    ];
    let values = values.map(|(placeholder, value)| (placeholder.to_owned(), value));
    Placeholders::new(Some(names.into()), Some(values.into())).expect("well-formed placeholders")
}

fn items() -> [Item; 3] {
    let set = AttributeValue::Ss(["x".to_owned(), "y".to_owned()].into());
    [
        Item::new(),
        Item::from([("a", AttributeValue::from(1)), ("b", AttributeValue::L(vec!["x".into(), "y".into()]))]),
        Item::from([
            ("a", AttributeValue::M(Attributes::from([("b", 1)]))),
            ("b", "x".into()),
            ("c", AttributeValue::M(Attributes::from([("d", set)]))),
        ]),
    ]
}

const KEY: KeyNames<'_> = KeyNames {
    partition: &[KeyAttribute { name: "pk", kind: Kind::S }],
    sort: &[KeyAttribute { name: "sk", kind: Kind::S }],
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_expression_panics_on_any_item(text in text()) {
        let mut placeholders = placeholders();
        let condition = Condition::parse(ExpressionKind::Filter, &text, &mut placeholders);
        let projection = Projection::parse(&text, &mut placeholders);
        let update = Update::parse(&text, &mut placeholders);
        if let Ok(condition) = KeyCondition::parse(&text, &mut placeholders) {
            let bound = condition.bind(&KEY);
            prop_assert!(bound.is_err() || bound.is_ok_and(|bound| bound.partition.len() == 1));
        }
        for item in items() {
            let stored = EncodedItem::encode(&item);
            if let Ok(condition) = &condition {
                condition.matches(stored.view());
            }
            if let Ok(projection) = &projection {
                prop_assert!(projection.project(stored.view()).size_bytes() <= stored.size_bytes());
            }
            let Ok(update) = &update else { continue };
            for updated in [update.apply(stored.view()), update.apply_to_new(stored.view())].into_iter().flatten() {
                let again = EncodedItem::encode(&updated.item).decode();
                prop_assert_eq!(again.as_ref(), Ok(&updated.item));
                prop_assert!(updated.updated_new().size_bytes() <= updated.item.size_bytes());
                prop_assert!(updated.updated_old().size_bytes() <= item.size_bytes());
            }
        }
    }

    #[test]
    fn no_expression_panics_on_bytes_that_are_no_item(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let mut placeholders = placeholders();
        let text = "a.b[0] = :s OR size(b) > :n OR contains(c, :z) OR attribute_exists(b[1])";
        let condition = Condition::parse(ExpressionKind::Filter, text, &mut placeholders).expect("a condition");
        let projection = Projection::parse("a, b[0], c.d", &mut placeholders).expect("a projection");
        let update = Update::parse("SET a = a + :n, b[0] = :s REMOVE c.d", &mut placeholders).expect("an update");
        let item = ItemRef::new(&bytes);
        condition.matches(item);
        projection.project(item);
        let _refused_or_not = update.apply(item).map(|updated| updated.updated_old());
    }
}
