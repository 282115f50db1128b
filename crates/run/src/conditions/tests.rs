use proptest::prelude::*;
use singlet_design::{Condition, FieldType};
use singlet_expr::{self as expr, Printer};
use singlet_values::AttributeValue;

use super::translate::translate;

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

fn translated(text: &str) -> expr::Condition {
    let condition = Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    condition.check(&field).unwrap_or_else(|error| panic!("{text}: {error}"));
    let argument = |name: &str| (name != "none").then(|| AttributeValue::from(format!("<{name}>")));
    translate(&condition, &field, &argument, NOW_MS).unwrap_or_else(|| panic!("{text}: an empty list"))
}

/// The expression with names and values in place of their placeholders.
fn spelled(text: &str) -> String {
    let mut printer = Printer::default();
    let mut spelled = printer.condition(&translated(text));
    for (placeholder, name) in printer.names().iter().rev() {
        spelled = spelled.replace(placeholder, name);
    }
    for (placeholder, value) in printer.values().iter().rev() {
        spelled = spelled.replace(placeholder, &format!("{value:?}"));
    }
    spelled
}

#[test]
fn conditions_become_trees() {
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
    let mut printer = Printer::default();
    let text = printer.condition(&translated("count > 1 and count < 5"));
    assert_eq!(text, "#c0 > :c0 AND #c0 < :c1");
    assert_eq!((printer.names().len(), printer.values().len()), (1, 2));
}

proptest! {
    #[test]
    fn any_words_are_checked_and_translated_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "total", "name", "status", "tags", "flag", "=", "<", "<>", "and", "or", "not", "(", ")", ",", "in",
            "between", "exists(", "size(", "contains(", "begins_with(", "'open'", "12", "true", "{x}", "{now}",
        ]), 0..14)
    ) {
        let text = words.join(" ");
        if let Ok(condition) = Condition::parse(&text)
            && condition.check(&field).is_ok()
        {
            let _ = translated(&text);
        }
    }
}
