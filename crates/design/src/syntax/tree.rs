//! A TOML file as a tree in which every key and value knows its place.

use singlet_values::Number;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::json::Json;
use crate::report::Span;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Where it stands: of a table with a header, the header.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) value: Value,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// A text.
    Text(String),
    /// A number that DynamoDB can hold.
    Number(Number),
    /// `true`, `false`
    Bool(bool),
    /// A date or time that is written without quotes, as its text.
    Date(String),
    /// A number that DynamoDB can't hold: infinite, or with more than 38 digits.
    OddNumber,
    /// `[…]`
    List(Vec<Node>),
    /// `{…}`, or what stands under a header.
    Table(Vec<Entry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// The key.
    pub(crate) name: String,
    /// Where the key stands.
    pub(crate) span: Span,
    /// Its value.
    pub(crate) node: Node,
}

impl Node {
    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self.value {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<&Number> {
        match &self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The whole number, if it is one that fits.
    pub(crate) fn whole(&self) -> Option<u64> {
        self.number()?.to_i64()?.try_into().ok()
    }

    /// The elements, if it is a list.
    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// The entries, if it is a table.
    pub(crate) fn table(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key, if it is a table that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|entry| &entry.node)
    }

    /// The key with its value, if it is a table that has it.
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.table()?.iter().find(|entry| entry.name == name)
    }

    /// The entries of the table under a key; none if it isn't there.
    pub(crate) fn entries(&self, name: &str) -> &[Entry] {
        self.get(name).and_then(Node::table).unwrap_or_default()
    }

    /// The text under a key, if there is one.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Node::text)
    }

    /// The same value as JSON, for constants.
    pub(crate) fn json(&self) -> Json {
        match &self.value {
            Value::Text(text) | Value::Date(text) => Json::Text(text.clone()),
            Value::Number(number) => Json::Number(*number),
            Value::Bool(truth) => Json::Bool(*truth),
            Value::OddNumber => Json::Null,
            Value::List(elements) => Json::List(elements.iter().map(Node::json).collect()),
            Value::Table(entries) => {
                Json::Object(entries.iter().map(|entry| (entry.name.clone(), entry.node.json())).collect())
            }
        }
    }

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a text",
            Value::Number(_) | Value::OddNumber => "a number",
            Value::Bool(_) => "true or false",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// The tree of a parsed document.
pub(super) fn root(document: &Spanned<DeTable<'_>>) -> Node {
    Node { span: document.span().into(), value: table(document.get_ref()) }
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let span = value.span().into();
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) if integer.radix() == 10 => number(integer.as_str()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or(Value::OddNumber, |integer| Value::Number(integer.into())),
        DeValue::Float(float) => number(float.as_str()),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(elements) => Value::List(elements.iter().map(node).collect()),
        DeValue::Table(entries) => table(entries),
    };
    Node { span, value }
}

fn number(text: &str) -> Value {
    text.parse().map_or(Value::OddNumber, Value::Number)
}

/// The entries in the order of the file: a header that comes after one of its parts takes its own place.
fn table(entries: &DeTable<'_>) -> Value {
    let mut entries: Vec<Entry> = entries
        .iter()
        .map(|(key, value)| Entry { name: key.to_string(), span: key.span().into(), node: node(value) })
        .collect();
    entries.sort_by_key(|entry| entry.span.start);
    Value::Table(entries)
}
