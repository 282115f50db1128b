//! A TOML file as a tree in which every key and value has its position.

use singlet_values::Number;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::json::Json;
use crate::report::Span;

/// A value and its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Its position; for a table with a header, that of the header.
    pub(crate) span: Span,
    /// The value.
    pub(crate) value: Value,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// A string.
    Text(String),
    /// A number that DynamoDB can hold.
    Number(Number),
    /// `true`, `false`
    Bool(bool),
    /// A date or time without quotes, as its text.
    Date(String),
    /// A number that DynamoDB can't hold: infinite, or with more than 38 digits.
    OddNumber,
    /// `[…]`
    List(Vec<Node>),
    /// `{…}`, or a section with a header.
    Table(Vec<Entry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// The key.
    pub(crate) name: String,
    /// The position of the key.
    pub(crate) span: Span,
    /// Its value.
    pub(crate) node: Node,
}

impl Node {
    /// Returns the text of a string.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a boolean.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self.value {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// Returns the value of a number.
    pub(crate) fn number(&self) -> Option<&Number> {
        match &self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the value of a non-negative integer that fits.
    pub(crate) fn whole(&self) -> Option<u64> {
        self.number()?.to_i64()?.try_into().ok()
    }

    /// Returns the elements of a list.
    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns the entries of a table.
    pub(crate) fn table(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the value of a key of a table.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|entry| &entry.node)
    }

    /// Returns a key of a table with its value.
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.table()?.iter().find(|entry| entry.name == name)
    }

    /// Returns the entries of the table under a key; empty if the key is missing.
    pub(crate) fn entries(&self, name: &str) -> &[Entry] {
        self.get(name).and_then(Node::table).unwrap_or_default()
    }

    /// Returns the string under a key of a table.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Node::text)
    }

    /// Returns the value as JSON.
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

    /// Names the kind of value, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a string",
            Value::Number(_) | Value::OddNumber => "a number",
            Value::Bool(_) => "a boolean",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// Builds the tree of a parsed document.
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

/// Returns the entries in the order of the file. The parser may give them in another order: `[a.b]` can precede `[a]`.
fn table(entries: &DeTable<'_>) -> Value {
    let mut entries: Vec<Entry> = entries
        .iter()
        .map(|(key, value)| Entry { name: key.to_string(), span: key.span().into(), node: node(value) })
        .collect();
    entries.sort_by_key(|entry| entry.span.start);
    Value::Table(entries)
}
