//! Statements of PartiQL.
//!
//! Promises:
//! - the same text is understood the same way twice;
//! - the quick look at a text agrees with the parser on what only reads;
//! - an item that meets the condition of a `SELECT` is in exactly one of the ranges that are read for it;
//! - an item that meets the condition of a write has the key that the write names, and meets the rest.

use singlet_expr::{Comparator, Condition, KeyAttribute, KeyCondition, KeyNames, KeyTest, Operand, Path};
use singlet_partiql::{Access, Select, Statement, split_key};
use singlet_values::{AttributeValue, Attributes, EncodedItem, Item, Kind};

const KEY: KeyNames<'_> = KeyNames {
    partition: &[KeyAttribute { name: "a", kind: Kind::S }],
    sort: &[KeyAttribute { name: "b", kind: Kind::N }],
};

pub(crate) fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input).into_owned();
    let parameters: Vec<AttributeValue> =
        (0..text.matches('?').count()).map(|at| if at % 2 == 0 { "x".into() } else { 1.into() }).collect();
    let parsed = Statement::parse(&text, parameters.clone());
    assert_eq!(parsed, Statement::parse(&text, parameters));
    let Ok(statement) = parsed else { return };
    assert_eq!(Statement::reads(&text), statement.is_read(), "{text}");
    match &statement {
        Statement::Select(select) | Statement::Exists(select) => check_access(select),
        Statement::Update(update) => check_key(update.condition.as_ref()),
        Statement::Delete(delete) => check_key(delete.condition.as_ref()),
        Statement::Insert(insert) => {
            assert_eq!(EncodedItem::encode(&insert.item).decode(), Ok(insert.item.clone()))
        }
    }
}

fn items() -> impl Iterator<Item = EncodedItem> {
    let keys = ["x", "y", "z"].into_iter().flat_map(|a| (0..4).map(move |b| (a, b)));
    keys.map(|(a, b)| {
        let inner = AttributeValue::M(Attributes::from([("k", b)]));
        EncodedItem::encode(&Item::from([
            ("a", a.into()),
            ("b", b.into()),
            ("c", (b * 10).into()),
            ("m", inner),
        ]))
    })
}

fn check_access(select: &Select) {
    let Ok(Access::Ranges(ranges)) = select.access(&KEY) else { return };
    let condition = select.condition.as_ref().expect("ranges come from a condition");
    for item in items().filter(|item| condition.matches(item.view())) {
        let within = ranges.iter().filter(|range| as_condition(range).matches(item.view())).count();
        assert_eq!(within, 1, "{select:?}: {item:?}");
    }
}

fn check_key(condition: Option<&Condition>) {
    let Ok(keyed) = split_key(condition, &KEY) else { return };
    let condition = condition.expect("a key comes from a condition");
    for item in items() {
        let is_named = keyed.key.iter().all(|(name, value)| {
            item.view().get(name).and_then(|found| found.to_value().ok()).as_ref() == Some(value)
        });
        let meets_rest = keyed.rest.as_ref().is_none_or(|rest| rest.matches(item.view()));
        assert_eq!(condition.matches(item.view()), is_named && meets_rest, "{condition:?}: {item:?}");
    }
}

/// A range of keys as a condition on items.
fn as_condition(range: &KeyCondition) -> Condition {
    let terms = range.terms().expect("one term for each attribute");
    let conditions = terms.iter().map(|term| {
        let path = Path::attribute(term.attribute.as_str());
        let compare = |comparator, value: &AttributeValue| {
            Condition::compare(Operand::Path(path.clone()), comparator, value.clone())
        };
        match &term.test {
            KeyTest::Equal(value) => compare(Comparator::Equal, value),
            KeyTest::Less(value) => compare(Comparator::Less, value),
            KeyTest::LessOrEqual(value) => compare(Comparator::LessOrEqual, value),
            KeyTest::Greater(value) => compare(Comparator::Greater, value),
            KeyTest::GreaterOrEqual(value) => compare(Comparator::GreaterOrEqual, value),
            KeyTest::Between(low, high) => Condition::between(path, low.clone(), high.clone()),
            KeyTest::BeginsWith(prefix) => Condition::begins_with(path, prefix.clone()),
        }
    });
    Condition::all(conditions).expect("a range names its partition")
}
