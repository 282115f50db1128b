//! Values of key attributes as text in addresses: `S:USER#1`, `N:12`, `B:AA==`.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_design::Json;
use singlet_values::{AttributeValue, Item, Number, ValueRef};

/// The text of a value; `None` if it can't be part of a key.
pub(crate) fn write(value: ValueRef<'_>) -> Option<String> {
    Some(match value {
        ValueRef::S(text) => format!("S:{text}"),
        ValueRef::N(number) => format!("N:{number}"),
        ValueRef::B(bytes) => format!("B:{}", STANDARD.encode(bytes)),
        _ => return None,
    })
}

/// The value of a text.
pub(crate) fn read(text: &str) -> Option<AttributeValue> {
    let (kind, rest) = text.split_once(':')?;
    Some(match kind {
        "S" => AttributeValue::from(rest),
        "N" => AttributeValue::N(Number::from_str(rest).ok()?),
        "B" => AttributeValue::B(STANDARD.decode(rest).ok()?),
        _ => return None,
    })
}

/// A whole key, such as the one at which a page starts, as one text.
pub(crate) fn write_key(key: &Item) -> Option<String> {
    let member = |(name, value): (&str, &AttributeValue)| {
        Some((name.to_owned(), Json::from(write(value.as_scalar()?)?)))
    };
    Some(Json::Object(key.iter().map(member).collect::<Option<_>>()?).to_string())
}

/// The key of a text.
pub(crate) fn read_key(text: &str) -> Option<Item> {
    let json: Json = text.parse().ok()?;
    json.as_object()?.iter().map(|(name, value)| Some((name.clone(), read(value.as_text()?)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_type_survive_an_address() {
        let key = Item::from([
            ("PK", AttributeValue::from("USER#1:\"\0\u{202e}")),
            ("N", "1234567890123456789.5".parse::<Number>().expect("a number").into()),
            ("B", AttributeValue::B(vec![0, 255])),
        ]);
        let text = write_key(&key).expect("a key");
        assert_eq!(read_key(&text), Some(key));
        assert_eq!(read_key("{\"PK\":\"X:1\"}"), None);
    }
}
