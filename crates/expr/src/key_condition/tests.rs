use super::*;
use crate::testing::{b, n, placeholders, s, ss};

fn parse(text: &str, values: &[(&str, AttributeValue)]) -> KeyCondition {
    KeyCondition::parse(text, &mut placeholders(&[("#p", "pk")], values)).expect(text)
}

fn terms_error(text: &str, values: &[(&str, AttributeValue)]) -> String {
    parse(text, values).terms().expect_err(text).to_string()
}

const PK: KeyAttribute<'_> = KeyAttribute { name: "pk", kind: Kind::S };
const SK: KeyAttribute<'_> = KeyAttribute { name: "sk", kind: Kind::S };
const NUMBER: KeyAttribute<'_> = KeyAttribute { name: "sk", kind: Kind::N };
const SIMPLE: KeyNames<'_> = KeyNames { partition: &[PK], sort: &[] };
const COMPOSITE: KeyNames<'_> = KeyNames { partition: &[PK], sort: &[SK] };
const BY_NUMBER: KeyNames<'_> = KeyNames { partition: &[PK], sort: &[NUMBER] };

const WIDE: KeyNames<'_> = KeyNames {
    partition: &[KeyAttribute { name: "p1", kind: Kind::S }, KeyAttribute { name: "p2", kind: Kind::N }],
    sort: &[
        KeyAttribute { name: "s1", kind: Kind::S },
        KeyAttribute { name: "s2", kind: Kind::N },
        KeyAttribute { name: "s3", kind: Kind::B },
    ],
};

fn bind_error(key: &KeyNames<'_>, text: &str, values: &[(&str, AttributeValue)]) -> String {
    parse(text, values).bind(key).expect_err(text).to_string()
}

#[test]
fn every_test_of_a_sort_key_is_bound() {
    let (x, y) = (s("x"), s("y"));
    for (text, range) in [
        ("sk < :x", KeyTest::Less(x.clone())),
        ("sk <= :x", KeyTest::LessOrEqual(x.clone())),
        ("sk > :x", KeyTest::Greater(x.clone())),
        ("sk >= :x", KeyTest::GreaterOrEqual(x.clone())),
        ("sk BETWEEN :x AND :y", KeyTest::Between(x.clone(), y.clone())),
        ("begins_with(sk, :x)", KeyTest::BeginsWith(x.clone())),
        (":x < sk", KeyTest::Greater(x.clone())),
        (":x <= sk", KeyTest::GreaterOrEqual(x.clone())),
        (":x > sk", KeyTest::Less(x.clone())),
        (":x >= sk", KeyTest::LessOrEqual(x.clone())),
    ] {
        for text in [format!("#p = :p AND {text}"), format!("({text}) AND (:p = pk)")] {
            let mut values = vec![(":p", s("p")), (":x", x.clone())];
            if text.contains(":y") {
                values.push((":y", y.clone()));
            }
            let bound = parse(&text, &values).bind(&COMPOSITE).expect(&text);
            let expected = BoundKey { partition: vec![s("p")], sort: vec![], range: Some(range.clone()) };
            assert_eq!(bound, expected, "{text}");
        }
    }
    let bound = parse("sk = :s AND pk = :p", &[(":p", s("p")), (":s", s("x"))]).bind(&COMPOSITE).unwrap();
    assert_eq!(bound, BoundKey { partition: vec![s("p")], sort: vec![x], range: None });
}

#[test]
fn a_partition_can_be_read_whole() {
    for key in [&SIMPLE, &COMPOSITE] {
        let bound = parse("pk = :p", &[(":p", s("p"))]).bind(key).unwrap();
        assert_eq!(bound, BoundKey { partition: vec![s("p")], sort: vec![], range: None });
    }
}

#[test]
fn attributes_of_a_wide_key_are_bound_from_the_left_in_any_order_of_writing() {
    let values = [(":s", s("x")), (":n", n("1")), (":b", b("y"))];
    let bound = |text: &str| {
        let used: Vec<_> = values.iter().filter(|(name, _)| text.contains(name)).cloned().collect();
        parse(text, &used).bind(&WIDE)
    };
    let partition = vec![s("x"), n("1")];
    assert_eq!(
        bound("s2 = :n AND p2 = :n AND s1 = :s AND p1 = :s AND begins_with(s3, :b)").unwrap(),
        BoundKey {
            partition: partition.clone(),
            sort: vec![s("x"), n("1")],
            range: Some(KeyTest::BeginsWith(b("y")))
        }
    );
    assert_eq!(
        bound("p1 = :s AND p2 = :n AND s1 = :s").unwrap(),
        BoundKey { partition, sort: vec![s("x")], range: None }
    );
    for (text, error) in [
        ("p1 = :s", "HASH key attributes p2 must have equality conditions specified in the query"),
        (
            "p1 = :s AND p2 > :n",
            "HASH key attributes p2 must have equality conditions specified in the query",
        ),
        (
            "p1 = :s AND p2 = :n AND s2 = :n",
            "RANGE key attributes s1 must have equality conditions specified in the query because a condition is present on key attribute s2",
        ),
        (
            "p1 = :s AND p2 = :n AND s1 = :s AND s3 = :b",
            "RANGE key attributes s2 must have equality conditions specified in the query because a condition is present on key attribute s3",
        ),
        (
            "p1 = :s AND p2 = :n AND s1 > :s AND s2 = :n",
            "RANGE key attributes s1 must have equality conditions specified in the query because a condition is present on key attribute s2",
        ),
        (
            "p1 = :s AND p2 = :n AND s1 > :s AND s2 > :n",
            "RANGE key attributes s1 must have equality conditions specified in the query because a condition is present on key attribute s2",
        ),
    ] {
        assert_eq!(bound(text).unwrap_err().to_string(), error, "{text}");
    }
}

#[test]
fn operators_that_keys_can_not_be_searched_by_are_refused() {
    for (text, operator) in [
        ("a > b and size(b) > c or a > c", "OR"),
        ("a in (b, size(c), d)", "IN"),
        ("attribute_exists(a)", "attribute_exists"),
        ("attribute_not_exists(a)", "attribute_not_exists"),
        ("contains(a.d, b)", "contains"),
        ("not a > b", "NOT"),
        ("a <> b", "<>"),
    ] {
        let expected = format!("Invalid operator used in KeyConditionExpression: {operator}");
        assert_eq!(terms_error(text, &[]), expected, "{text}");
    }
    assert_eq!(
        terms_error("attribute_type(a, :a)", &[(":a", s("S"))]),
        "Invalid operator used in KeyConditionExpression: attribute_type"
    );
}

#[test]
fn each_condition_names_one_whole_attribute() {
    let not_first = |operator| {
        format!(
            "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute \
             as its first operand"
        )
    };
    let two = "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition";
    let nested = "KeyConditionExpressions cannot have conditions on nested attributes";
    let operation = "KeyConditionExpressions cannot contain nested operations";
    let none = "Invalid condition in KeyConditionExpression: No key attribute specified";
    for (text, expected) in [
        (":a between size(b) and size(a) and b > :b", not_first("BETWEEN")),
        ("begins_with(:a, b) and a > :b", not_first("begins_with")),
        ("size(b) > a AND a.b > b AND b > c", operation.to_owned()),
        ("a > size(b.d)", operation.to_owned()),
        ("a between size(b) and size(a)", operation.to_owned()),
        ("b > a.b", two.to_owned()),
        ("b between c[1] and d", two.to_owned()),
        ("a between b and size(a)", two.to_owned()),
        ("begins_with(a, b)", two.to_owned()),
        ("b.d > a AND c.d > e.f", nested.to_owned()),
        ("b[0] > a", nested.to_owned()),
        (":b > :a AND a < :b", none.to_owned()),
        (":a > b AND :a < :b", none.to_owned()),
    ] {
        let values: Vec<_> =
            [(":a", s("1")), (":b", s("1"))].into_iter().filter(|(v, _)| text.contains(v)).collect();
        assert_eq!(terms_error(text, &values), expected, "{text}");
    }
}

#[test]
fn each_attribute_has_one_condition() {
    let expected =
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key";
    for text in [
        "pk = :a AND sk > :a AND sk < :a",
        "b > :a AND b < :a and c = :a and d = :a",
        "(a > :a and b > :a) and (b > :a and c > :a)",
    ] {
        assert_eq!(terms_error(text, &[(":a", n("1"))]), expected);
    }
}

#[test]
fn what_makes_a_condition_unfit_for_keys_does_not_stop_it_from_being_parsed() {
    let mut placeholders = placeholders(&[], &[(":a", s("S"))]);
    let condition = KeyCondition::parse("attribute_type(a, :a)", &mut placeholders).unwrap();
    assert!(placeholders.finish().is_ok());
    assert!(condition.terms().is_err());
    assert!(condition.bind(&SIMPLE).is_err());
}

#[test]
fn conditions_must_fit_the_key() {
    let value = |text: &str| match text.contains(":n") {
        true => vec![(":v", s("x")), (":n", n("1"))],
        false => vec![(":v", s("x"))],
    };
    for (key, text, expected) in [
        (&COMPOSITE, "sk = :v", "Query condition missed key schema element: pk"),
        (&COMPOSITE, "another = :v", "Query condition missed key schema element: pk"),
        (&COMPOSITE, "pk = :v AND another < :v", "Query condition missed key schema element: sk"),
        (&COMPOSITE, "pk < :v", "Query key condition not supported"),
        (&COMPOSITE, "begins_with(pk, :v)", "Query key condition not supported"),
        (&COMPOSITE, "pk BETWEEN :v AND :v AND sk = :v", "Query key condition not supported"),
        (
            &BY_NUMBER,
            "pk = :v AND sk > :n AND extra = :n",
            "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)",
        ),
        (
            &SIMPLE,
            "pk = :v AND sk = :v",
            "The number of query conditions (2) exceeds the number of key attributes defined in the schema (1)",
        ),
    ] {
        assert_eq!(bind_error(key, text, &value(text)), expected, "{text}");
    }
}

#[test]
fn values_must_be_of_the_kind_of_the_key() {
    let mismatch =
        "One or more parameter values were invalid: Condition parameter type does not match schema type";
    let p = (":p", s("p"));
    for (key, text, value) in [
        (&COMPOSITE, "pk = :p AND sk = :v", n("1")),
        (&COMPOSITE, "pk = :p AND sk = :v", true.into()),
        (&COMPOSITE, "pk = :p AND sk = :v", ss(&["a"])),
        (&BY_NUMBER, "pk = :p AND sk < :v", s("a")),
        (&BY_NUMBER, "pk = :p AND begins_with(sk, :v)", s("a")),
        (&BY_NUMBER, "pk = :p AND sk BETWEEN :v AND :v", s("a")),
    ] {
        assert_eq!(bind_error(key, text, &[p.clone(), (":v", value)]), mismatch, "{text}");
    }
    assert_eq!(bind_error(&COMPOSITE, "pk = :v", &[(":v", n("1"))]), mismatch);
}

#[test]
fn literals_that_no_key_could_have_are_refused_when_the_expression_is_parsed() {
    for (text, operator, value, kind) in [
        ("pk = :p AND begins_with(sk, :v)", "begins_with", n("1"), "N"),
        ("pk = :p AND begins_with(sk, :v)", "begins_with", true.into(), "BOOL"),
        ("pk = :p AND sk < :v", "<", true.into(), "BOOL"),
        ("pk = :p AND :v >= sk", ">=", true.into(), "BOOL"),
        ("pk = :p AND sk BETWEEN :v AND :v", "BETWEEN", true.into(), "BOOL"),
    ] {
        let mut placeholders = placeholders(&[], &[(":p", s("p")), (":v", value)]);
        assert_eq!(
            KeyCondition::parse(text, &mut placeholders).unwrap_err().to_string(),
            format!(
                "Invalid KeyConditionExpression: Incorrect operand type for operator or function; \
                 operator or function: {operator}, operand type: {kind}"
            )
        );
    }
}

#[test]
fn a_key_is_never_empty() {
    let empty = |kind, key| {
        format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain \
             an empty {kind} value. Key: {key}"
        )
    };
    assert_eq!(bind_error(&COMPOSITE, "pk = :v", &[(":v", s(""))]), empty("string", "pk"));
    assert_eq!(
        bind_error(&COMPOSITE, "pk = :p AND sk > :v", &[(":p", s("p")), (":v", s(""))]),
        empty("string", "sk")
    );
    let key = KeyNames { partition: &[KeyAttribute { name: "pk", kind: Kind::B }], sort: &[] };
    assert_eq!(bind_error(&key, "pk = :v", &[(":v", b(""))]), empty("binary", "pk"));
}

#[test]
fn terms_without_text_are_bound_like_parsed_ones_and_never_two_to_an_attribute() {
    let term =
        |attribute: &str, value| KeyTerm { attribute: attribute.to_owned(), test: KeyTest::Equal(value) };
    let condition = KeyCondition::from_terms(vec![term("pk", s("p")), term("sk", s("s"))]);
    let bound = condition.bind(&COMPOSITE).unwrap();
    assert_eq!((bound.partition, bound.sort, bound.range), (vec![s("p")], vec![s("s")], None));

    let twice = KeyCondition::from_terms(vec![term("pk", s("p")), term("pk", s("q"))]);
    assert_eq!(twice.terms().unwrap_err(), KeyConditionError::TwoConditions.into());
}
