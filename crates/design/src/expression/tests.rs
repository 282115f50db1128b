use super::*;

const TIME: FieldType = FieldType::Time;
const NUMBER: FieldType = FieldType::Number { min: None, max: None };
const TEXT: FieldType = FieldType::Text { min: None, max: None };

/// Parses and checks a value, and returns its names with their types.
fn typed(text: &str, kind: &FieldType) -> Result<Vec<(String, &'static str)>, String> {
    let mut composed = Composed::parse(text).map_err(|error| error.message)?;
    composed.check(kind, &|_| None).map_err(|error| error.message)?;
    let names = composed.names().into_iter();
    Ok(names.map(|name| (name.to_string(), name.kind.as_ref().unwrap().word())).collect())
}

fn printed(text: &str) -> String {
    Composed::parse(text).unwrap().whole().unwrap().to_string()
}

#[test]
fn operators_bind_as_in_arithmetic() {
    assert_eq!(printed("{a - b - c * -2}"), "a - b - c * -2");
    assert_eq!(printed("{a - (b - c) * -d}"), "a - (b - c) * -d");
    assert_eq!(printed("{(a + 1) * (b - 2)}"), "(a + 1) * (b - 2)");
    assert_eq!(printed("{ now-1 }".replace('-', " - ").as_str()), "now - 1");
    assert_eq!(printed("{a-b.c}"), "a-b.c", "a hyphen is part of a name");
}

#[test]
fn durations_are_numbers_with_a_unit() {
    for text in ["30s", "30 s", "30 seconds", "0.5minutes", "0.5 minutes", "30000ms"] {
        let composed = Composed::parse(&format!("{{{text}}}")).unwrap();
        let Some(Expression::Duration(period)) = composed.whole() else { panic!("{text}") };
        assert_eq!(period.milliseconds, 30_000.into(), "{text}");
    }
    assert!(Composed::parse("{0.0001s}").is_err());
    let error = Composed::parse("{now + 3 dys}").unwrap_err();
    assert_eq!(error.message, "`dys` isn't a unit of time");
    let error = Composed::parse("{now + 3dys}").unwrap_err();
    assert!(error.help.unwrap().starts_with("did you mean `days`? the units are `ms`, "));
}

#[test]
fn names_get_the_type_that_their_place_needs() {
    let names = |text: &str, kind: &FieldType| typed(text, kind).unwrap();
    assert_eq!(names("{start + n * 1s}", &TIME), [("start".into(), "time"), ("n".into(), "number")]);
    assert_eq!(names("{1 day + start}", &TIME), [("start".into(), "time")]);
    assert_eq!(
        names("{a * b}", &FieldType::Int { min: None, max: None }),
        [("a".into(), "int"), ("b".into(), "int")]
    );
    assert_eq!(names("{name:lower}-{count:03}-{at:day}", &TEXT).len(), 3);
    assert_eq!(names("{now + 30s}", &FieldType::Epoch), []);
}

#[test]
fn a_value_that_cannot_fit_is_refused() {
    assert_eq!(
        typed("{now + n}", &TIME).unwrap_err(),
        "`n` can't be added to a time, because it has no unit"
    );
    assert_eq!(typed("{now + 30}", &TIME).unwrap_err(), "`30` is a number, but a duration is needed");
    assert_eq!(typed("{30s}", &TIME).unwrap_err(), "`30s` is a duration, but a time is needed");
    assert_eq!(typed("{now + 30s}", &NUMBER).unwrap_err(), "`now` is a time, but a number is needed");
    assert_eq!(typed("{now - now}", &TIME).unwrap_err(), "`now` is a time, but a duration is needed");
    assert_eq!(
        typed("{a + 1}", &FieldType::Bool).unwrap_err(),
        "`a + 1` is a number, which doesn't fit the type `bool`"
    );
    assert_eq!(
        typed("x{a}", &NUMBER).unwrap_err(),
        "this value is a string, which doesn't fit the type `number`"
    );
    assert_eq!(typed("{now-1}", &TIME).unwrap_err(), "`now-1` isn't a name");
    assert_eq!(typed("{a / 2}", &NUMBER).unwrap_err(), "there is no division");
    assert_eq!(typed("{(a}", &NUMBER).unwrap_err(), "expected a closing parenthesis");
    assert_eq!(typed("{}", &NUMBER).unwrap_err(), "there is nothing between the braces");
}
