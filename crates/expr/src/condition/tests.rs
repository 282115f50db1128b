use singlet_values::AttributeValue;

use super::*;
use crate::testing::{b, bs, item, l, m, n, ns, one_of_each_kind, placeholders, s, ss, stored};

fn parse(
    text: &str,
    names: &[(&str, &str)],
    values: &[(&str, AttributeValue)],
) -> Result<Condition, ExprError> {
    Condition::parse(ExpressionKind::Filter, text, &mut placeholders(names, values))
}

/// The error without the name of its parameter.
fn error(text: &str, names: &[(&str, &str)], values: &[(&str, AttributeValue)]) -> String {
    let error = parse(text, names, values).expect_err(text).to_string();
    error.strip_prefix("Invalid FilterExpression: ").expect("the prefix").to_owned()
}

#[test]
fn errors_name_the_parameter_that_the_expression_came_from() {
    for (kind, name) in
        [(ExpressionKind::Condition, "ConditionExpression"), (ExpressionKind::Filter, "FilterExpression")]
    {
        let error = Condition::parse(kind, "", &mut Placeholders::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("Invalid {name}: The expression can not be empty;"));
    }
}

#[test]
fn functions_are_known_by_their_exact_names() {
    for (text, function) in [
        ("a=a and whatever((:things)) > a", "whatever"),
        ("attRIbute_exIsts((views), #a)", "attRIbute_exIsts"),
        ("ATTRIBUTE_EXISTS(a)", "ATTRIBUTE_EXISTS"),
        ("starts_with(a, :v)", "starts_with"),
    ] {
        assert_eq!(error(text, &[], &[]), format!("Invalid function name; function: {function}"));
    }
}

#[test]
fn conditions_are_not_values_and_size_is_not_a_condition() {
    for (text, function) in [
        ("a=a and attribute_exists((views), (#a)) > b", "attribute_exists"),
        ("attribute_not_exists(things) > b", "attribute_not_exists"),
        ("attribute_type(things, :a) > b", "attribute_type"),
        ("begins_with(things, a) > b", "begins_with"),
        ("contains(:things, c) > b", "contains"),
        ("size(contains(a, b)) > a", "contains"),
        ("size(things)", "size"),
        ("NOT size(things)", "size"),
        ("a between b and attribute_exists(things)", "attribute_exists"),
        ("a in (b, attribute_exists(things))", "attribute_exists"),
    ] {
        let expected = "The function is not allowed to be used this way in an expression; function: ";
        assert_eq!(error(text, &[], &[]), format!("{expected}{function}"), "{text}");
    }
    for function in ["if_not_exists", "list_append"] {
        assert_eq!(
            error(&format!("{function}(a, b) = c"), &[], &[]),
            format!("The function is not allowed in a condition expression; function: {function}")
        );
    }
}

#[test]
fn reserved_words_need_a_placeholder_wherever_they_stand_in_a_path() {
    for (text, word) in [
        ("attribute_exists(views, #a)", "views"),
        (":a < abOrT", "abOrT"),
        ("a.b.Status = c", "Status"),
        ("status = :v", "status"),
        ("a IN (b, name)", "name"),
    ] {
        let expected = "Attribute name is a reserved keyword; reserved keyword: ";
        assert_eq!(error(text, &[], &[]), format!("{expected}{word}"));
    }
    assert!(parse("#s = :v AND size(a) > :v", &[("#s", "status")], &[(":v", n("1"))]).is_ok());
}

#[test]
fn list_indexes_have_a_range() {
    assert!(parse("attribute_exists(a[2147483647])", &[], &[]).is_ok());
    assert_eq!(
        error("attribute_exists(a[2147483648])", &[], &[]),
        "List index is not within the allowable range; index: [2147483648]"
    );
}

#[test]
fn paths_have_at_most_32_elements() {
    assert!(parse(&format!("attribute_exists(a{})", ".b".repeat(31)), &[], &[]).is_ok());
    assert_eq!(
        error(&format!("attribute_exists(a{})", "[0]".repeat(32)), &[], &[]),
        "The document path has too many nesting levels; nesting levels: 33"
    );
}

#[test]
fn at_most_300_operators_and_functions_are_accepted() {
    let chain = |count: usize| vec!["a<b"; count].join(" or ");
    assert!(parse(&chain(150), &[], &[]).is_ok()); // 150 comparisons and 149 ORs
    let refused = "The expression contains too many operators; operator count: 301";
    assert_eq!(error(&chain(151), &[], &[]), refused);
    assert_eq!(error(&chain(500), &[], &[]), refused);
    assert_eq!(error(&format!("{}a<b", "not ".repeat(1000)), &[], &[]), refused);
    assert!(parse(&format!("{}a<b{}", "NOT (".repeat(299), ")".repeat(299)), &[], &[]).is_ok());
}

#[test]
fn placeholders_must_be_defined() {
    for (text, name) in [
        ("attribute_exists(#Pictures.RearView, :a) and a=a", "#Pictures"),
        ("begins_with(Pictures.#RearView)", "#RearView"),
        ("(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", "#P"),
        ("#4g > a", "#4g"),
        ("(a)between(b.c[45].#d)and(:a)", "#d"),
    ] {
        let expected =
            "An expression attribute name used in the document path is not defined; attribute name: ";
        assert_eq!(error(text, &[], &[]), format!("{expected}{name}"));
    }
    for (text, value) in [("begins_with(:hello, #a, #b)", ":hello"), (":a < :b", ":a"), (":_ > a", ":_")] {
        let expected = "An expression attribute value used in expression is not defined; attribute value: ";
        assert_eq!(error(text, &[], &[]), format!("{expected}{value}"));
    }
}

#[test]
fn functions_take_a_fixed_number_of_operands() {
    for (text, function, count) in [
        ("attribute_exists(things, a) and a=a", "attribute_exists", 2),
        ("attribute_not_exists(things, b)", "attribute_not_exists", 2),
        ("attribute_type(things)", "attribute_type", 1),
        ("begins_with(things)", "begins_with", 1),
        ("begins_with(things, size(a), b)", "begins_with", 3),
        ("contains(things)", "contains", 1),
        ("size(things, a) > b", "size", 2),
    ] {
        assert_eq!(
            error(text, &[], &[]),
            format!(
                "Incorrect number of operands for operator or function; operator or function: {function}, \
                 number of operands: {count}"
            )
        );
    }
}

#[test]
fn literals_must_be_of_a_kind_that_the_operator_takes() {
    let refused = |text: &str, operator: &str, value: &AttributeValue, kind: &str| {
        assert_eq!(
            error(text, &[], &[(":a", value.clone())]),
            format!(
                "Incorrect operand type for operator or function; operator or function: {operator}, \
                 operand type: {kind}"
            ),
            "{text} {value:?}"
        );
    };
    for value in one_of_each_kind() {
        let kind = value.kind();
        let accepted =
            |text: &str| assert!(parse(text, &[], &[(":a", value.clone())]).is_ok(), "{text} {value:?}");
        if kind != Kind::S {
            refused("attribute_type(a, :a)", "attribute_type", &value, kind.code());
        }
        for text in ["begins_with(a, :a)", "begins_with(:a, a)"] {
            match kind {
                Kind::S | Kind::B => accepted(text),
                _ => refused(text, "begins_with", &value, kind.code()),
            }
        }
        for operator in ["<", "<=", ">", ">="] {
            for text in [format!("a {operator} :a"), format!(":a {operator} a")] {
                match kind {
                    Kind::S | Kind::N | Kind::B => accepted(&text),
                    _ => refused(&text, operator, &value, kind.code()),
                }
            }
        }
        match kind {
            Kind::S | Kind::N | Kind::B => accepted("a BETWEEN :a AND :a"),
            _ => refused("a BETWEEN :a AND :a", "BETWEEN", &value, kind.code()),
        }
        match kind {
            Kind::N | Kind::Bool | Kind::Null => refused("size(:a) > a", "size", &value, kind.code()),
            _ => accepted("size(:a) > a"),
        }
        for text in ["a = :a", "a <> :a", "a IN (:a)", "contains(a, :a)", "contains(:a, a)"] {
            accepted(text);
        }
    }
    refused("attribute_type(a, size(a)) and a=:a", "attribute_type", &n("1"), "N");
    refused("begins_with(a, size(a)) and a=:a", "begins_with", &n("1"), "N");
    refused("size(size(a)) > :a", "size", &n("1"), "N");
    refused("attribute_not_exists(size(:a))", "size", &n("1"), "N");
    refused("attribute_type(a, b) and a=:a", "attribute_type", &n("1"), "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
}

#[test]
fn attribute_type_needs_one_of_the_ten_types() {
    for code in ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"] {
        assert!(parse("attribute_type(a, :a)", &[], &[(":a", s(code))]).is_ok());
    }
    assert_eq!(
        error("attribute_type(a, :a)", &[], &[(":a", s("DOG"))]),
        "Invalid attribute type name found; type: DOG, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
    );
}

#[test]
fn existence_is_asked_of_paths() {
    for (text, function) in [
        ("attribute_exists(:a) and a=a", "attribute_exists"),
        ("attribute_not_exists(size(:a))", "attribute_not_exists"),
    ] {
        assert_eq!(
            error(text, &[], &[(":a", s("1"))]),
            format!("Operator or function requires a document path; operator or function: {function}")
        );
    }
}

#[test]
fn a_path_is_not_compared_with_itself() {
    for (text, operator, path) in [
        ("a = a AND #a = b AND :views > a", "=", "[a]"),
        ("#a <> a", "<>", "[a]"),
        ("a > #a", ">", "[a]"),
        ("((a=a) OR (a=a))", "=", "[a]"),
        ("a BETWEEN b AND a", "BETWEEN", "[a]"),
        ("a IN (b, a)", "IN", "[a]"),
        ("contains(ab.bc[1].a, ab.bc[1].#a)", "contains", "[ab, bc, [1], a]"),
        ("attribute_type(ab.bc[1].#a, ab.bc[1].a)", "attribute_type", "[ab, bc, [1], a]"),
        ("begins_with(ab.bc[1].a, ab.bc[1].#a)", "begins_with", "[ab, bc, [1], a]"),
    ] {
        assert_eq!(
            error(text, &[("#a", "a")], &[]),
            format!(
                "The first operand must be distinct from the remaining operands for this operator or function; \
                 operator: {operator}, first operand: {path}"
            )
        );
    }
    assert!(parse(":a > :a", &[], &[(":a", n("1"))]).is_ok());
}

#[test]
fn between_literals_there_must_be_room() {
    let texts = |low: AttributeValue, high: AttributeValue| {
        error("a BETWEEN :l AND :h", &[], &[(":l", low), (":h", high)])
    };
    assert_eq!(
        texts(n("1"), s("a")),
        "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: \
         AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"
    );
    assert_eq!(
        texts(s("b"), s("a")),
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: \
         AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}"
    );
    assert!(texts(n("10"), n("9")).contains("{N:10}, upper bound operand: AttributeValue: {N:9}"));
    assert!(texts(b("b"), b("ab")).contains("{B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}"));
}

#[test]
fn in_takes_at_most_100_candidates() {
    let text = |count: usize| format!("a IN ({})", vec![":v"; count].join(","));
    assert!(parse(&text(100), &[], &[(":v", n("1"))]).is_ok());
    assert_eq!(
        error(&text(101), &[], &[(":v", n("1"))]),
        "The IN operator is provided with too many operands; number of operands: 101"
    );
}

#[test]
fn the_attributes_that_a_condition_names_are_listed() {
    let condition = parse(
        "a = :v AND NOT b.c > size(d[0]) OR attribute_exists(#e) OR f IN (g, h) OR i BETWEEN j AND :v",
        &[("#e", "e.x")],
        &[(":v", n("1"))],
    )
    .unwrap();
    let names: Vec<&str> = condition.top_level_attributes().collect();
    assert_eq!(names, ["a", "b", "d", "e.x", "f", "g", "h", "i", "j"]);
    let nested: Vec<&str> = condition.nested_attributes().collect();
    assert_eq!(nested, ["b", "d"]);
}

/// An item with a value of every kind, and documents.
fn sample() -> singlet_values::EncodedItem {
    stored(&[
        ("n", n("10")),
        ("m9", n("-9.5")),
        ("s", s("banana")),
        ("b", b("binary")),
        ("t", true.into()),
        ("nil", AttributeValue::Null),
        ("tags", ss(&["green", "red"])),
        ("nums", ns(&["1", "5"])),
        ("bins", bs(&["x"])),
        ("letters", l(&[s("a"), n("3"), ss(&["x"]), l(&[n("1")])])),
        ("doc", m(&[("deep", m(&[("x", s("y"))])), ("arr", l(&[m(&[("v", n("1"))]), m(&[("v", n("2"))])]))])),
        ("dotted.name", s("yes")),
        ("ten", n("10.0")),
        ("emoji", s("größe😀")),
    ])
}

fn holds(text: &str, values: &[(&str, AttributeValue)]) -> bool {
    parse(text, &[("#d", "dotted.name")], values).expect(text).matches(sample().view())
}

#[test]
fn values_are_compared_within_their_kind_only() {
    for (text, value, expected) in [
        ("n > :v", n("9"), true),
        ("n < :v", n("100"), true),
        ("n = :v", n("1e1"), true),
        ("n <= :v", n("10.00"), true),
        ("m9 < :v", n("-9.4"), true),
        ("m9 > :v", n("-10"), true),
        ("s > :v", s("apple"), true),
        ("s < :v", s("banana_"), true),
        ("s >= :v", s("banana"), true),
        ("s = :v", b("banana"), false),
        ("s > :v", n("1"), false),
        ("s <= :v", n("1"), false),
        ("s <> :v", n("1"), true),
        ("b < :v", b("c"), true),
        ("t = :v", true.into(), true),
        ("t = :v", false.into(), false),
        ("nil = :v", AttributeValue::Null, true),
        ("tags = :v", ss(&["red", "green"]), true),
        ("tags = :v", ss(&["red"]), false),
        ("nums = :v", ns(&["5.0", "1"]), true),
        ("letters = :v", l(&[s("a"), n("3"), ss(&["x"]), l(&[n("1")])]), true),
        ("doc.deep = :v", m(&[("x", s("y"))]), true),
        ("n BETWEEN :v AND ten", n("10"), true),
        ("n BETWEEN m9 AND :v", n("9"), false),
        ("n BETWEEN :v AND s", n("1"), false),
        ("n IN (s, :v)", n("10"), true),
        ("n IN (s, :v)", n("11"), false),
        ("n = ten AND n = :v", n("10"), true),
    ] {
        assert_eq!(holds(text, &[(":v", value.clone())]), expected, "{text} {value:?}");
    }
}

#[test]
fn what_is_not_there_is_unequal_to_everything_and_has_no_order() {
    for (text, expected) in [
        ("nowhere = :v", false),
        ("nowhere <> :v", true),
        ("nowhere < :v", false),
        (":v >= nowhere", false),
        ("nowhere = absent", false),
        ("nowhere <> absent", true),
        ("NOT nowhere = :v", true),
        ("nowhere BETWEEN n AND ten", false),
        ("n BETWEEN nowhere AND ten", false),
        ("nowhere IN (:v, n)", false),
        ("n IN (nowhere, ten)", true),
        ("size(nowhere) < :v", false),
        ("begins_with(nowhere, s)", false),
        ("contains(s, nowhere)", false),
        ("doc.nothing = :v", false),
        ("n.x = :v", false),
        ("letters[9] = :v", false),
        ("letters.x <> :v", true),
    ] {
        let values: &[(&str, AttributeValue)] = if text.contains(":v") { &[(":v", n("1"))] } else { &[] };
        assert_eq!(holds(text, values), expected, "{text}");
    }
}

#[test]
fn functions_look_at_values_of_every_kind() {
    for (text, value, expected) in [
        ("attribute_exists(nil) AND n < :v", n("11"), true),
        ("attribute_not_exists(absent) AND n < :v", n("11"), true),
        ("attribute_exists(letters[1]) AND n < :v", n("11"), true),
        ("attribute_exists(letters[4]) OR n > :v", n("11"), false),
        ("attribute_type(tags, :v)", s("SS"), true),
        ("attribute_type(nil, :v)", s("NULL"), true),
        ("attribute_type(n, :v)", s("S"), false),
        ("attribute_type(absent, :v)", s("S"), false),
        ("attribute_type(:v, :v)", s("S"), true),
        ("begins_with(s, :v)", s("ban"), true),
        ("begins_with(s, :v)", s("nan"), false),
        ("begins_with(s, :v)", b("ban"), false),
        ("begins_with(b, :v)", b("bin"), true),
        ("begins_with(n, :v)", s("1"), false),
        ("begins_with(:v, s)", s("bananas"), true),
        ("contains(s, :v)", s("nan"), true),
        ("contains(s, :v)", n("1"), false),
        ("contains(b, :v)", b("nar"), true),
        ("contains(b, :v)", b("x"), false),
        ("contains(tags, :v)", s("red"), true),
        ("contains(tags, :v)", s("blue"), false),
        ("contains(tags, :v)", b("red"), false),
        ("contains(nums, :v)", n("5.00"), true),
        ("contains(bins, :v)", b("x"), true),
        ("contains(letters, :v)", n("3"), true),
        ("contains(letters, :v)", ss(&["x"]), true),
        ("contains(letters, :v)", l(&[n("1")]), true),
        ("contains(letters, :v)", n("1"), false),
        ("contains(doc, :v)", s("deep"), false),
        ("size(s) = :v", n("6"), true),
        ("size(b) = :v", n("6"), true),
        ("size(tags) = :v", n("2"), true),
        ("size(letters) = :v", n("4"), true),
        ("size(doc) = :v", n("2"), true),
        ("size(emoji) = :v", n("7"), true),
        ("size(n) = :v", n("2"), false),
        ("size(n) <> :v", n("2"), true),
        ("size(t) = :v", n("1"), false),
        ("size(s) = :v", s("6"), false),
        ("size(s) BETWEEN :v AND n", n("5"), true),
        ("size(letters) IN (:v, n)", n("4"), true),
        ("size(:v) = size(s)", s("banane"), true),
    ] {
        assert_eq!(holds(text, &[(":v", value.clone())]), expected, "{text} {value:?}");
    }
}

#[test]
fn paths_lead_into_maps_and_lists_and_a_placeholder_is_one_name() {
    let value = [(":v", s("y"))];
    assert!(holds("doc.deep.x = :v", &value));
    assert!(holds("doc.arr[1].v = :v", &[(":v", n("2"))]));
    assert!(holds("doc.arr[0].v < doc.arr[1].v", &[]));
    assert!(holds("#d = :v", &[(":v", s("yes"))]));
    assert!(!holds("doc.arr[2].v = :v", &value));
}

#[test]
fn an_item_that_does_not_exist_has_no_attributes() {
    let condition = parse("attribute_not_exists(pk)", &[], &[]).unwrap();
    assert!(condition.matches(ItemRef::EMPTY));
    assert!(!condition.matches(stored(&[("pk", s("x"))]).view()));
}

#[test]
fn malformed_bytes_are_read_as_far_as_they_make_sense() {
    let condition =
        parse("a = :v OR contains(b.c[0], :v) OR size(d) > :n", &[], &[(":v", s("x")), (":n", n("1"))]);
    let condition = condition.unwrap();
    let bytes =
        singlet_values::EncodedItem::encode(&item(&[("b", m(&[("c", l(&[s("x")]))])), ("d", ss(&["x"]))]));
    for len in 0..bytes.as_bytes().len() {
        condition.matches(ItemRef::new(&bytes.as_bytes()[..len]));
    }
}
