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
        ("", 0..0, "a value is expected"),
        ("status", 6..6, "a comparison is expected"),
        ("status = ", 9..9, "a value is expected"),
        ("status = \"open\"", 9..15, "single quotes"),
        ("status = 'open", 9..14, "this text is not closed"),
        ("status = 'é' count", 14..19, "this can't follow here"),
        ("total between 1 or 2", 16..18, "and is expected"),
        ("status in 'open'", 10..16, "a list in parentheses is expected"),
        ("status in ('open'", 17..17, "a comma or a closing parenthesis is expected"),
        ("(flag = true", 12..12, "a closing parenthesis is expected"),
        ("exists('a')", 7..10, "the name of a field is expected"),
        ("begins_with(name)", 16..17, "a comma and a value are expected"),
        ("total = 1x", 8..10, "1x is not a number"),
        ("total = {a b}", 8..13, "\"a b\" can't be the name of a parameter"),
        ("total = {a", 8..9, "this brace is not closed"),
        ("total % 1", 6..7, "'%' can't stand in a condition"),
        ("a..b = 1", 0..4, "a path with an empty step"),
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
        ("#s = 'open'", 0..2, "as it is"),
        ("name is null", 5..7, "`missing(name)`"),
        ("name IS NOT NULL", 5..7, "`exists(name)`"),
        ("name like 'a%'", 5..9, "`begins_with(name, 'text')`"),
        ("tags contains 'a'", 5..13, "`contains(tags, 'value')`"),
    ] {
        let error = Condition::parse(text).unwrap_err();
        assert_eq!(error.range, range, "{text}: {error}");
        assert!(error.help.as_deref().is_some_and(|said| said.contains(help)), "{text}: {error:?}");
    }
    // What another language shares with this one is left alone.
    for text in ["status != 'open'", "begins_with(name, 'a == b')", "contains(name, ':x')", "name = '\"'"] {
        assert!(Condition::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn what_does_not_fit_the_fields_is_refused_with_its_place() {
    for (text, range, message) in [
        ("stats = 'open'", 0..5, "there is no field stats"),
        ("flag = true and size(nam) > 1", 21..24, "there is no field nam"),
        ("status = 'opn'", 9..14, "did you mean `open`?"),
        ("status in ('open', 'x')", 19..22, "must be one of `open`, `paid`"),
        ("total > 'x'", 8..11, "must be a number, not `x`"),
        ("day = '2025-02-30'", 6..18, "must be a date"),
        ("created_at > 'monday'", 13..21, "must be a time"),
        ("flag > true", 0..4, "neither less nor greater"),
        ("tags < {x}", 0..4, "neither less nor greater"),
        ("1 = 1", 0..1, "nothing here depends on the item"),
        ("{a} = {b}", 0..3, "nothing here depends on the item"),
        ("name = total", 7..12, "this is a number and is compared with a text"),
        ("name = {now}", 7..12, "{now} is a time"),
        ("size(count) > 1", 5..10, "count is a number and has no size"),
        ("begins_with(total, '1')", 12..17, "begins_with can't look into it"),
        ("contains(flag, true)", 9..13, "contains can't look into it"),
        ("contains(numbers, 'a')", 18..21, "must be a number"),
        ("name = {x} and total = {x}", 23..26, "{x} was compared with a text before"),
        ("total between 1 and 'x'", 20..23, "must be a number"),
    ] {
        let condition = Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let error = condition.check(&field).unwrap_err();
        assert_eq!(error.range, range, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
    let condition = Condition::parse("stats = 'open'").unwrap();
    let error = condition.check_naming(&field, &|_| Some("status".to_owned())).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean status?"));
}

proptest! {
    #[test]
    fn any_text_is_a_condition_or_refused_inside_its_bounds(text in ".{0,40}") {
        if let Err(error) = Condition::parse(&text) {
            prop_assert!(text.get(error.range.clone()).is_some(), "{:?}", error);
        }
    }
}
