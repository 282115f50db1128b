//! Attribute values: from DynamoDB's typed JSON to [`AttributeValue`], without an intermediate tree.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use singlet_values::{AttributeValue, Item, Kind};

use super::shape::{Place, ReadAs, Shape, Structure, Text, push};
use crate::text::{Found, ShapeError, ValueError};

/// The longest name of an attribute.
const NAME_BYTES_MAX: usize = 65_535;

/// Names and values (an item, a key, expression values), and the first value that no item can hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AttributeMap {
    item: Item,
    problem: Option<Box<(String, ValueError)>>,
    /// Whether a value has an empty name. That is reported before any problem with a value.
    nameless: bool,
}

impl AttributeMap {
    /// The values, or the first problem.
    pub(crate) fn checked(self) -> Result<Item, ValueError> {
        match self.problem {
            _ if self.nameless => Err(ValueError::EmptyName),
            Some(problem) => Err(problem.1),
            None => Ok(self.item),
        }
    }

    /// The values that could be read, and the first problem with its name.
    pub(crate) fn into_parts(self) -> (Item, Option<Box<(String, ValueError)>>) {
        (self.item, self.problem)
    }
}

impl Structure for AttributeValue {
    const NAME: &'static str = "AttributeValue";
}

/// A single value, or the reason why no item can hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SingleValue<const FIELD: bool> {
    value: AttributeValue,
    problem: Option<ValueError>,
}

impl<const FIELD: bool> SingleValue<FIELD> {
    /// The value, or its problem.
    pub(crate) fn checked(self) -> Result<AttributeValue, ValueError> {
        match self.problem {
            Some(problem) => Err(problem),
            None => Ok(self.value),
        }
    }
}

impl<'de, const FIELD: bool> Deserialize<'de> for SingleValue<FIELD> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut problem = None;
        let place = if FIELD { Place::Field } else { Place::Element };
        let value = ReadAs(Value { problem: &mut problem, depth: 0, place }).deserialize(deserializer)?;
        Ok(SingleValue { value, problem })
    }
}

impl<'de> Deserialize<'de> for AttributeMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut problem = None;
        let read = ReadAs(Values { problem: &mut problem, depth: 0 }).deserialize(deserializer)?;
        let problem = problem.map(|error| Box::new((read.at.unwrap_or_default(), error)));
        Ok(AttributeMap { item: read.item, problem, nameless: read.nameless })
    }
}

/// Keeps the first problem.
fn remember(problem: &mut Option<ValueError>, error: ValueError) {
    problem.get_or_insert(error);
}

/// A map of values at some depth.
struct Values<'p> {
    problem: &'p mut Option<ValueError>,
    depth: usize,
}

/// The part of a map of values that has been read.
#[derive(Default)]
struct ReadValues {
    item: Item,
    /// The name under which the first problem was found.
    at: Option<String>,
    nameless: bool,
}

impl<'de> Shape<'de> for Values<'_> {
    type Value = ReadValues;

    fn refusal(&self, found: Found) -> ShapeError {
        match found {
            Found::List => ShapeError::ListForMap(AttributeValue::NAME),
            _ => ShapeError::UnexpectedField,
        }
    }

    fn map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReadValues, A::Error> {
        let mut read = ReadValues::default();
        let mut entries = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            read.nameless |= name.is_empty();
            if self.problem.is_some() {
                // The request will be rejected, so no more values are read.
                map.next_value::<IgnoredAny>()?;
                // Names of placeholders are checked before their values.
                if self.depth == 0 {
                    push(&mut entries, (name, AttributeValue::Null));
                }
                continue;
            }
            let value = Value { problem: self.problem, depth: self.depth, place: Place::Element };
            let value = map.next_value_seed(ReadAs(value))?;
            if name.len() > NAME_BYTES_MAX {
                remember(self.problem, ValueError::NameTooLong);
            }
            if self.problem.is_some() {
                read.at = Some(name.clone());
            }
            push(&mut entries, (name, value));
        }
        read.item = item_of(entries);
        Ok(read)
    }
}

/// The item with these values. They are sorted in one step, because inserting many unsorted names one by one takes
/// quadratic time. The last value of a name wins.
fn item_of(mut entries: Vec<(String, AttributeValue)>) -> Item {
    if !entries.is_sorted_by(|one, other| one.0 < other.0) {
        entries.sort_by(|one, other| one.0.cmp(&other.0));
    }
    entries.into_iter().collect()
}

/// The elements of a list value.
struct Elements<'p> {
    problem: &'p mut Option<ValueError>,
    depth: usize,
}

impl<'de> Shape<'de> for Elements<'_> {
    type Value = Vec<AttributeValue>;

    fn refusal(&self, found: Found) -> ShapeError {
        list_refusal(found)
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<AttributeValue>, A::Error> {
        let mut elements = Vec::new();
        loop {
            let value = Value { problem: self.problem, depth: self.depth, place: Place::Element };
            let Some(value) = list.next_element_seed(ReadAs(value))? else {
                return Ok(elements);
            };
            if self.problem.is_some() {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(elements);
            }
            push(&mut elements, value);
        }
    }
}

fn list_refusal(found: Found) -> ShapeError {
    match found {
        Found::Map => ShapeError::UnexpectedMap,
        _ => ShapeError::UnexpectedField,
    }
}

/// One value at some depth.
struct Value<'p> {
    problem: &'p mut Option<ValueError>,
    depth: usize,
    place: Place,
}

impl<'de> Shape<'de> for Value<'_> {
    type Value = AttributeValue;

    fn refusal(&self, found: Found) -> ShapeError {
        self.place.refusal(found, AttributeValue::NAME)
    }

    fn null(self) -> Result<AttributeValue, ShapeError> {
        remember(self.problem, ValueError::Empty);
        Ok(AttributeValue::Null)
    }

    fn map<A: MapAccess<'de>>(self, mut map: A) -> Result<AttributeValue, A::Error> {
        let mut value = None;
        while let Some(Datatype(kind)) = map.next_key()? {
            let Some(kind) = kind else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let Some(read) = read_value(&mut map, kind, self.problem, self.depth)? else {
                continue;
            };
            if value.replace(read).is_some() {
                remember(self.problem, ValueError::Several);
            }
        }
        Ok(value.unwrap_or_else(|| {
            remember(self.problem, ValueError::Empty);
            AttributeValue::Null
        }))
    }
}

/// A member name of an attribute value. Other names are ignored.
struct Datatype(Option<Kind>);

impl<'de> Deserialize<'de> for Datatype {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Code;
        impl Visitor<'_> for Code {
            type Value = Datatype;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a datatype")
            }

            fn visit_str<E: Error>(self, code: &str) -> Result<Datatype, E> {
                Ok(Datatype(match code {
                    "S" => Some(Kind::S),
                    "N" => Some(Kind::N),
                    "B" => Some(Kind::B),
                    "BOOL" => Some(Kind::Bool),
                    "NULL" => Some(Kind::Null),
                    "M" => Some(Kind::M),
                    "L" => Some(Kind::L),
                    "SS" => Some(Kind::Ss),
                    "NS" => Some(Kind::Ns),
                    "BS" => Some(Kind::Bs),
                    _ => None,
                }))
            }
        }
        deserializer.deserialize_identifier(Code)
    }
}

/// Reads the content of one datatype; `None` for JSON's null, which counts as missing.
fn read_value<'de, A: MapAccess<'de>>(
    map: &mut A,
    kind: Kind,
    problem: &mut Option<ValueError>,
    depth: usize,
) -> Result<Option<AttributeValue>, A::Error> {
    Ok(match kind {
        Kind::S => map.next_value::<Option<Text>>()?.map(|text| AttributeValue::S(text.into_string())),
        Kind::N => map.next_value::<Option<Text>>()?.map(|text| number(&text, problem)),
        Kind::B => map.next_value::<Option<Blob>>()?.map(|blob| AttributeValue::B(blob.0)),
        Kind::Bool => map.next_value::<Option<super::Flag>>()?.map(|flag| AttributeValue::Bool(flag.0)),
        Kind::Null => map.next_value::<Option<super::Flag>>()?.map(|flag| {
            if !flag.0 {
                remember(problem, ValueError::NotNull);
            }
            AttributeValue::Null
        }),
        Kind::M | Kind::L if depth >= AttributeValue::DEPTH_MAX => {
            // Deeper levels are skipped without recursion, so that no request can exhaust the stack.
            remember(problem, ValueError::TooDeep);
            map.next_value::<IgnoredAny>()?;
            Some(AttributeValue::Null)
        }
        Kind::M => {
            let values = map.next_value_seed(Optional(Values { problem, depth: depth + 1 }))?;
            values.map(|values| {
                if values.nameless {
                    remember(problem, ValueError::EmptyName);
                }
                AttributeValue::M(values.item)
            })
        }
        Kind::L => {
            map.next_value_seed(Optional(Elements { problem, depth: depth + 1 }))?.map(AttributeValue::L)
        }
        Kind::Ss => map.next_value_seed(Optional(Set::<Text>::new()))?.map(|set| string_set(set, problem)),
        Kind::Ns => map.next_value_seed(Optional(Set::<Text>::new()))?.map(|set| number_set(&set, problem)),
        Kind::Bs => map.next_value_seed(Optional(Set::<Blob>::new()))?.map(|set| binary_set(set, problem)),
    })
}

fn number(text: &Text<'_>, problem: &mut Option<ValueError>) -> AttributeValue {
    match text.as_str().parse() {
        Ok(number) => AttributeValue::N(number),
        Err(error) => {
            remember(problem, ValueError::Number { text: text.as_str().to_owned(), error });
            AttributeValue::Null
        }
    }
}

fn string_set(texts: Vec<Text<'_>>, problem: &mut Option<ValueError>) -> AttributeValue {
    if texts.is_empty() {
        remember(problem, ValueError::EmptyStringSet);
    }
    if has_duplicates(&texts, Text::as_str) {
        remember(problem, ValueError::DuplicateStrings(texts.into_iter().map(Text::into_string).collect()));
        return AttributeValue::Null;
    }
    AttributeValue::Ss(texts.into_iter().map(Text::into_string).collect())
}

fn number_set(texts: &[Text<'_>], problem: &mut Option<ValueError>) -> AttributeValue {
    if texts.is_empty() {
        remember(problem, ValueError::EmptyNumberSet);
    }
    let mut set = BTreeSet::new();
    for text in texts {
        if let AttributeValue::N(number) = number(text, problem)
            && !set.insert(number)
        {
            remember(problem, ValueError::DuplicateNumbers);
        }
    }
    AttributeValue::Ns(set)
}

fn binary_set(blobs: Vec<Blob>, problem: &mut Option<ValueError>) -> AttributeValue {
    if blobs.is_empty() {
        remember(problem, ValueError::EmptyBinarySet);
    }
    if has_duplicates(&blobs, |blob| &blob.0) {
        let shown = blobs.iter().map(|blob| STANDARD.encode(&blob.0)).collect();
        remember(problem, ValueError::DuplicateBinaries(shown));
        return AttributeValue::Null;
    }
    AttributeValue::Bs(blobs.into_iter().map(|blob| blob.0).collect())
}

/// Whether two elements are equal. The elements aren't copied and stay in the order of the request, which an error
/// shows.
fn has_duplicates<'a, T, B: Ord + ?Sized + 'a>(elements: &'a [T], content: impl Fn(&'a T) -> &'a B) -> bool {
    let mut sorted: Vec<&B> = elements.iter().map(content).collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
}

/// Binary, in base64.
struct Blob(Vec<u8>);

struct BlobShape;

impl<'de> Shape<'de> for BlobShape {
    type Value = Blob;

    fn refusal(&self, found: Found) -> ShapeError {
        match found {
            Found::List => ShapeError::ListForBinary,
            Found::Map => ShapeError::UnexpectedMap,
            _ => ShapeError::NotBinary,
        }
    }

    fn text(self, text: Cow<'de, str>) -> Result<Blob, ShapeError> {
        if !text.len().is_multiple_of(4) {
            return Err(ShapeError::Base64Length(text.len()));
        }
        STANDARD.decode(text.as_bytes()).map(Blob).map_err(|_| ShapeError::Base64)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadAs(BlobShape).deserialize(deserializer)
    }
}

/// The elements of a set, in the order of the request.
struct Set<T>(PhantomData<T>);

impl<T> Set<T> {
    fn new() -> Self {
        Set(PhantomData)
    }
}

impl<'de, T: Deserialize<'de>> Shape<'de> for Set<T> {
    type Value = Vec<T>;

    fn refusal(&self, found: Found) -> ShapeError {
        list_refusal(found)
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            push(&mut elements, element);
        }
        Ok(elements)
    }
}

/// A shape, or JSON's null.
struct Optional<S>(S);

impl<'de, S: Shape<'de>> DeserializeSeed<'de> for Optional<S> {
    type Value = Option<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, S: Shape<'de>> Visitor<'de> for Optional<S> {
    type Value = Option<S::Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("another shape")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        ReadAs(self.0).deserialize(deserializer).map(Some)
    }
}
