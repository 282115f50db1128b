use proptest::prelude::*;
use singlet_engine::values::AttributeValue;

use super::*;
use crate::field::FieldType;
use crate::store::{Expression, ExpressionBuilder};

const NOW_MS: u64 = 1_737_387_000_123;

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

fn written(text: &str) -> Expression {
    let condition = Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    condition.check(&field).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut builder = ExpressionBuilder::new('c');
    let argument = |name: &str| (name != "none").then(|| AttributeValue::from(format!("<{name}>")));
    let text = condition.write(&mut builder, &field, &argument, NOW_MS);
    builder.finish(text)
}

/// The expression with names and values in place of their placeholders.
fn spelled(text: &str) -> String {
    let Expression { text, names, values } = written(text);
    let mut spelled = text;
    for (placeholder, name) in names.iter().rev() {
        spelled = spelled.replace(placeholder, name);
    }
    for (placeholder, value) in values.iter().rev() {
        spelled = spelled.replace(placeholder, &format!("{value:?}"));
    }
    spelled
}

#[test]
fn conditions_become_expressions() {
    for (text, expected) in [
        ("status = 'open'", "status = S(\"open\")"),
        ("'it''s' <> name", "S(\"it's\") <> name"),
        ("total >= 12.50 AND count != 0", "total >= N(12.5) AND count <> N(0)"),
        (
            "total between 1 and {most} or flag = true",
            "total BETWEEN N(1) AND S(\"<most>\") OR flag = Bool(true)",
        ),
        ("status in ('open', {other})", "status IN (S(\"open\"), S(\"<other>\"))"),
        ("not exists(name)", "NOT attribute_exists(name)"),
        ("not (missing(day) and flag = false)", "NOT (attribute_not_exists(day) AND flag = Bool(false))"),
        (
            "(flag = true or flag = false) and count < stock",
            "(flag = Bool(true) OR flag = Bool(false)) AND count < stock",
        ),
        (
            "((flag = true)) and (count = 1 and stock = 2)",
            "flag = Bool(true) AND count = N(1) AND stock = N(2)",
        ),
        ("begins_with(address.city, 'H')", "begins_with(address.city, S(\"H\"))"),
        ("contains(tags, {tag})", "contains(tags, S(\"<tag>\"))"),
        ("contains(numbers, 3)", "contains(numbers, N(3))"),
        ("size(name) > 3", "size(name) > N(3)"),
        ("created_at < {now}", "created_at < S(\"2025-01-20T15:30:00.123Z\")"),
        ("expires > {now}", "expires > N(1737387000)"),
        ("day = {now}", "day = S(\"2025-01-20\")"),
        ("created_at > '2025-01-20T00:30:00+07:00'", "created_at > S(\"2025-01-19T17:30:00.000Z\")"),
        ("name >= 'A'", "name >= S(\"A\")"),
        ("extra = {none}", "extra = Null"),
    ] {
        assert_eq!(spelled(text), expected, "{text}");
    }
}

#[test]
fn one_field_has_one_placeholder() {
    let expression = written("count > 1 and count < 5");
    assert_eq!(expression.text, "#c0 > :c0 AND #c0 < :c1");
    assert_eq!((expression.names.len(), expression.values.len()), (1, 2));
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

    #[test]
    fn any_words_are_checked_and_written_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "total", "name", "status", "tags", "flag", "=", "<", "<>", "and", "or", "not", "(", ")", ",", "in",
            "between", "exists(", "size(", "contains(", "begins_with(", "'open'", "12", "true", "{x}", "{now}",
        ]), 0..14)
    ) {
        let text = words.join(" ");
        if let Ok(condition) = Condition::parse(&text)
            && condition.check(&field).is_ok()
        {
            let _ = written(&text);
        }
    }
}
