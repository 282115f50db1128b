use proptest::prelude::*;

use super::*;

fn condition_error(text: &str) -> String {
    parse_condition(text).unwrap_err().to_string()
}

fn update_error(text: &str) -> String {
    parse_update(text).unwrap_err().to_string()
}

fn projection_error(text: &str) -> String {
    parse_projection(text).unwrap_err().to_string()
}

#[test]
fn a_syntax_error_names_the_token_and_its_neighbours() {
    for (text, token, near) in [
        ("foo", "<EOF>", "foo"),
        ("foo  ", "<EOF>", "foo"),
        ("a-b", "-", "a-b"),
        ("a = = :v", "=", "= = :v"),
        ("a > 4", "4", "> 4"),
        ("a = :v)", ")", ":v)"),
        ("attribute_not_exists(", "<EOF>", "("),
        ("contains (themes, :theme", "<EOF>", ":theme"),
        ("a IN ()", ")", "()"),
        ("a in b, c", "b", "in b,"),
        ("a IN (b,)", ")", ",)"),
        ("c!=:c", "!", "c!="),
        ("_hidden = :v", "_", "_hidden"),
        ("tenantAgent:abc123-x = :v", ":abc123", "tenantAgent:abc123-"),
        ("things are not gonna be ok", "are", "things are not"),
        ("größe = :v", "ö", "größ"),
        ("attribute_exists(\"a.b\")", "\"", "(\"a"),
        ("attribute_exists(a..b)", ".", "..b"),
        ("attribute_exists(a[b])", "b", "[b]"),
        ("b[#_] > a", "#_", "[#_]"),
        ("b[:a] > a", ":a", "[:a]"),
        ("a[4.5] > b", ".", "4.5"),
        ("a > between", "between", "> between"),
        ("size(a).b > a", ".", ").b"),
        ("(size(a))[0] > a", "[", ")[0"),
        ("(a)between(b.(c.d))and(c)", "(", ".(c"),
        ("a > :things.stuff", ".", ":things.stuff"),
        ("set = :v", "set", "set ="),
        ("a = :v AND", "<EOF>", "AND"),
        ("NOT", "<EOF>", "NOT"),
        ("NOT a", "<EOF>", "a"),
        ("(a) AND b = c", "AND", ") AND b"),
        ("(a = b) = c", "=", ") = c"),
        (" ", "<EOF>", ""),
    ] {
        assert_eq!(
            condition_error(text),
            format!("Syntax error; token: \"{token}\", near: \"{near}\""),
            "{text}"
        );
    }
}

#[test]
fn a_syntax_error_in_an_update_names_the_token_and_its_neighbours() {
    for (text, token, near) in [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("SET _123 = :v", "_", "SET _123"),
        ("ADD hits : incr", ":", "hits : incr"),
        ("SET a = :v,", "<EOF>", ","),
        ("SET", "<EOF>", "SET"),
        ("set a", "<EOF>", "a"),
        ("set a=set", "set", "=set"),
        ("remove a = b", "=", "a = b"),
        ("add a = b", "=", "a = b"),
        ("delete a b", "b", "a b"),
        ("add a if_not_exist(b)", "if_not_exist", "a if_not_exist("),
        ("remove a b", "b", "a b"),
        ("set :a = b", ":a", "set :a ="),
        ("set a = b / c", "/", "b / c"),
        ("set a[1] = \"eight\"", "\"", "= \"eight"),
        ("set a[1] = 1", "1", "= 1"),
        ("SET if_not_exists(a, b) = a", "(", "if_not_exists(a"),
        ("set (a = (b + c))", "(", "set (a"),
        ("set a = (b.c).d + e", ".", ").d"),
        ("set a = (b.c)[0] + e", "[", ")[0"),
        ("set a = b + c + d", "+", "c + d"),
        ("set a = (b + c) + d", "+", ") + d"),
        ("set a = b + (c + d)", "+", "c + d"),
        ("set a = if_not_exists(b, c + d)", "+", "c + d"),
        ("set a = b = c", "=", "b = c"),
    ] {
        assert_eq!(
            update_error(text),
            format!("Syntax error; token: \"{token}\", near: \"{near}\""),
            "{text}"
        );
    }
}

#[test]
fn a_syntax_error_in_a_projection_names_the_token_and_its_neighbours() {
    for (text, token, near) in [
        ("!!x", "!", "!!"),
        ("a b", "b", "a b"),
        ("whatever(stuff)", "(", "whatever(stuff"),
        (":a", ":a", ":a"),
        ("abort,", "<EOF>", ","),
        (",a", ",", ",a"),
        ("a,,b", ",", ",,b"),
        ("a..b", ".", "..b"),
        ("a[b]", "b", "[b]"),
        ("a[1", "<EOF>", "1"),
        ("(a)", "(", "(a"),
    ] {
        assert_eq!(
            projection_error(text),
            format!("Syntax error; token: \"{token}\", near: \"{near}\""),
            "{text}"
        );
    }
}

#[test]
fn an_empty_text_and_one_over_4096_bytes_are_refused_before_they_are_read() {
    assert_eq!(condition_error(""), "The expression can not be empty;");
    assert_eq!(update_error(""), "The expression can not be empty;");
    let long = format!("a = :v{}", " ".repeat(TEXT_BYTES_MAX));
    assert_eq!(
        condition_error(&long),
        "Expression size has exceeded the maximum allowed size; expression size: 4102"
    );
    assert_eq!(parse_condition(&long[..TEXT_BYTES_MAX]), parse_condition("a = :v"));
}

#[test]
fn redundant_parentheses_are_refused_wherever_they_stand() {
    for text in [
        "((a = b))",
        "a=a and a > ((views))",
        "(a)between(((b.c)).d)and(c)",
        "a > whatever((:things), ((a)))",
        "a=a AND ((a=a AND a=a)) AND a=a",
        "a=a OR ((a=a OR (a=a OR a=a)))",
        "((a)) = b",
        "NOT ((a = b))",
        "((attribute_exists(a)))",
        "((c=:c) AND ((p=:p)))",
    ] {
        assert_eq!(condition_error(text), "The expression has redundant parentheses;", "{text}");
    }
    assert_eq!(update_error("SET a = ((b))"), "The expression has redundant parentheses;");
}

#[test]
fn parentheses_that_group_are_accepted() {
    for (text, same) in [
        ("(a = b)", "a = b"),
        ("((a = b) AND (c = d))", "a = b AND c = d"),
        ("(a = b OR (c = d))", "a = b OR c = d"),
        ("(a) = (b)", "a = b"),
        ("(a.b).c[0] = (d)[1]", "a.b.c[0] = d[1]"),
        ("(size(a)) > (:v)", "size(a) > :v"),
        ("(a) BETWEEN (b) AND (c)", "a BETWEEN b AND c"),
        ("(attribute_exists(a)) AND (b = c)", "attribute_exists(a) AND b = c"),
        ("NOT (a = b)", "NOT a = b"),
        ("not not a = b", "NOT NOT a = b"),
        ("a IN ((b), c)", "a IN (b, c)"),
        ("contains((a), (:v))", "contains(a, :v)"),
    ] {
        assert_eq!(parse_condition(text), parse_condition(same), "{text}");
        assert!(parse_condition(text).is_ok(), "{text}");
    }
    assert_eq!(parse_update("set a = ((b.c.d)+(e))"), parse_update("SET a = b.c.d + e"));
    assert_eq!(parse_update("set a = (b)"), parse_update("SET a = b"));
}

#[test]
fn not_binds_before_and_and_and_before_or() {
    for (text, explicit) in [
        ("a=b OR c=d AND e=f", "a=b OR (c=d AND e=f)"),
        ("a=b AND c=d OR e=f AND g=h", "(a=b AND c=d) OR (e=f AND g=h)"),
        ("NOT a=b AND c=d", "(NOT a=b) AND c=d"),
        ("NOT a=b OR c=d", "(NOT a=b) OR c=d"),
        ("a BETWEEN b AND c AND d=e", "(a BETWEEN b AND c) AND d=e"),
    ] {
        assert_eq!(parse_condition(text), parse_condition(explicit), "{text}");
    }
    assert_ne!(parse_condition("(a=b OR c=d) AND e=f"), parse_condition("a=b OR c=d AND e=f"));
}

#[test]
fn nesting_as_deep_as_300_operators_allow_is_parsed() {
    let depth = 149;
    let condition = format!("a<b {}{}", "or (a<b ".repeat(depth), ")".repeat(depth));
    assert!(parse_condition(&condition).is_ok());
    let condition = format!("{}a<b{}", "NOT (".repeat(299), ")".repeat(299));
    assert!(parse_condition(&condition).is_ok());
}

#[test]
fn nesting_as_deep_as_the_text_allows_is_refused_without_using_up_the_stack() {
    let depth = 2046;
    let parentheses = format!("{}a<b{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(condition_error(&parentheses), "The expression has redundant parentheses;");
    assert_eq!(condition_error(&"(".repeat(4096)), "Syntax error; token: \"<EOF>\", near: \"(\"");
    let operand = format!("a<{}b{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(condition_error(&operand), "The expression has redundant parentheses;");
    let unknown = format!("a < {}b{}", "f(".repeat(1355), ")".repeat(1355));
    assert_eq!(condition_error(&unknown), "Invalid function name; function: f");
    let known = format!("a < {}b{}", "size(".repeat(680), ")".repeat(680));
    assert_eq!(
        condition_error(&known),
        "The function is not allowed to be used this way in an expression; function: size"
    );
    let set = format!("SET a = {}b{}", "(".repeat(2000), ")".repeat(2000));
    assert_eq!(update_error(&set), "The expression has redundant parentheses;");
    assert!(parse_condition(&format!("{}a<b", "not ".repeat(1000))).is_ok());
}

/// Texts with the elements of expressions in any order.
fn scrambled() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "#n",
        ":v",
        "1",
        "AND",
        "or",
        "NOT",
        "between",
        "IN",
        "SET",
        "remove",
        "ADD",
        "DELETE",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        "_",
        "ü",
        "😀",
        "size(",
        "list_append(",
        "\u{0}",
    ];
    let piece = proptest::sample::select(pieces.to_vec());
    (proptest::collection::vec(piece, 0..30), proptest::sample::select(vec!["", " "]))
        .prop_map(|(pieces, separator)| pieces.join(separator))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_makes_the_parser_panic(text in prop_oneof![any::<String>(), scrambled()]) {
        for problem in [
            parse_condition(&text).err(),
            parse_update(&text).err(),
            parse_projection(&text).err(),
        ].into_iter().flatten() {
            prop_assert!(!problem.to_string().is_empty());
        }
    }
}
