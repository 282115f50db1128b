use proptest::prelude::*;
use singlet_values::{AttributeValue, EncodedValue, Item};

use super::*;
use crate::field::{Field, FieldType, Made, ParameterType};
use crate::json::Json;
use crate::report::Span;
use crate::template::{Format, Part, Template};

const TEXT: FieldType = FieldType::Text { min: None, max: None };
const NUMBER: FieldType = FieldType::Number { min: None, max: None };
const INT: FieldType = FieldType::Int { min: None, max: None };
const ANY: FieldType = FieldType::Any { max_bytes: None };

fn json(text: &str) -> Json {
    text.parse().unwrap()
}

fn field(name: &str, kind: FieldType) -> Field {
    Field {
        name: name.to_owned(),
        about: None,
        kind,
        optional: false,
        default: None,
        internal: false,
        made: None,
        computed: false,
        derived: false,
        refers_to: None,
        refers_to_one_of: Vec::new(),
        must_exist: false,
        span: Span::default(),
    }
}

fn food() -> FieldType {
    FieldType::Object(vec![
        Field { made: Some(Made::Uuid7), ..field("food_id", FieldType::Id) },
        field("name", FieldType::Text { min: Some(1), max: Some(5) }),
        Field { optional: true, ..field("note", TEXT) },
        Field { default: Some(Json::from(1)), ..field("count", INT) },
        Field { optional: true, ..field("tags", FieldType::Set { of: Box::new(TEXT), max: None }) },
    ])
}

fn list(of: FieldType) -> FieldType {
    FieldType::List { of: Box::new(of), max: Some(3), key: None }
}

fn set(of: FieldType) -> FieldType {
    FieldType::Set { of: Box::new(of), max: Some(3) }
}

fn back(value: &AttributeValue) -> Json {
    to_json(EncodedValue::encode(value).view())
}

#[test]
fn values_that_fit_are_stored_and_come_back() {
    let bounded = FieldType::Number { min: Some("0.5".parse().unwrap()), max: Some("9".parse().unwrap()) };
    for (kind, text) in [
        (TEXT, "\"\""),
        (FieldType::Text { min: Some(2), max: Some(3) }, "\"Huế\""),
        (FieldType::Choice(vec!["new".into(), "paid".into()]), "\"paid\""),
        (INT, "12345678901234567890123456789012345678"),
        (INT, "-1000000000000000000000"),
        (bounded, "0.5"),
        (FieldType::Bool, "false"),
        (FieldType::Binary { max: Some(2) }, "\"AAE=\""),
        (FieldType::Date, "\"2024-02-29\""),
        (FieldType::Time, "\"2025-01-20T15:30:00.000Z\""),
        (FieldType::Epoch, "1737387000"),
        (FieldType::Id, "\"x\""),
        (list(INT), "[3,1,2]"),
        (set(INT), "[1,3,20]"),
        (set(TEXT), "[\"a\",\"b\"]"),
        (FieldType::Map { of: Box::new(FieldType::Bool), max: Some(1) }, "{\"a\":true}"),
        (ANY, "{\"a\":[1,null,{\"b\":\"c\"}],\"d\":1.5}"),
    ] {
        let value = to_attribute(&kind, &json(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(back(&value).to_string(), text);
    }
}

#[test]
fn times_are_stored_in_utc_with_milliseconds() {
    for (given, stored) in [
        ("2025-01-20T15:30:00Z", "2025-01-20T15:30:00.000Z"),
        ("2025-01-20T00:30:00.1239+07:00", "2025-01-19T17:30:00.123Z"),
        ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("0001-01-01T00:00:00-07:00", "0001-01-01T07:00:00.000Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
        ("9999-12-31T23:59:59.9999Z", "9999-12-31T23:59:59.999Z"),
        ("9999-12-31T23:59:59+23:59", "9999-12-31T00:00:59.000Z"),
    ] {
        assert_eq!(to_attribute(&FieldType::Time, &Json::from(given)), Ok(AttributeValue::from(stored)));
    }
    assert_eq!(time_of_ms(0), "1970-01-01T00:00:00.000Z");
    assert_eq!(time_of_ms(253_402_300_799_999), "9999-12-31T23:59:59.999Z");
    assert_eq!(time_of_ms(u64::MAX), "9999-12-31T23:59:59.999Z");
    assert_eq!(epoch_second("9999-12-31T23:59:59.999Z"), Some(253_402_300_799));
    assert_eq!(epoch_second("1969-12-31T23:59:59.001Z"), Some(-1));
    assert_eq!(epoch_second("9999-12-31"), Some(253_402_214_400));
    assert_eq!(date_of_ms(86_400_000), "1970-01-02");
}

#[test]
fn values_that_do_not_fit_are_refused_with_place_and_reason() {
    let pair = FieldType::Choice(vec!["new".into(), "paid".into()]);
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    for (kind, text, message) in [
        (TEXT, "1", "it must be a string, not `1`"),
        (TEXT, "null", "it must be a string, not `null`"),
        (
            FieldType::Text { min: None, max: Some(2) },
            "\"Huế\"",
            "it must be a string of at most 2 characters; it has 3",
        ),
        (
            FieldType::Text { min: Some(4), max: None },
            "\"Huế\"",
            "it must be a string of at least 4 characters; it has 3",
        ),
        (pair, "\"payd\"", "it must be one of `new`, `paid`, not `payd`; did you mean `paid`?"),
        (INT, "1.5", "it must be an integer, not `1.5`"),
        (INT, "\"7\"", "it must be an integer, not the string `\"7\"`"),
        (
            FieldType::Int { min: Some(1.into()), max: Some(5.into()) },
            "\"abc\"",
            "it must be an integer between 1 and 5, not `abc`",
        ),
        (
            FieldType::Int { min: Some(1.into()), max: None },
            "0",
            "it must be an integer of at least 1, not `0`",
        ),
        (
            FieldType::Number { min: None, max: Some(1.into()) },
            "1.1",
            "it must be a number of at most 1, not `1.1`",
        ),
        (FieldType::Bool, "\"yes\"", "it must be `true` or `false`, not `yes`"),
        (FieldType::Binary { max: None }, "\"%\"", "it must be bytes in base64, not `%`"),
        (FieldType::Binary { max: Some(1) }, "\"AAE=\"", "it must be at most 1 bytes in base64; it has 2"),
        (FieldType::Date, "\"2025-02-30\"", "it must be a date such as `2026-11-17`, not `2025-02-30`"),
        (
            FieldType::Date,
            "\"20250120\"",
            "it must be a date such as `2026-11-17`, not the string `\"20250120\"`",
        ),
        (
            FieldType::Time,
            "\"2025-01-20T15:30:00\"",
            "it must be a time such as `2026-11-17T10:00:00Z`, not `2025-01-20T15:30:00`",
        ),
        (
            FieldType::Epoch,
            "99999999999999",
            "it must be a time in seconds since 1970, such as `1794909600`, in the years 1 to 9999, not `99999999999999`",
        ),
        (
            FieldType::Epoch,
            "253402300800",
            "it must be a time in seconds since 1970, such as `1794909600`, in the years 1 to 9999, not `253402300800`",
        ),
        (
            FieldType::Time,
            "\"9999-12-31T23:59:59-00:01\"",
            "it must be a time from `0001-01-01T00:00:00Z` to `9999-12-31T23:59:59.999Z`, not `9999-12-31T23:59:59-00:01`",
        ),
        (
            FieldType::Time,
            "\"0000-12-31T23:59:59Z\"",
            "it must be a time from `0001-01-01T00:00:00Z` to `9999-12-31T23:59:59.999Z`, not `0000-12-31T23:59:59Z`",
        ),
        (
            FieldType::Time,
            "\"2016-12-31T23:59:60Z\"",
            "it can't be a leap second, as `2016-12-31T23:59:60Z` is; use second 59 or the next minute",
        ),
        (
            FieldType::Time,
            "\"20161231T235960.5+0000\"",
            "it can't be a leap second, as `20161231T235960.5+0000` is; use second 59 or the next minute",
        ),
        (FieldType::Date, "\"0000-12-31\"", "it must be a date such as `2026-11-17`, not `0000-12-31`"),
        (FieldType::Id, "\"\"", "it can't be empty"),
        (list(INT), "[1,\"x\"]", "`[1]` must be an integer, not `x`"),
        (list(INT), "[1,2,3,4]", "it must be a list of at most 3 integers; it has 4"),
        (list(INT), "{}", "it must be a list of at most 3 integers, not an object"),
        (list(set(INT)), "[[]]", "`[0]` can't be an empty set inside a list"),
        (set(INT), "[1,1.0]", "`[1]` appears twice in the set"),
        (list(food()), "[{\"name\":\"a\"}]", "`[0].food_id` is missing"),
        (list(food()), "[{\"nam\":\"a\"}]", "`[0].nam` isn't a field of the object; did you mean `name`?"),
        (
            food(),
            "{\"food_id\":\"1\",\"name\":\"\"}",
            "`name` must be a string of 1 to 5 characters; it has 0",
        ),
        (
            FieldType::Any { max_bytes: Some(4) },
            "\"abcde\"",
            "it must be any JSON value of at most 4 bytes; it has 5 bytes",
        ),
        (ANY, &deep(32), &format!("`{}` can't have more than 32 levels of nesting", "[0]".repeat(31))),
    ] {
        assert_eq!(to_attribute(&kind, &json(text)).unwrap_err().to_string(), message, "{text}");
    }
    assert!(to_attribute(&ANY, &json(&deep(31))).is_ok());
}

#[test]
fn elements_with_one_key_are_refused() {
    let keyed = FieldType::List { of: Box::new(food()), max: None, key: Some("food_id".to_owned()) };
    let foods = json(r#"[{"food_id":"1","name":"a"},{"food_id":"1","name":"b"}]"#);
    let error = to_attribute(&keyed, &foods).unwrap_err();
    assert_eq!(error.to_string(), "`[1]` has the same `food_id` as an earlier element");
}

#[test]
fn nested_objects_get_their_defaults_and_made_values() {
    let fields = [field("foods", list(food()))];
    let mut item =
        json(r#"{"foods":[{"name":"a","note":null,"tags":[]},{"name":"b","food_id":"x","count":3}]}"#);
    fill(&fields, &mut item, &mut |made| Json::from(format!("{made:?}")));
    let stored = to_attribute(&FieldType::Object(fields.to_vec()), &item).unwrap();
    let expected =
        r#"{"foods":[{"count":1,"food_id":"Uuid7","name":"a"},{"count":3,"food_id":"x","name":"b"}]}"#;
    assert_eq!(back(&stored).to_string(), expected);
}

#[test]
fn an_empty_set_stands_for_nothing() {
    assert!(is_empty_set(&to_attribute(&set(TEXT), &json("[]")).unwrap()));
    assert!(is_empty_set(&to_attribute(&set(INT), &json("[]")).unwrap()));
    assert!(!is_empty_set(&to_attribute(&set(INT), &json("[1]")).unwrap()));
}

#[test]
fn command_line_texts_need_no_quotes() {
    let field = ParameterType::Field;
    for (kind, text, expected) in [
        (field(TEXT), "12", "\"12\""),
        (field(FieldType::Id), "u-1", "\"u-1\""),
        (field(FieldType::Date), "2025-01-20", "\"2025-01-20\""),
        (field(NUMBER), "12.5", "12.5"),
        (field(FieldType::Bool), "true", "true"),
        (field(set(TEXT)), "a, b", "[\"a\",\"b\"]"),
        (field(list(INT)), "1,2", "[1,2]"),
        (field(list(TEXT)), "[\"a, b\"]", "[\"a, b\"]"),
        (field(list(TEXT)), "", "[]"),
        (field(list(food())), "[{\"name\":\"a\"}]", "[{\"name\":\"a\"}]"),
        (ParameterType::Prefix, "Thịt ", "\"Thịt \""),
        (ParameterType::ListOf(Box::new(field(FieldType::Id))), "a,b", "[\"a\",\"b\"]"),
        (ParameterType::Keys(vec![]), "[{\"a\":1}]", "[{\"a\":1}]"),
        (field(ANY), "{}", "{}"),
    ] {
        assert_eq!(from_text(&kind, text).unwrap().to_string(), expected);
    }
    assert_eq!(from_text(&field(INT), "twelve").unwrap().to_string(), "\"twelve\"");
    let object = from_text(&field(food()), "{name: a}").unwrap_err().reason;
    assert_eq!(
        object,
        "must be a JSON object with the fields `food_id`, `name`, `note`, `count`, `tags`: expected a name \
         in double quotes at column 2"
    );
}

#[test]
fn a_value_written_as_text_is_read_back() {
    let field = ParameterType::Field;
    for (kind, value) in [
        (field(TEXT), "\"12\""),
        (field(INT), "12"),
        (field(FieldType::Bool), "true"),
        (field(list(TEXT)), "[\"a\",\"b\"]"),
        (field(list(TEXT)), "[\"a, b\"]"),
        (field(set(INT)), "[1,2]"),
        (field(food()), "{\"name\":\"a\"}"),
        (field(ANY), "\"a\""),
        (ParameterType::Prefix, "\"a\""),
        (ParameterType::Keys(vec![("id".to_owned(), TEXT)]), "[{\"id\":\"1\"}]"),
    ] {
        let value = json(value);
        assert_eq!(from_text(&kind, &to_text(&kind, &value)).unwrap(), value);
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::from),
        ".{0,6}".prop_map(Json::Text),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
            prop::collection::btree_map("[a-c]{1,3}", inner, 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_comes_back_as_it_was(value in any_json()) {
        prop_assert_eq!(back(&to_attribute(&ANY, &value).unwrap()), value);
    }

    #[test]
    fn what_a_field_stores_it_takes_again(value in any_json(), which in 0_usize..9) {
        let kinds = [
            TEXT, NUMBER, FieldType::Bool, FieldType::Time, FieldType::Binary { max: None },
            list(TEXT), set(NUMBER), FieldType::Map { of: Box::new(ANY), max: None }, food(),
        ];
        let kind = &kinds[which];
        if let Ok(stored) = to_attribute(kind, &value) {
            prop_assert_eq!(to_attribute(kind, &back(&stored)), Ok(stored));
        }
    }

    #[test]
    fn stored_times_sort_like_the_instants(a in 0_u64..253_402_300_800_000, b in 0_u64..253_402_300_800_000) {
        prop_assert_eq!(time_of_ms(a).cmp(&time_of_ms(b)), a.cmp(&b));
        prop_assert_eq!(normal_time(&time_of_ms(a)), Ok(time_of_ms(a)));
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,30}") {
        for kind in [TEXT, INT, FieldType::Date, FieldType::Time, list(INT), set(TEXT), food(), ANY] {
            if let Ok(value) = from_text(&ParameterType::Field(kind.clone()), &text) {
                let _ = to_attribute(&kind, &value);
            }
        }
    }
}

const CUTS: [Format; 6] =
    [Format::Minute, Format::Hour, Format::Day, Format::Week, Format::Month, Format::Year];

proptest! {
    /// The buckets of a format follow each other without a gap, and a template gives all instants of one the same text.
    #[test]
    fn buckets_follow_each_other_and_have_one_text(second in -62_135_596_800_i64..253_402_300_800, cut in 0_usize..6) {
        let format = CUTS[cut];
        let bucket = Bucket::of(AttributeValue::N(second.into()).as_scalar().unwrap(), format).unwrap();
        let text = |second: i64| {
            let template = Template { source: String::new(), parts: vec![Part::Field { path: "at".to_owned(), format }] };
            let item: Item = [("at", AttributeValue::N(second.into()))].into_iter().collect();
            template.render('#', &item).unwrap()
        };
        prop_assert!(bucket.second() <= second);
        prop_assert_eq!(text(bucket.second()), text(second));
        prop_assert_eq!(Bucket::beginning_at(bucket.second(), format), Some(bucket));
        prop_assert_eq!(Bucket::of_ms(0, format).map(Bucket::second).is_some(), true);
        if let Some(next) = bucket.next() {
            prop_assert!(second < next.second());
            prop_assert_eq!(text(next.second() - 1), text(second));
            prop_assert_ne!(text(next.second()), text(second));
            prop_assert_eq!(next.previous(), Some(bucket));
        }
    }
}

#[test]
fn periods_that_do_not_nest_are_no_buckets() {
    let format = |formats: &[Format]| bucket_format(formats.iter().copied());
    assert_eq!(format(&[Format::Month, Format::Day]), Some(Format::Day));
    assert_eq!(format(&[Format::Week, Format::Hour]), Some(Format::Hour));
    assert_eq!(format(&[Format::Week, Format::Month]), None);
    assert_eq!(format(&[Format::Week, Format::Week]), Some(Format::Week));
    assert_eq!(format(&[]), None);
}
