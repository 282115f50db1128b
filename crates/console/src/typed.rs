//! Items as DynamoDB writes them in JSON: each value is an object with its type.

use std::collections::BTreeSet;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_design::Json;
use singlet_values::{AttributeValue, Item, Number};

/// The deepest nesting of values.
const DEPTH_MAX: usize = 32;

/// An item as JSON.
pub(crate) fn write(item: &Item) -> Json {
    Json::Object(item.iter().map(|(name, value)| (name.to_owned(), value_json(value))).collect())
}

fn value_json(value: &AttributeValue) -> Json {
    let list = |elements: Vec<Json>| Json::List(elements);
    let content = match value {
        AttributeValue::S(text) => Json::from(text.as_str()),
        AttributeValue::N(number) => Json::Text(number.to_string()),
        AttributeValue::B(bytes) => Json::Text(STANDARD.encode(bytes)),
        AttributeValue::Bool(truth) => Json::Bool(*truth),
        AttributeValue::Null => Json::Bool(true),
        AttributeValue::M(members) => write(members),
        AttributeValue::L(elements) => list(elements.iter().map(value_json).collect()),
        AttributeValue::Ss(set) => list(set.iter().map(|text| Json::from(text.as_str())).collect()),
        AttributeValue::Ns(set) => list(set.iter().map(|number| Json::Text(number.to_string())).collect()),
        AttributeValue::Bs(set) => list(set.iter().map(|bytes| Json::Text(STANDARD.encode(bytes))).collect()),
    };
    Json::Object(vec![(value.kind().code().to_owned(), content)])
}

/// The item of a text, or why it isn't one.
pub(crate) fn read(text: &str) -> Result<Item, String> {
    let json: Json = text
        .parse()
        .map_err(|error: singlet_design::JsonError| format!("{} at {}", error.reason, error.place(text)))?;
    members(&json, "the item", DEPTH_MAX)
}

fn members(json: &Json, place: &str, depth: usize) -> Result<Item, String> {
    let members = json.as_object().ok_or_else(|| format!("{place} must be an object"))?;
    let mut item = Item::with_capacity(members.len());
    for (name, value) in members {
        item.insert(name.as_str(), value_of(value, &format!("`{name}`"), depth)?);
    }
    Ok(item)
}

fn value_of(json: &Json, place: &str, depth: usize) -> Result<AttributeValue, String> {
    let depth = depth.checked_sub(1).ok_or_else(|| format!("{place} is nested too deeply"))?;
    let wrong = || format!("{place} must be an object with one type, such as {{\"S\": \"text\"}}");
    let [(kind, content)] = json.as_object().ok_or_else(wrong)? else { return Err(wrong()) };
    let unfit = || format!("{place} isn't a value of the type {kind}");
    let text = |json: &Json| json.as_text().map(str::to_owned).ok_or_else(unfit);
    let number = |json: &Json| Number::from_str(&text(json)?).map_err(|error| format!("{place}: {error}"));
    let bytes = |json: &Json| STANDARD.decode(text(json)?).map_err(|_| format!("{place} isn't base64"));
    let elements = || content.as_list().ok_or_else(unfit);
    Ok(match kind.as_str() {
        "S" => AttributeValue::S(text(content)?),
        "N" => AttributeValue::N(number(content)?),
        "B" => AttributeValue::B(bytes(content)?),
        "BOOL" => AttributeValue::Bool(content.as_bool().ok_or_else(unfit)?),
        "NULL" if content.as_bool() == Some(true) => AttributeValue::Null,
        "M" => AttributeValue::M(members(content, place, depth)?),
        "L" => {
            let elements = elements()?.iter().map(|element| value_of(element, place, depth));
            AttributeValue::L(elements.collect::<Result<_, _>>()?)
        }
        "SS" => AttributeValue::Ss(set(elements()?.iter().map(text), place)?),
        "NS" => AttributeValue::Ns(set(elements()?.iter().map(number), place)?),
        "BS" => AttributeValue::Bs(set(elements()?.iter().map(bytes), place)?),
        "NULL" => return Err(unfit()),
        _ => return Err(format!("{place}: there is no type `{kind}`")),
    })
}

fn set<T: Ord>(
    elements: impl Iterator<Item = Result<T, String>>,
    place: &str,
) -> Result<BTreeSet<T>, String> {
    let set: BTreeSet<T> = elements.collect::<Result<_, _>>()?;
    if set.is_empty() { Err(format!("{place} can't be an empty set")) } else { Ok(set) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_written_and_read_back() {
        let text = r#"{"b":{"B":"AP8="},"bs":{"BS":["AA=="]},"f":{"BOOL":false},"l":{"L":[{"NULL":true},{"M":{"x":{"N":"1.5"}}}]},"n":{"N":"-12345678901234567890.5"},"ns":{"NS":["1","2"]},"s":{"S":"a\u0000\u202e<b>"},"ss":{"SS":["x","y"]}}"#;
        let item = read(text).expect("an item");
        assert_eq!(item.len(), 8);
        assert_eq!(read(&write(&item).to_string()), Ok(item));
    }

    #[test]
    fn a_wrong_text_is_refused_with_its_place() {
        for (text, part) in [
            ("{", "at "),
            ("[]", "the item must be an object"),
            (r#"{"a": 1}"#, "`a` must be an object with one type"),
            (r#"{"a": {"S": 1}}"#, "`a` isn't a value of the type S"),
            (r#"{"a": {"Q": "x"}}"#, "there is no type `Q`"),
            (r#"{"a": {"N": "one"}}"#, "`a`"),
            (r#"{"a": {"SS": []}}"#, "empty set"),
            (r#"{"a": {"B": "?"}}"#, "base64"),
        ] {
            let refused = read(text).expect_err(text);
            assert!(refused.contains(part), "{text}: {refused}");
        }
        let deep = format!("{}{{\"S\":\"x\"}}{}", r#"{"L":["#.repeat(40), "]}".repeat(40));
        assert!(read(&format!("{{\"a\":{deep}}}")).expect_err("deep").contains("deep"));
    }
}
