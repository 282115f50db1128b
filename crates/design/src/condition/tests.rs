use proptest::prelude::*;

use super::*;
use crate::field::FieldType;

fn field(path: &str) -> Option<FieldType> {
    let text = FieldType::Text { min: Some(2), max: Some(9) };
    Some(match path {
        "name" | "address.city" => text,
        "status" => FieldType::Choice(vec!["open".into(), "paid".into()]),
        "total" => FieldType::Number { min: Some(1.into()), max: None },
        "count" | "stock" => FieldType::Int { min: None, max: None },
        "flag" => FieldType::Bool,
        "created_at" => FieldType::Time,
        "day" => FieldType::Date,
        "expires" => FieldType::Epoch,
        "tags" => FieldType::Set { of: Box::new(text), max: None },
        "numbers" => {
            FieldType::List { of: Box::new(FieldType::Int { min: None, max: None }), max: None, key: None }
        }
        "extra" => FieldType::Any { max_bytes: None },
        _ => return None,
    })
}

/// A condition, the optional parameters that are given, and what is left of it.
const OPTIONAL: [(&str, &[&str], Option<&str>); 10] = [
    ("name = {a?}", &[], None),
    ("name = {a?}", &["a"], Some("name = {a?}")),
    ("name = {a?} and flag = true", &[], Some("flag = true")),
    ("name = {a?} or flag = true", &[], Some("flag = true")),
    ("(name = {a?} or name = {b?}) and flag = true", &["b"], Some("name = {b?} and flag = true")),
    ("(name = {a?} or name = {b?}) and flag = true", &[], Some("flag = true")),
    ("not (name = {a?} and flag = true) and count > 1", &[], Some("not (flag = true) and count > 1")),
    ("not name = {a?} and count > 1", &[], Some("count > 1")),
    ("total between {a?} and {b?} or count in (1, {a?})", &["b"], None),
    // A parameter that is also used without `?` is required.
    ("name = {a?} and address.city = {a}", &[], Some("name = {a} and address.city = {a}")),
];

#[test]
fn the_smallest_term_around_an_optional_parameter_is_left_out_with_it() {
    for (text, given, left) in OPTIONAL {
        let condition = Condition::parse(text).unwrap();
        let found = condition.given(&|name| given.contains(&name)).map(|condition| condition.tree);
        assert_eq!(found, left.map(|left| Condition::parse(left).unwrap().tree), "{text}");
    }
}

#[test]
fn parameters_take_the_type_of_what_they_are_compared_with() {
    let condition = Condition::parse(
        "total >= {least} and status = {state} and {least} < count and contains(tags, {tag})",
    );
    let text = FieldType::Text { min: None, max: None };
    let number = FieldType::Number { min: None, max: None };
    let choice = FieldType::Choice(vec!["open".into(), "paid".into()]);
    assert_eq!(
        condition.unwrap().check(&field).unwrap(),
        [("least".to_owned(), number), ("state".to_owned(), choice), ("tag".to_owned(), text)]
    );
}

#[test]
fn what_is_no_condition_is_refused_with_its_place() {
    for (text, range, message) in [
        ("", 0..0, "expected a value"),
        ("status", 6..6, "expected a comparison"),
        ("status = ", 9..9, "expected a value"),
        ("status = \"open\"", 9..15, "single quotes"),
        ("status = 'open", 9..14, "missing closing quote"),
        ("status = 'é' count", 14..19, "unexpected text after the condition"),
        ("total between 1 or 2", 16..18, "expected `and`"),
        ("status in 'open'", 10..16, "expected a list in parentheses"),
        ("status in ('open'", 17..17, "expected a comma or a closing parenthesis"),
        ("(flag = true", 12..12, "expected a closing parenthesis"),
        ("exists('a')", 7..10, "expected a field name"),
        ("begins_with(name)", 16..17, "expected a comma and a value"),
        ("total = 1x", 8..10, "`1x` isn't a number"),
        ("total = {a b}", 11..12, "expected `+`, `-` or `*`"),
        ("total = {a", 8..9, "missing closing brace"),
        ("total % 1", 6..7, "unexpected character '%'"),
        ("a..b = 1", 0..4, "a path can't have an empty step"),
    ] {
        let error = Condition::parse(text).unwrap_err();
        assert_eq!(error.range, range, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
    for text in ["(".repeat(100), "not ".repeat(100), "a=a or ".repeat(500), "x".repeat(5000)] {
        assert!(Condition::parse(&text).is_err());
    }
    let long = |count: usize| format!("count in ({}1)", "1,".repeat(count));
    assert!(Condition::parse(&long(99)).is_ok());
    assert!(Condition::parse(&long(100)).is_err());
}

#[test]
fn habits_of_other_languages_are_answered_with_what_to_write() {
    for (text, range, help) in [
        ("status == 'open'", 7..9, "`=`"),
        ("status === 'open'", 7..10, "`=`"),
        ("flag = true && total > 1", 12..14, "`and`"),
        ("flag = true || total > 1", 12..14, "`or`"),
        ("!flag = true", 0..1, "`not`"),
        ("status = \"it's\"", 9..15, "'it''s'"),
        ("attribute_exists(name)", 0..16, "`exists(name)`"),
        ("flag = true and attribute_not_exists( name )", 16..36, "`missing(name)`"),
        ("starts_with(name, 'a')", 0..11, "`begins_with(name, 'a')`"),
        ("status = :state", 9..15, "`{state}`"),
        ("#s = 'open'", 0..2, "the name of the field itself"),
        ("name is null", 5..7, "`missing(name)`"),
        ("name IS NOT NULL", 5..7, "`exists(name)`"),
        ("name like 'a%'", 5..9, "`begins_with(name, 'text')`"),
        ("tags contains 'a'", 5..13, "`contains(tags, 'value')`"),
    ] {
        let error = Condition::parse(text).unwrap_err();
        assert_eq!(error.range, range, "{text}: {error}");
        assert!(error.help.as_deref().is_some_and(|said| said.contains(help)), "{text}: {error:?}");
    }
    // Forms that another language shares with this one are left alone.
    for text in ["status != 'open'", "begins_with(name, 'a == b')", "contains(name, ':x')", "name = '\"'"] {
        assert!(Condition::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn what_does_not_fit_the_fields_is_refused_with_its_place() {
    for (text, range, message) in [
        ("stats = 'open'", 0..5, "there is no field `stats`"),
        ("flag = true and size(nam) > 1", 21..24, "there is no field `nam`"),
        ("status = 'opn'", 9..14, "did you mean `open`?"),
        ("status in ('open', 'x')", 19..22, "must be one of `open`, `paid`"),
        ("total > 'x'", 8..11, "must be a number, not `x`"),
        ("day = '2025-02-30'", 6..18, "must be a date"),
        ("created_at > 'monday'", 13..21, "must be a time"),
        ("flag > true", 0..4, "has no order"),
        ("tags < {x}", 0..4, "has no order"),
        ("1 = 1", 0..1, "this comparison doesn't depend on the item"),
        ("{now} < {b}", 0..5, "this comparison doesn't depend on the item"),
        ("{a} < {b}", 0..3, "the type of these parameters isn't known"),
        ("total > {a} and {a} > 'x'", 22..25, "must be a number"),
        ("name = total", 7..12, "this is a number and can't be compared with a string"),
        ("name = {now}", 7..12, "`{now}` is a time"),
        ("size(count) > 1", 5..10, "`count` is a number and has no size"),
        ("begins_with(total, '1')", 12..17, "`begins_with` can't be used on `total`"),
        ("contains(flag, true)", 9..13, "`contains` can't be used on `flag`"),
        ("contains(numbers, 'a')", 18..21, "must be a number"),
        ("name = {x} and total = {x}", 23..26, "is compared with a number here, but with a string before"),
        ("total between 1 and 'x'", 20..23, "must be a number"),
    ] {
        let condition = Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = condition.check(&field).unwrap_err();
        assert_eq!(error.range, range, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
    let condition = Condition::parse("stats = 'open'").unwrap();
    let error = condition.check_naming(&field, &|_| Some("status".to_owned())).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean `status`?"));
}

proptest! {
    #[test]
    fn any_text_is_a_condition_or_refused_inside_its_bounds(text in ".{0,40}") {
        if let Err(error) = Condition::parse(&text) {
            prop_assert!(text.get(error.range.clone()).is_some(), "{:?}", error);
        }
    }
}

/// The comparison that a text becomes, as text: the parts of a rearranged one, or both sides of one that is computed.
fn rearranged(text: &str) -> String {
    let shown = |operand: &Operand| match operand {
        Operand::Path(path) | Operand::Parameter(path) => path.clone(),
        Operand::Constant(json) => json.to_string(),
        Operand::Computed(expression) => format!("{{{expression}}}"),
        other => format!("{other:?}"),
    };
    let condition = Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    condition.check(&field).unwrap_or_else(|error| panic!("{text}: {error}"));
    match &condition.tree {
        Tree::Compare(left, comparison, right) => {
            format!("{} {comparison:?} {}", shown(left), shown(right))
        }
        Tree::Computed(left, comparison, right) => format!("computed: {left} {comparison:?} {right}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_sum_is_rearranged_until_one_field_stands_alone() {
    for (text, expected) in [
        ("count + {n} <= 100", "count AtMost {100 - n}"),
        ("100 >= {n} + count", "count AtMost {100 - n}"),
        ("100 - count > {n}", "count Less {100 - n}"),
        ("-count < {n}", "count Greater {-n}"),
        ("count -1 = {n}", "count Equal {n - -1}"),
        ("count - (stock - {n}) < {n}", "computed: count - (stock - n) Less n"),
        ("count - stock >= 0 - 0", "computed: count - stock AtLeast 0 - 0"),
        ("count + {n} < stock + {n}", "computed: count + n Less stock + n"),
        ("count < 2 * stock", "computed: count Less 2 * stock"),
        ("2 * count <= {n}", "computed: 2 * count AtMost n"),
        ("created_at + 30s < {now}", "created_at Less {now - 30s}"),
        ("{now} - created_at > 1 * 30s", "created_at Less {now - 1 * 30s}"),
        ("expires < {now} + 30s", "expires Less {now + 30s}"),
        ("count < 2 * (3 + {n})", "count Less {2 * (3 + n)}"),
    ] {
        assert_eq!(rearranged(text), expected, "{text}");
    }
}

#[test]
fn arithmetic_that_does_not_fit_the_fields_is_refused() {
    for (text, message) in [
        ("count + 30s < {now}", "is a time, but a number is needed"),
        ("created_at + 30 < {now}", "`30` is a number, but a duration is needed"),
        ("name + 1 < total", "`name` is a string and can't be calculated with"),
        ("created_at + {n} < day", "`n` can't be added to a time"),
        ("count + stock < created_at", "is of type `time`, but a number is needed"),
    ] {
        let condition = Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = condition.check(&field).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
    }
    for text in ["count + 'a' < 1", "count + size(name) < 1", "count + 1 between 1 and 2", "count + < 1"] {
        assert!(Condition::parse(text).is_err(), "{text}");
    }
}
