//! JSON with exact numbers, for the parameters and results of patterns.
//!
//! A number keeps all of its 38 digits, and objects keep their order. The JSON library that the protocol uses turns
//! numbers into floats, unless a feature is enabled that changes it for every crate of a program.

mod parse;
mod print;

use singlet_values::Number;

pub use parse::JsonError;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number that DynamoDB can hold.
    Number(Number),
    /// A string.
    Text(String),
    /// `[…]`
    List(Vec<Json>),
    /// `{…}`, in order and without duplicate names.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Returns the text of a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a number.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Json::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the elements of a list.
    pub fn as_list(&self) -> Option<&[Json]> {
        match self {
            Json::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns the members of an object.
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the member of an object with this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// Returns whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// Names the kind of value, for messages: `a string`, `a number`…
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Json::Number(Number::from(number))
    }
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        Json::Number(number)
    }
}

impl<V: Into<Json>> From<Vec<V>> for Json {
    fn from(elements: Vec<V>) -> Self {
        Json::List(elements.into_iter().map(Into::into).collect())
    }
}

impl<N: Into<String>, V: Into<Json>, const COUNT: usize> From<[(N, V); COUNT]> for Json {
    fn from(members: [(N, V); COUNT]) -> Self {
        Json::Object(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests;
