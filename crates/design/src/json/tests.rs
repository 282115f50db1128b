use super::*;

fn read(text: &str) -> Json {
    text.parse().unwrap()
}

#[test]
fn every_kind_of_value_is_read_and_written_back() {
    let text = r#"{"name":"Phở \"bò\"\n","price":12.50,"tags":["a",null,true],"empty":{},"none":[]}"#;
    assert_eq!(read(text).to_string(), text.replace("12.50", "12.5"));
    assert_eq!(read("\"\\u0110\\ud83c\\udf5c\\/\""), Json::from("Đ🍜/"));
}

#[test]
fn numbers_keep_38_digits() {
    let digits = "12345678901234567890123456789012345678";
    assert_eq!(read(digits).to_string(), digits);
    assert!("123456789012345678901234567890123456789".parse::<Json>().is_err());
}

#[test]
fn people_get_lines() {
    let value = read(r#"{"a":[1,{"b":null}],"c":{}}"#);
    assert_eq!(
        format!("{value:#}"),
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {}\n}"
    );
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    for (text, at) in [
        ("", 0),
        ("{", 1),
        ("[1,]", 3),
        ("{\"a\" 1}", 5),
        ("{\"a\":1,\"a\":2}", 7),
        ("01", 0),
        ("+1", 0),
        (".5", 0),
        ("1.", 0),
        ("\"a", 2),
        ("\"\\x\"", 2),
        ("\"\\ud800\"", 7),
        ("\"\n\"", 1),
        ("nul", 0),
        ("1 2", 2),
    ] {
        assert_eq!(text.parse::<Json>().unwrap_err().at, at, "{text:?}");
    }
    assert!("[".repeat(100_000).parse::<Json>().is_err());
}

#[test]
fn a_name_that_appears_twice_is_found_in_objects_of_every_size() {
    for count in [1, 2, 15, 16, 17, 18, 100] {
        let members: Vec<String> = (0..count).map(|number| format!("\"m{number}\":{number}")).collect();
        let once = format!("{{{}}}", members.join(","));
        assert_eq!(once.parse::<Json>().unwrap().as_object().unwrap().len(), count, "{count}");
        for again in [0, count / 2, count - 1] {
            let twice = format!("{{{},\"m{again}\":1}}", members.join(","));
            let error = twice.parse::<Json>().unwrap_err();
            assert_eq!(error.reason, "a name appears twice in an object", "{count} {again}");
            assert_eq!(error.at, once.len(), "{count} {again}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*") {
        let _ = text.parse::<Json>();
    }

    #[test]
    fn any_text_value_survives(text in ".*") {
        let json = Json::Text(text);
        proptest::prop_assert_eq!(json.to_string().parse::<Json>().unwrap(), json);
    }
}
