use singlet_values::{AttributeValue, EncodedItem};

use super::*;
use crate::testing::{b, bs, item, l, m, n, ns, one_of_each_kind, placeholders, s, ss, stored};

const NAMES: &[(&str, &str)] = &[("#a", "a"), ("#b", "b"), ("#c", "c"), ("#d", "[3]")];

fn parse(text: &str, values: &[(&str, AttributeValue)]) -> Result<Update, ExprError> {
    Update::parse(text, &mut placeholders(NAMES, values))
}

/// The error without the name of its parameter.
fn error(text: &str, values: &[(&str, AttributeValue)]) -> String {
    let error = parse(text, values).expect_err(text).to_string();
    error.strip_prefix("Invalid UpdateExpression: ").expect("the prefix").to_owned()
}

fn apply(old: &EncodedItem, text: &str, values: &[(&str, AttributeValue)]) -> Result<Item, String> {
    let update = parse(text, values).expect(text);
    update.apply(old.view()).map(|updated| updated.item).map_err(|error| error.to_string())
}

const MISSING: &str = "The provided expression refers to an attribute that does not exist in the item";
const WRONG_KIND: &str = "An operand in the update expression has an incorrect data type";
const INVALID_PATH: &str = "The document path provided in the update expression is invalid for update";

#[test]
fn reserved_words_unknown_functions_and_repeated_sections_are_found_in_this_order() {
    for (text, expected) in [
        (" set #q = :q set abOrt = true ", "Attribute name is a reserved keyword; reserved keyword: abOrt"),
        (" remove Absolute ", "Attribute name is a reserved keyword; reserved keyword: Absolute"),
        ("set #q = if_not_exist(:q) set c = d", "Invalid function name; function: if_not_exist"),
        ("set a = size(b)", "The function is not allowed in an update expression; function: size"),
        ("set a = #q set c = :d", "The \"SET\" section can only be used once in an update expression;"),
        (
            "remove #q set a = b remove e",
            "The \"REMOVE\" section can only be used once in an update expression;",
        ),
        (
            "add #q :e set a = b add e :f",
            "The \"ADD\" section can only be used once in an update expression;",
        ),
        (
            "delete #q :e set a = b delete #e :f",
            "The \"DELETE\" section can only be used once in an update expression;",
        ),
    ] {
        assert_eq!(error(text, &[]), expected, "{text}");
    }
}

#[test]
fn placeholders_must_be_defined() {
    assert_eq!(
        error("SET #q = if_not_exists(:c)", &[]),
        "An expression attribute name used in the document path is not defined; attribute name: #q"
    );
    assert_eq!(
        error("SET #a = if_not_exists(:c)", &[]),
        "An expression attribute value used in expression is not defined; attribute value: :c"
    );
}

#[test]
fn paths_that_are_changed_must_not_overlap() {
    for (text, one, two) in [
        ("set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)", "[c, [1], a]", "[c]"),
        ("set #c[3].#d = a, #c[3] = a", "[c, [3], [3]]", "[c, [3]]"),
        ("SET a = b REMOVE a", "[a]", "[a]"),
        ("REMOVE a SET a = b", "[a]", "[a]"),
        ("SET #a = c, a = b", "[a]", "[a]"),
        ("SET a.b = c ADD a.b.c :v", "[a, b]", "[a, b, c]"),
        ("SET a[1][1] = b, a[1][1][1][1] = b", "[a, [1], [1]]", "[a, [1], [1], [1], [1]]"),
    ] {
        assert_eq!(
            error(text, &[]),
            format!(
                "Two document paths overlap with each other; must remove or rewrite one of these paths; \
                 path one: {one}, path two: {two}"
            )
        );
    }
    for (text, one, two) in [
        ("set #c[3].#d = a, #c.#d[3] = if_not_exists(a)", "[c, [3], [3]]", "[c, [3], [3]]"),
        ("remove a.#c set a[1] = #d", "[a, c]", "[a, [1]]"),
        ("SET a.b.c = d, a.b[2] = d", "[a, b, c]", "[a, b, [2]]"),
    ] {
        assert_eq!(
            error(text, &[]),
            format!(
                "Two document paths conflict with each other; must remove or rewrite one of these paths; \
                 path one: {one}, path two: {two}"
            )
        );
    }
    assert!(parse("SET a.b = c, a.c.d = c, b.x = c REMOVE a.x, b.y, a.z[1]", &[]).is_ok());
}

#[test]
fn add_and_delete_take_some_kinds_only() {
    for value in one_of_each_kind() {
        for (action, takes_numbers) in [("ADD", true), ("DELETE", false)] {
            let text = format!("{action} a.b :a");
            let name = match &value {
                AttributeValue::Ss(_) | AttributeValue::Ns(_) | AttributeValue::Bs(_) => None,
                AttributeValue::N(_) if takes_numbers => None,
                AttributeValue::N(_) => Some("NUMBER"),
                AttributeValue::S(_) => Some("STRING"),
                AttributeValue::B(_) => Some("BINARY"),
                AttributeValue::Bool(_) => Some("BOOLEAN"),
                AttributeValue::Null => Some("NULL"),
                AttributeValue::M(_) => Some("MAP"),
                AttributeValue::L(_) => Some("LIST"),
            };
            let values = [(":a", value.clone())];
            match name {
                None => assert!(parse(&text, &values).is_ok(), "{text} {value:?}"),
                Some(name) => assert_eq!(
                    error(&text, &values),
                    format!(
                        "Incorrect operand type for operator or function; operator: {action}, \
                         operand type: {name}, typeSet: ALLOWED_FOR_{action}_OPERAND"
                    )
                ),
            }
        }
    }
    // The last action is checked first.
    let text = "set b = list_append(:a, a), c = if_not_exists(a) add a.b :a";
    assert!(error(text, &[(":a", s("a"))]).contains("operator: ADD"));
}

#[test]
fn functions_and_arithmetic_take_two_operands_of_the_right_kind() {
    for function in ["if_not_exists", "list_append"] {
        for (operands, count) in [("c", 1), ("c, d, e", 3)] {
            assert_eq!(
                error(&format!("set a = {function}({operands})"), &[]),
                format!(
                    "Incorrect number of operands for operator or function; operator or function: {function}, \
                     number of operands: {count}"
                )
            );
        }
    }
    for text in ["set a = if_not_exists(:a, c)", "set a = if_not_exists(if_not_exists(a, b), c)"] {
        assert_eq!(
            error(text, &[(":a", s("a"))]),
            "Operator or function requires a document path; operator or function: if_not_exists"
        );
    }
    assert_eq!(
        error("set a = if_not_exists(c, #c)", &[]),
        "The first operand must be distinct from the remaining operands for this operator or function; \
         operator: if_not_exists, first operand: [c]"
    );
    for text in [
        "set a = list_append(list_append(b, c), d)",
        "set a = list_append(b, list_append(c, d))",
        "set a = if_not_exists(b, list_append(c, d))",
    ] {
        assert_eq!(
            error(text, &[]),
            "The function is not allowed to be used this way in an expression; function: list_append"
        );
    }
    for value in one_of_each_kind() {
        for (text, operator, kind) in [
            ("set a = list_append(:a, a)", "list_append", "L"),
            ("set a = list_append(a, :a)", "list_append", "L"),
            ("set a = a + :a", "+", "N"),
            ("set a = :a + a", "+", "N"),
            ("set a = a - :a", "-", "N"),
            ("set a = :a - a", "-", "N"),
        ] {
            let values = [(":a", value.clone())];
            if value.kind().code() == kind {
                assert!(parse(text, &values).is_ok());
            } else {
                assert_eq!(
                    error(text, &values),
                    format!(
                        "Incorrect operand type for operator or function; operator or function: {operator}, \
                         operand type: {}",
                        value.kind().code()
                    )
                );
            }
        }
    }
}

#[test]
fn set_puts_copies_computes_and_appends() {
    let old = stored(&[
        ("p", s("key")),
        ("x", n("2")),
        ("y", n("0.5")),
        ("l", l(&[n("1")])),
        ("d", m(&[("e", l(&[s("deep")]))])),
    ]);
    for (text, attribute, expected) in [
        ("SET a = :v", "a", n("7")),
        ("sEt a = x", "a", n("2")),
        ("SET a = p", "a", s("key")),
        ("SET x = x + :v", "x", n("9")),
        ("SET x = :v - x", "x", n("5")),
        ("SET x = x - y", "x", n("1.5")),
        ("SET a = d.e[0]", "a", s("deep")),
        ("SET a = if_not_exists(a, :v)", "a", n("7")),
        ("SET a = if_not_exists(x, :v)", "a", n("2")),
        ("SET a = if_not_exists(q, if_not_exists(r, :v))", "a", n("7")),
        ("SET a = if_not_exists(q, x) + :v", "a", n("9")),
        ("SET l = list_append(l, d.e)", "l", l(&[n("1"), s("deep")])),
        ("SET l = list_append(:l, l)", "l", l(&[s("new"), n("1")])),
        ("SET l = list_append(if_not_exists(q, :l), l)", "l", l(&[s("new"), n("1")])),
        ("SET d.f = :v", "d", m(&[("e", l(&[s("deep")])), ("f", n("7"))])),
        ("SET d.e[0] = :v", "d", m(&[("e", l(&[n("7")]))])),
    ] {
        let values: Vec<_> = [(":v", n("7")), (":l", l(&[s("new")]))]
            .into_iter()
            .filter(|(name, _)| text.contains(name))
            .collect();
        assert_eq!(apply(&old, text, &values).expect(text).get(attribute), Some(&expected), "{text}");
    }
}

#[test]
fn everything_is_read_from_the_old_item() {
    let old = stored(&[("a", n("1")), ("b", n("2"))]);
    assert_eq!(apply(&old, "SET a = b, b = a", &[]), Ok(item(&[("a", n("2")), ("b", n("1"))])));
    assert_eq!(
        apply(&old, "REMOVE a SET c = a ADD b :v", &[(":v", n("1"))]),
        Ok(item(&[("b", n("3")), ("c", n("1"))]))
    );
    assert_eq!(apply(&old, "SET x = :v, y = x", &[(":v", n("1"))]), Err(MISSING.to_owned()));
}

#[test]
fn operands_must_be_there_and_of_the_right_kind() {
    let old = stored(&[("s", s("x")), ("n", n("1")), ("ns", ns(&["1"])), ("m", m(&[("ss", ss(&["1"]))]))]);
    for (text, expected) in [
        ("set c = q", MISSING),
        ("set e = list_append(q, r)", MISSING),
        ("set e = q + n", MISSING),
        ("set e = m.q", MISSING),
        ("set e = if_not_exists(q, r)", MISSING),
        ("set e = s + n", WRONG_KIND),
        ("set e = m - n", WRONG_KIND),
        ("set e = list_append(ns, ns)", WRONG_KIND),
        ("delete ns :ss", WRONG_KIND),
        ("delete m :ss", WRONG_KIND),
        ("delete n :ss", WRONG_KIND),
        ("add m :ss", WRONG_KIND),
        ("add ns :n", WRONG_KIND),
        ("add s :n", WRONG_KIND),
        ("add m.ss :n", WRONG_KIND),
    ] {
        let values: Vec<_> = [(":ss", ss(&["1"])), (":n", n("1"))]
            .into_iter()
            .filter(|(name, _)| text.contains(name))
            .collect();
        assert_eq!(apply(&old, text, &values), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn the_list_or_map_that_a_path_leads_into_must_be_there() {
    let old = stored(&[("a", s("x")), ("c", m(&[("k", s("x"))])), ("d", l(&[s("x"), s("y")]))]);
    for path in ["a.k", "a[1]", "y.k", "y[1]", "c[1]", "d.k", "c.y.k", "d[5].k", "d[0].k"] {
        for text in [
            format!("SET {path} = :v, z = :v"),
            format!("REMOVE {path} SET z = :v"),
            format!("DELETE {path} :v SET z = :v"),
            format!("ADD {path} :v SET z = :v"),
        ] {
            assert_eq!(apply(&old, &text, &[(":v", ss(&["a"]))]), Err(INVALID_PATH.to_owned()), "{text}");
        }
    }
}

#[test]
fn removing_what_is_not_there_is_nothing() {
    let old = stored(&[("a", m(&[("x", n("3"))])), ("b", l(&[s("hi")]))]);
    for text in ["REMOVE a.y", "REMOVE b[7]", "REMOVE c", "DELETE c :v", "DELETE a.y :v", "DELETE b[3] :v"] {
        let values = [(":v", ss(&["a"]))];
        let values = if text.contains(":v") { &values[..] } else { &[] };
        assert_eq!(apply(&old, text, values).as_ref(), Ok(&old.decode().unwrap()), "{text}");
    }
}

#[test]
fn an_item_that_does_not_exist_has_only_its_key_and_nothing_to_remove() {
    let key = stored(&[("p", s("key"))]);
    let apply = |text: &str| {
        let update = parse(text, &[]).unwrap();
        update.apply_to_new(key.view()).map(|updated| updated.item).map_err(|error| error.to_string())
    };
    assert_eq!(apply("SET b = if_not_exists(b, p)"), Ok(item(&[("b", s("key")), ("p", s("key"))])));
    assert_eq!(apply("REMOVE x.y, z[0]"), Ok(item(&[("p", s("key"))])));
    assert_eq!(apply("SET b.a = p"), Err(INVALID_PATH.to_owned()));
    assert_eq!(apply("SET b = q"), Err(MISSING.to_owned()));
}

#[test]
fn an_update_that_only_takes_away_makes_no_item() {
    let value = [(":v", ss(&["a"]))];
    assert!(!parse("REMOVE a, b", &[]).unwrap().creates_item());
    assert!(!parse("DELETE a :v REMOVE b", &value).unwrap().creates_item());
    assert!(parse("ADD a :v REMOVE b", &value).unwrap().creates_item());
    assert!(parse("SET a = :v", &value).unwrap().creates_item());
}

#[test]
fn indexes_mean_places_in_the_old_list() {
    let numbers = |numbers: &[&str]| l(&numbers.iter().map(|text| n(text)).collect::<Vec<_>>());
    let old = stored(&[("a", numbers(&["2", "3", "4", "5", "6", "7"]))]);
    let values = [(":v", n("17"))];
    for (text, expected) in [
        ("REMOVE a[1] SET a[3] = :v", &["2", "4", "17", "6", "7"][..]),
        ("SET a[3] = :v REMOVE a[1]", &["2", "4", "17", "6", "7"]),
        ("SET a[9] = :v REMOVE a[0], a[5]", &["3", "4", "5", "6", "17"]),
        // There was no element 6 to remove, and the appended one isn't removed.
        ("SET a[9] = :v REMOVE a[6]", &["2", "3", "4", "5", "6", "7", "17"]),
        ("SET a[6] = :v REMOVE a[5], a[4], a[3]", &["2", "3", "4", "17"]),
    ] {
        assert_eq!(apply(&old, text, &values), Ok(item(&[("a", numbers(expected))])), "{text}");
    }
}

#[test]
fn elements_beyond_the_end_are_appended_by_index() {
    let old = stored(&[("a", l(&[s("one")]))]);
    let values = [(":1", s("a1")), (":2", s("a2")), (":3", s("a3")), (":4", s("a4"))];
    assert_eq!(
        apply(&old, "SET a[84] = :1, a[37] = :2, a[17] = :3, a[50] = :4", &values),
        Ok(item(&[("a", l(&[s("one"), s("a3"), s("a2"), s("a4"), s("a1")]))]))
    );
}

#[test]
fn add_makes_or_extends_numbers_and_sets() {
    let old =
        stored(&[("n", n("3")), ("ss", ss(&["a"])), ("ns", ns(&["1"])), ("bs", bs(&["x"])), ("m", m(&[]))]);
    for (path, value, attribute, expected) in [
        ("n", n("4"), "n", n("7")),
        ("n", n("-4"), "n", n("-1")),
        ("q", n("4"), "q", n("4")),
        ("ss", ss(&["b", "a"]), "ss", ss(&["a", "b"])),
        ("ns", ns(&["1.0", "2"]), "ns", ns(&["1", "2"])),
        ("bs", bs(&["y"]), "bs", bs(&["x", "y"])),
        ("q", ss(&["b"]), "q", ss(&["b"])),
        ("m.k", n("1"), "m", m(&[("k", n("1"))])),
    ] {
        let text = format!("ADD {path} :v");
        assert_eq!(
            apply(&old, &text, &[(":v", value)]).expect(&text).get(attribute),
            Some(&expected),
            "{text}"
        );
    }
}

#[test]
fn delete_takes_elements_away_and_the_attribute_with_the_last() {
    let old = stored(&[
        ("ss", ss(&["a", "b", "c"])),
        ("ns", ns(&["1", "2"])),
        ("bs", bs(&["x"])),
        ("m", m(&[("ss", ss(&["a"]))])),
        ("l", l(&[ss(&["a"]), n("1")])),
    ]);
    for (path, value, attribute, expected) in [
        ("ss", ss(&["a", "q"]), "ss", Some(ss(&["b", "c"]))),
        ("ss", ss(&["c", "b", "a"]), "ss", None),
        ("ns", ns(&["1.0"]), "ns", Some(ns(&["2"]))),
        ("bs", bs(&["x"]), "bs", None),
        ("m.ss", ss(&["a"]), "m", Some(m(&[]))),
        ("l[0]", ss(&["a"]), "l", Some(l(&[n("1")]))),
    ] {
        let text = format!("DELETE {path} :v");
        assert_eq!(
            apply(&old, &text, &[(":v", value)]).expect(&text).get(attribute),
            expected.as_ref(),
            "{text}"
        );
    }
}

#[test]
fn sums_that_no_number_can_hold_are_refused() {
    let old = stored(&[("big", n("9e125")), ("one", n("1")), ("tiny", n("1e-130"))]);
    for (text, expected) in [
        (
            "SET a = big + big",
            "Number overflow. Attempting to store a number with magnitude larger than supported range",
        ),
        ("SET a = one + tiny", "Attempting to store more than 38 significant digits in a Number"),
    ] {
        assert_eq!(apply(&old, text, &[]), Err(expected.to_owned()), "{text}");
    }
    assert!(apply(&old, "ADD big :v", &[(":v", n("9e125"))]).unwrap_err().starts_with("Number overflow."));
}

#[test]
fn the_new_item_is_nested_at_most_32_levels_deep() {
    let nested = |depth: usize| (0..depth).fold(s("leaf"), |value, _| m(&[("k", value)]));
    let old = stored(&[("a", nested(10))]);
    let too_deep = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels \
                    beyond supported limit";
    assert!(apply(&old, "SET b = :v", &[(":v", nested(31))]).is_ok());
    assert_eq!(apply(&old, "SET b = :v", &[(":v", nested(32))]), Err(too_deep.to_owned()));
    assert!(apply(&old, "SET a.k.j = :v", &[(":v", nested(29))]).is_ok());
    assert_eq!(apply(&old, "SET a.k.j = :v", &[(":v", nested(30))]), Err(too_deep.to_owned()));
}

#[test]
fn updated_values_are_what_the_changed_paths_lead_to() {
    let old = stored(&[
        ("p", s("key")),
        ("a", m(&[("b", s("dog")), ("c", l(&[n("1"), n("2"), n("3")]))])),
        ("d", s("cat")),
    ]);
    let value = || n("7");
    for (text, before, after) in [
        ("SET d = :v", item(&[("d", s("cat"))]), item(&[("d", value())])),
        ("SET q = :v", item(&[]), item(&[("q", value())])),
        ("REMOVE d", item(&[("d", s("cat"))]), item(&[])),
        ("SET a.b = :v", item(&[("a", m(&[("b", s("dog"))]))]), item(&[("a", m(&[("b", value())]))])),
        (
            "SET a.c[1] = :v, a.b = :v",
            item(&[("a", m(&[("b", s("dog")), ("c", l(&[n("2")]))]))]),
            item(&[("a", m(&[("b", value()), ("c", l(&[value()]))]))]),
        ),
        ("SET a.x = :v", item(&[]), item(&[("a", m(&[("x", value())]))])),
        // The appended element isn't found at its index, and the one that moved up is.
        ("SET a.c[100] = :v", item(&[]), item(&[])),
        (
            "REMOVE a.c[1]",
            item(&[("a", m(&[("c", l(&[n("2")]))]))]),
            item(&[("a", m(&[("c", l(&[n("3")]))]))]),
        ),
        (
            "REMOVE a.c[1], a.c[3]",
            item(&[("a", m(&[("c", l(&[n("2")]))]))]),
            item(&[("a", m(&[("c", l(&[n("3")]))]))]),
        ),
        ("ADD q :v", item(&[]), item(&[("q", value())])),
    ] {
        let values = [(":v", value())];
        let update = parse(text, if text.contains(":v") { &values } else { &[] }).unwrap();
        let updated = update.apply(old.view()).unwrap();
        assert_eq!(updated.updated_old(), before, "{text}");
        assert_eq!(updated.updated_new(), after, "{text}");
    }
}

#[test]
fn many_changes_to_nested_values_are_one_update() {
    let old = stored(&[
        ("a", s("key")),
        ("b", m(&[("a", n("1")), ("b", n("2")), ("c", n("3"))])),
        ("c", l(&[n("1"), n("3")])),
    ]);
    let update = parse(
        "set b.c=((c[1])+(b.a)),b.a = a,c[1] = a, c[4] = b.a - b.b, c[2] = b.c add c[8] :b, c[6] :a",
        &[(":a", n("2")), (":b", ss(&["a"]))],
    )
    .unwrap();
    let updated = update.apply(old.view()).unwrap();
    assert_eq!(
        updated.item,
        item(&[
            ("a", s("key")),
            ("b", m(&[("a", s("key")), ("b", n("2")), ("c", n("4"))])),
            ("c", l(&[n("1"), s("key"), n("3"), n("-1"), n("2"), ss(&["a"])])),
        ])
    );
    assert_eq!(
        updated.updated_new(),
        item(&[("b", m(&[("a", s("key")), ("c", n("4"))])), ("c", l(&[s("key"), n("3"), n("2")]))])
    );
}

#[test]
fn the_attributes_that_an_update_touches_are_listed() {
    let update =
        parse("SET a = b.c + d, e[0] = if_not_exists(f.g, :v) REMOVE h.i", &[(":v", b("x"))]).unwrap();
    assert_eq!(update.top_level_attributes().collect::<Vec<_>>(), ["a", "e", "h"]);
    assert_eq!(update.nested_attributes().collect::<Vec<_>>(), ["b", "e", "f", "h"]);
}
