//! The JSON shapes of members, and the error texts for JSON of another shape.
//!
//! DynamoDB's front end names the token that it found and the type that it expected. The text also depends on the
//! position of the member. Serde's own messages never reach a client.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::Failure;
use crate::text::{Found, ShapeError};

/// The maximum number of list elements that are kept. It is above the limit of every request, so a longer list fails
/// its length constraint without being held in memory.
const LIST_ELEMENTS_KEPT: usize = 1000;

/// Reads a whole request body, which must be an object. All of it must be UTF-8, including members that the JSON reader
/// skips.
pub(crate) fn body<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Failure> {
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(Failure::Serialization(None));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Failure::Serialization(None))?;
    serde_json::from_str(text).map_err(serialization_failure)
}

/// Serde's JSON reader appends the position to every message. DynamoDB doesn't report it.
fn serialization_failure(error: serde_json::Error) -> Failure {
    if !error.is_data() {
        return Failure::Serialization(None);
    }
    let position = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    Failure::Serialization(Some(text.strip_suffix(&position).unwrap_or(&text).to_owned()))
}

/// The treatment of each JSON token. Methods that aren't overridden reject the token.
pub(super) trait Shape<'de>: Sized {
    type Value;

    /// The text for an unexpected token.
    fn refusal(&self, found: Found) -> ShapeError;

    fn text(self, _text: Cow<'de, str>) -> Result<Self::Value, ShapeError> {
        Err(self.refusal(Found::Text))
    }

    fn flag(self, flag: bool) -> Result<Self::Value, ShapeError> {
        Err(self.refusal(if flag { Found::True } else { Found::False }))
    }

    fn integer(self, _number: i64) -> Result<Self::Value, ShapeError> {
        Err(self.refusal(Found::Integer))
    }

    fn decimal(self, _number: f64) -> Result<Self::Value, ShapeError> {
        Err(self.refusal(Found::Decimal))
    }

    fn null(self) -> Result<Self::Value, ShapeError> {
        Err(self.refusal(Found::Null))
    }

    fn list<A: SeqAccess<'de>>(self, _list: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(self.refusal(Found::List)))
    }

    fn map<A: MapAccess<'de>>(self, _map: A) -> Result<Self::Value, A::Error> {
        Err(A::Error::custom(self.refusal(Found::Map)))
    }
}

/// Connects a [`Shape`] to serde.
pub(super) struct ReadAs<S>(pub(super) S);

impl<'de, S: Shape<'de>> DeserializeSeed<'de> for ReadAs<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, S: Shape<'de>> Visitor<'de> for ReadAs<S> {
    type Value = S::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("another shape")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<S::Value, E> {
        self.0.flag(flag).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<S::Value, E> {
        self.0.integer(number).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<S::Value, E> {
        self.0.integer(i64::try_from(number).unwrap_or(i64::MAX)).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<S::Value, E> {
        self.0.decimal(number).map_err(E::custom)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<S::Value, E> {
        self.0.text(Cow::Borrowed(text)).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<S::Value, E> {
        self.0.text(Cow::Owned(text.to_owned())).map_err(E::custom)
    }

    fn visit_unit<E: Error>(self) -> Result<S::Value, E> {
        self.0.null().map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<S::Value, A::Error> {
        self.0.list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<S::Value, A::Error> {
        self.0.map(map)
    }
}

/// Appends an element. The first one gets no spare room: a request with many lists of one element would take four
/// times the memory.
pub(super) fn push<T>(elements: &mut Vec<T>, element: T) {
    if elements.capacity() == 0 {
        elements.reserve_exact(1);
    }
    elements.push(element);
}

/// A string member, borrowed from the request unless it has escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

struct TextShape;

impl<'de> Shape<'de> for TextShape {
    type Value = Text<'de>;

    fn refusal(&self, found: Found) -> ShapeError {
        ShapeError::scalar(found, "String")
    }

    fn text(self, text: Cow<'de, str>) -> Result<Text<'de>, ShapeError> {
        Ok(Text(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(TextShape).deserialize(deserializer)
    }
}

impl Text<'_> {
    /// The string.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The string, owned.
    pub(crate) fn into_string(self) -> String {
        self.0.into_owned()
    }
}

/// A boolean member. Some strings count as booleans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flag(pub(crate) bool);

struct FlagShape;

impl<'de> Shape<'de> for FlagShape {
    type Value = Flag;

    fn refusal(&self, found: Found) -> ShapeError {
        ShapeError::scalar(found, "Boolean")
    }

    fn flag(self, flag: bool) -> Result<Flag, ShapeError> {
        Ok(Flag(flag))
    }

    fn text(self, text: Cow<'de, str>) -> Result<Flag, ShapeError> {
        let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        if is(["true", "yes", "1"]) {
            Ok(Flag(true))
        } else if is(["false", "no", "0"]) {
            Ok(Flag(false))
        } else {
            Err(ShapeError::UnexpectedToken)
        }
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(FlagShape).deserialize(deserializer)
    }
}

/// An integer, 32 bits wide in DynamoDB unless `LONG`. Decimals are truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole<const LONG: bool>(pub(crate) i64);

struct WholeShape<const LONG: bool>;

impl<'de, const LONG: bool> Shape<'de> for WholeShape<LONG> {
    type Value = Whole<LONG>;

    fn refusal(&self, found: Found) -> ShapeError {
        ShapeError::scalar(found, if LONG { "Long" } else { "Integer" })
    }

    fn integer(self, number: i64) -> Result<Self::Value, ShapeError> {
        Ok(Whole(number))
    }

    fn decimal(self, number: f64) -> Result<Self::Value, ShapeError> {
        Ok(Whole(number as i64))
    }
}

impl<'de, const LONG: bool> Deserialize<'de> for Whole<LONG> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(WholeShape).deserialize(deserializer)
    }
}

/// A point in time: seconds since 1970, with or without a fraction. It is kept in milliseconds. Times before 1970
/// become 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp(pub(crate) u64);

struct TimestampShape;

impl<'de> Shape<'de> for TimestampShape {
    type Value = Timestamp;

    fn refusal(&self, found: Found) -> ShapeError {
        ShapeError::scalar(found, "Date")
    }

    fn integer(self, number: i64) -> Result<Self::Value, ShapeError> {
        Ok(Timestamp(u64::try_from(number).unwrap_or(0).saturating_mul(1000)))
    }

    fn decimal(self, number: f64) -> Result<Self::Value, ShapeError> {
        // A number out of range becomes the nearest one in range.
        Ok(Timestamp((number * 1000.0).round() as u64))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(TimestampShape).deserialize(deserializer)
    }
}

/// A list member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

struct ListShape<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Shape<'de> for ListShape<T> {
    type Value = List<T>;

    fn refusal(&self, found: Found) -> ShapeError {
        match found {
            Found::Map => ShapeError::UnexpectedMap,
            _ => ShapeError::UnexpectedField,
        }
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<List<T>, A::Error> {
        let mut kept = Vec::new();
        while kept.len() < LIST_ELEMENTS_KEPT {
            match list.next_element()? {
                Some(element) => push(&mut kept, element),
                None => return Ok(List(kept)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(List(kept))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(ListShape(PhantomData)).deserialize(deserializer)
    }
}

/// The name of a map's values in the text for a list in place of the map.
pub(crate) trait MapValue {
    /// The Java type's name.
    const NAME: &'static str;
}

impl MapValue for Text<'_> {
    const NAME: &'static str = "java.lang.String";
}

impl<T: Structure> MapValue for Element<T> {
    const NAME: &'static str = T::NAME;
}

/// A map member. If a name appears twice, the last value wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Map<T>(pub(crate) BTreeMap<String, T>);

struct MapShape<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + MapValue> Shape<'de> for MapShape<T> {
    type Value = Map<T>;

    fn refusal(&self, found: Found) -> ShapeError {
        match found {
            Found::List => ShapeError::ListForMap(T::NAME),
            _ => ShapeError::UnexpectedField,
        }
    }

    fn map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<T>, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((name, value)) = map.next_entry()? {
            entries.insert(name, value);
        }
        Ok(Map(entries))
    }
}

impl<'de, T: Deserialize<'de> + MapValue> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(MapShape(PhantomData)).deserialize(deserializer)
    }
}

/// A structure of the service model.
pub(crate) trait Structure {
    /// Its name in the model.
    const NAME: &'static str;
}

/// The position of a structure, which decides the text for a scalar in its place.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// A member of another structure.
    Field,
    /// An element of a list or map.
    Element,
}

impl Place {
    /// The text for a token in place of the structure `name`.
    pub(super) fn refusal(self, found: Found, name: &'static str) -> ShapeError {
        match (found, self) {
            (Found::List, _) => ShapeError::ListForStructure(name),
            (_, Place::Field) => ShapeError::UnexpectedField,
            (_, Place::Element) => ShapeError::UnexpectedValue,
        }
    }
}

/// A structure as a member of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field<T>(pub(crate) T);

/// A structure as an element of a list or map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element<T>(pub(crate) T);

struct StructureShape<T>(Place, PhantomData<T>);

impl<'de, T: Deserialize<'de> + Structure> Shape<'de> for StructureShape<T> {
    type Value = T;

    fn refusal(&self, found: Found) -> ShapeError {
        self.0.refusal(found, T::NAME)
    }

    fn map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

impl<'de, T: Deserialize<'de> + Structure> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(StructureShape(Place::Field, PhantomData)).deserialize(deserializer).map(Field)
    }
}

impl<'de, T: Deserialize<'de> + Structure> Deserialize<'de> for Element<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(StructureShape(Place::Element, PhantomData)).deserialize(deserializer).map(Element)
    }
}
