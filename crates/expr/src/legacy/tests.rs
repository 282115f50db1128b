use std::collections::BTreeMap;

use singlet_values::{AttributeValue, ItemRef, Kind};

use super::*;
use crate::testing::{b, item, l, m, n, ns, one_of_each_kind, s, ss, stored};
use crate::{Condition, KeyAttribute, KeyNames, KeyTest};

fn condition(operator: ComparisonOperator, values: &[AttributeValue]) -> AttributeCondition {
    AttributeCondition { operator, values: values.to_vec() }
}

fn one<T>(attribute: &str, what: T) -> BTreeMap<String, T> {
    BTreeMap::from([(attribute.to_owned(), what)])
}

fn filter_on(
    attribute: &str,
    operator: ComparisonOperator,
    values: &[AttributeValue],
) -> Result<Condition, String> {
    match filter(one(attribute, condition(operator, values)), None) {
        Ok(condition) => Ok(condition.expect("a filter")),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn every_operator_is_found_by_its_name() {
    for operator in ComparisonOperator::ALL {
        assert_eq!(ComparisonOperator::named(operator.name()), Some(operator));
    }
    assert_eq!(ComparisonOperator::named("eq"), None);
}

#[test]
fn operators_look_at_values_of_every_kind() {
    use ComparisonOperator::*;
    let stored = stored(&[
        ("n", n("10")),
        ("s", s("hello")),
        ("b", b("hi there")),
        ("ns", ns(&["2", "4"])),
        ("l", l(&[n("2"), s("x")])),
        ("m", m(&[("k", n("1"))])),
    ]);
    for (attribute, operator, values, expected) in [
        ("n", Eq, vec![n("10.0")], true),
        ("n", Eq, vec![s("10")], false),
        ("m", Eq, vec![m(&[("k", n("1"))])], true),
        ("q", Eq, vec![n("1")], false),
        ("n", Ne, vec![n("1")], true),
        ("q", Ne, vec![n("1")], true),
        ("n", Lt, vec![n("11")], true),
        ("n", Le, vec![n("10")], true),
        ("n", Gt, vec![n("9")], true),
        ("n", Ge, vec![n("11")], false),
        ("s", Gt, vec![n("1")], false),
        ("n", In, vec![n("1"), n("10")], true),
        ("ns", In, vec![n("2")], false),
        ("n", Between, vec![n("9"), n("10")], true),
        ("q", Between, vec![n("9"), n("10")], false),
        ("n", NotNull, vec![], true),
        ("q", NotNull, vec![], false),
        ("q", Null, vec![], true),
        ("s", Contains, vec![s("ell")], true),
        ("b", Contains, vec![b("the")], true),
        ("ns", Contains, vec![n("4")], true),
        ("l", Contains, vec![s("x")], true),
        ("s", NotContains, vec![s("dog")], true),
        ("s", NotContains, vec![s("ell")], false),
        ("s", NotContains, vec![n("1")], true),
        ("q", NotContains, vec![n("1")], false),
        ("s", BeginsWith, vec![s("he")], true),
        ("n", BeginsWith, vec![s("1")], false),
    ] {
        let condition = filter_on(attribute, operator, &values).unwrap();
        assert_eq!(condition.matches(stored.view()), expected, "{attribute} {operator:?} {values:?}");
    }
}

#[test]
fn operators_take_a_number_of_values() {
    use ComparisonOperator::*;
    for operator in ComparisonOperator::ALL {
        for count in 0..4 {
            let expected = match operator {
                Null | NotNull => count == 0,
                In => count > 0,
                Between => count == 2,
                _ => count == 1,
            };
            let result = filter_on("a", operator, &vec![s("a"); count]);
            if expected {
                assert!(result.is_ok(), "{operator:?} {count}");
            } else {
                assert_eq!(
                    result.unwrap_err(),
                    format!(
                        "One or more parameter values were invalid: Invalid number of argument(s) for the {} \
                         ComparisonOperator",
                        operator.name()
                    )
                );
            }
        }
    }
}

#[test]
fn operators_take_some_kinds_of_values_only() {
    use ComparisonOperator::*;
    for operator in [Eq, Ne, Lt, Le, Gt, Ge, In, Between, Contains, NotContains, BeginsWith] {
        for value in one_of_each_kind() {
            let kind = value.kind();
            let expected = match operator {
                Eq | Ne => true,
                Contains | NotContains => !matches!(kind, Kind::Ss | Kind::Ns | Kind::Bs | Kind::M | Kind::L),
                BeginsWith => matches!(kind, Kind::S | Kind::B),
                _ => matches!(kind, Kind::S | Kind::N | Kind::B),
            };
            let count = if operator == Between { 2 } else { 1 };
            let result = filter_on("a", operator, &vec![value; count]);
            if expected {
                assert!(result.is_ok(), "{operator:?} {kind:?}");
            } else {
                assert_eq!(
                    result.unwrap_err(),
                    format!(
                        "One or more parameter values were invalid: ComparisonOperator {} is not valid for {} \
                         AttributeValue type",
                        operator.name(),
                        kind.code()
                    )
                );
            }
        }
    }
}

#[test]
fn values_are_of_one_kind_and_bounds_in_order() {
    assert_eq!(
        filter_on("a", ComparisonOperator::In, &[s("b"), n("1")]).unwrap_err(),
        "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of same type"
    );
    assert_eq!(
        filter_on("a", ComparisonOperator::Between, &[s("b"), s("a")]).unwrap_err(),
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    );
}

#[test]
fn conditions_are_put_together_by_the_conditional_operator() {
    let both = || {
        BTreeMap::from([
            ("a".to_owned(), condition(ComparisonOperator::Eq, &[n("1")])),
            ("b".to_owned(), condition(ComparisonOperator::Eq, &[n("1")])),
        ])
    };
    let item = stored(&[("a", n("1")), ("b", n("2"))]);
    for (operator, expected) in
        [(None, false), (Some(ConditionalOperator::And), false), (Some(ConditionalOperator::Or), true)]
    {
        assert_eq!(filter(both(), operator).unwrap().unwrap().matches(item.view()), expected);
    }
    let or = Some(ConditionalOperator::Or);
    assert_eq!(
        filter(BTreeMap::new(), or).unwrap_err().to_string(),
        "ConditionalOperator cannot be used without Filter or Expected"
    );
    assert_eq!(
        filter(one("a", condition(ComparisonOperator::Null, &[])), or).unwrap_err().to_string(),
        "ConditionalOperator can only be used when Filter or Expected has two or more elements"
    );
    assert_eq!(filter(BTreeMap::new(), None), Ok(None));
}

fn expect(expected_attribute: ExpectedAttribute) -> Result<Condition, String> {
    match expected(one("a", expected_attribute), None) {
        Ok(condition) => Ok(condition.expect("a condition")),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn expected_says_what_a_value_is_or_that_there_is_none() {
    let item = stored(&[("a", s("x"))]);
    let value = |text| Some(s(text));
    for (attribute, expected) in [
        (ExpectedAttribute { value: value("x"), ..Default::default() }, true),
        (ExpectedAttribute { value: value("x"), exists: Some(true), ..Default::default() }, true),
        (ExpectedAttribute { value: value("y"), ..Default::default() }, false),
        (ExpectedAttribute { exists: Some(false), ..Default::default() }, false),
        (
            ExpectedAttribute {
                operator: Some(ComparisonOperator::BeginsWith),
                value: value("x"),
                ..Default::default()
            },
            true,
        ),
        (
            ExpectedAttribute {
                operator: Some(ComparisonOperator::In),
                values: Some(vec![s("w"), s("x")]),
                ..Default::default()
            },
            true,
        ),
    ] {
        assert_eq!(expect(attribute.clone()).unwrap().matches(item.view()), expected, "{attribute:?}");
    }
    let absent = ExpectedAttribute { exists: Some(false), ..Default::default() };
    assert!(expect(absent).unwrap().matches(ItemRef::EMPTY));
}

#[test]
fn expected_says_it_in_one_way() {
    let base = ExpectedAttribute::default;
    let lt = Some(ComparisonOperator::Lt);
    let null = Some(ComparisonOperator::Null);
    let (value, values) = (Some(s("a")), Some(vec![s("a")]));
    for (attribute, expected) in [
        (base(), "Value must be provided when Exists is null for Attribute: a"),
        (
            ExpectedAttribute { exists: Some(true), ..base() },
            "Value must be provided when Exists is true for Attribute: a",
        ),
        (
            ExpectedAttribute { exists: Some(false), value: value.clone(), ..base() },
            "Value cannot be used when Exists is false for Attribute: a",
        ),
        (
            ExpectedAttribute { operator: lt, ..base() },
            "Value or AttributeValueList must be used with ComparisonOperator: LT for Attribute: a",
        ),
        (
            ExpectedAttribute { operator: lt, exists: Some(true), ..base() },
            "Exists and ComparisonOperator cannot be used together for Attribute: a",
        ),
        (
            ExpectedAttribute { operator: lt, value: value.clone(), values: values.clone(), ..base() },
            "Value and AttributeValueList cannot be used together for Attribute: a",
        ),
        (
            ExpectedAttribute { values: values.clone(), ..base() },
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (
            ExpectedAttribute { values, exists: Some(true), ..base() },
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (
            ExpectedAttribute { operator: null, value, ..base() },
            "Invalid number of argument(s) for the NULL ComparisonOperator",
        ),
    ] {
        let expected = format!("One or more parameter values were invalid: {expected}");
        assert_eq!(expect(attribute.clone()).unwrap_err(), expected, "{attribute:?}");
    }
    let empty = ExpectedAttribute { operator: lt, values: Some(vec![]), ..base() };
    assert!(
        expect(empty).unwrap_err().ends_with("Invalid number of argument(s) for the LT ComparisonOperator")
    );
}

#[test]
fn key_conditions_select_ranges_of_keys() {
    use ComparisonOperator::*;
    let key = KeyNames {
        partition: &[KeyAttribute { name: "pk", kind: Kind::S }],
        sort: &[KeyAttribute { name: "sk", kind: Kind::S }],
    };
    let bind = |operator, values: &[AttributeValue]| {
        let mut conditions = one("pk", condition(Eq, &[s("p")]));
        conditions.insert("sk".to_owned(), condition(operator, values));
        key_conditions(conditions)
            .and_then(|condition| condition.bind(&key))
            .map_err(|error| error.to_string())
    };
    for (operator, values, range) in [
        (Lt, vec![s("x")], KeyTest::Less(s("x"))),
        (Le, vec![s("x")], KeyTest::LessOrEqual(s("x"))),
        (Gt, vec![s("x")], KeyTest::Greater(s("x"))),
        (Ge, vec![s("x")], KeyTest::GreaterOrEqual(s("x"))),
        (BeginsWith, vec![s("x")], KeyTest::BeginsWith(s("x"))),
        (Between, vec![s("x"), s("y")], KeyTest::Between(s("x"), s("y"))),
    ] {
        let bound = bind(operator, &values).unwrap();
        assert_eq!((bound.partition, bound.sort, bound.range), (vec![s("p")], vec![], Some(range)));
    }
    assert_eq!(bind(Eq, &[s("x")]).unwrap().sort, [s("x")]);
    for (operator, values) in [
        (Ne, vec![s("x")]),
        (Contains, vec![s("x")]),
        (Null, vec![]),
        (In, vec![s("x"), s("y")]),
        (In, vec![s("x")]),
    ] {
        assert_eq!(
            bind(operator, &values).unwrap_err(),
            "Attempted conditional constraint is not an indexable operation"
        );
    }
    assert_eq!(
        key_conditions(BTreeMap::new()).unwrap_err().to_string(),
        "Conditions can be of length 1 or 2 only"
    );
}

fn update(action: UpdateAction, value: Option<AttributeValue>) -> BTreeMap<String, AttributeUpdate> {
    one("a", AttributeUpdate { action, value })
}

#[test]
fn attribute_updates_put_add_and_delete() {
    use UpdateAction::*;
    for (old, action, value, expected) in [
        (None, Put, Some(n("1")), Some(n("1"))),
        (Some(s("x")), Put, Some(n("1")), Some(n("1"))),
        (Some(s("x")), Delete, None, None),
        (None, Delete, None, None),
        (Some(ss(&["a", "b"])), Delete, Some(ss(&["a"])), Some(ss(&["b"]))),
        (Some(ss(&["a"])), Delete, Some(ss(&["a"])), None),
        (None, Delete, Some(ss(&["a"])), None),
        (Some(n("1")), Add, Some(n("2")), Some(n("3"))),
        (None, Add, Some(n("2")), Some(n("2"))),
        (Some(ss(&["a"])), Add, Some(ss(&["b"])), Some(ss(&["a", "b"]))),
        (Some(l(&[n("1")])), Add, Some(l(&[n("2")])), Some(l(&[n("1"), n("2")]))),
    ] {
        let old_item = stored(&old.clone().map(|old| ("a", old)).into_iter().collect::<Vec<_>>());
        let update = attribute_updates(update(action, value.clone())).unwrap();
        let updated = update.apply(old_item.view()).unwrap();
        assert_eq!(updated.item.get("a"), expected.as_ref(), "{old:?} {action:?} {value:?}");
    }
}

#[test]
fn attribute_updates_check_the_kinds_of_values() {
    use UpdateAction::*;
    let refused = |action, value| attribute_updates(update(action, value)).unwrap_err().to_string();
    let prefix = "One or more parameter values were invalid: ";
    for action in [Put, Add] {
        assert_eq!(
            refused(action, None),
            format!("{prefix}Only DELETE action is allowed when no attribute value is specified")
        );
    }
    for value in one_of_each_kind() {
        let kind = value.kind();
        let is_set = matches!(kind, Kind::Ss | Kind::Ns | Kind::Bs);
        if !is_set {
            assert_eq!(
                refused(Delete, Some(value.clone())),
                format!("{prefix}DELETE action with value is not supported for the type {}", kind.code())
            );
        }
        if !is_set && !matches!(kind, Kind::N | Kind::L) {
            assert_eq!(
                refused(Add, Some(value)),
                format!("{prefix}ADD action is not supported for the type {}", kind.code())
            );
        }
    }
}

#[test]
fn attribute_updates_refuse_to_mix_kinds() {
    let old = stored(&[("a", n("1"))]);
    for action in [UpdateAction::Add, UpdateAction::Delete] {
        let update = attribute_updates(update(action, Some(ss(&["x"])))).unwrap();
        assert_eq!(
            update.apply(old.view()).unwrap_err().to_string(),
            "Type mismatch for attribute to update"
        );
    }
}

#[test]
fn attribute_updates_without_attributes_make_an_item() {
    let update = attribute_updates(BTreeMap::new()).unwrap();
    assert!(update.creates_item());
    let key = stored(&[("p", s("key"))]);
    let updated = update.apply_to_new(key.view()).unwrap();
    assert_eq!(updated.item, item(&[("p", s("key"))]));
    assert!(updated.updated_new().is_empty());
}

#[test]
fn attributes_to_get_are_whole_attributes_named_once() {
    let item = stored(&[("a.b", n("1")), ("a", m(&[("b", n("2"))])), ("c", n("3"))]);
    let projection = attributes_to_get(vec!["a.b".to_owned(), "c".to_owned(), "q".to_owned()]).unwrap();
    assert_eq!(projection.project(item.view()), stored(&[("a.b", n("1")), ("c", n("3"))]));
    assert_eq!(
        attributes_to_get(vec!["a".to_owned(), "b".to_owned(), "a".to_owned()]).unwrap_err().to_string(),
        "One or more parameter values were invalid: Duplicate value in attribute name: a"
    );
}
