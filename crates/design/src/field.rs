//! The fields of entities and the parameters of patterns: what values they take.

use singlet_values::Number;

use crate::json::Json;
use crate::report::Span;

/// A field of an entity or of a nested object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name, which is the attribute's name.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
    /// What values it takes.
    pub kind: FieldType,
    /// Whether it may be missing.
    pub optional: bool,
    /// The value of a new item that gives none, as JSON.
    pub default: Option<Json>,
    /// Never a parameter by itself: only a pattern that gives it a value writes it.
    pub internal: bool,
    /// Made by Singlet, not given by the caller.
    pub made: Option<Made>,
    /// The entity whose key field this field (or each of its elements) holds.
    pub refers_to: Option<String>,
    /// A write of the reference demands that the item is there.
    pub must_exist: bool,
    /// Where it stands in the file.
    pub span: Span,
}

/// The values that a field takes.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldType {
    /// Text; the bounds are in characters.
    Text {
        /// Fewest characters.
        min: Option<u32>,
        /// Most characters.
        max: Option<u32>,
    },
    /// One of these texts.
    Choice(Vec<String>),
    /// A whole number.
    Int {
        /// Least.
        min: Option<Number>,
        /// Most.
        max: Option<Number>,
    },
    /// A number of up to 38 digits.
    Number {
        /// Least.
        min: Option<Number>,
        /// Most.
        max: Option<Number>,
    },
    /// True or false.
    Bool,
    /// Bytes; base64 in JSON.
    Binary {
        /// Most bytes.
        max: Option<u32>,
    },
    /// A day: `2025-01-20`.
    Date,
    /// An instant: stored in UTC with milliseconds, `2025-01-20T15:30:00.000Z`, so that text order is time order.
    Time,
    /// An instant as a number of seconds since 1970, as time-to-live wants it.
    Epoch,
    /// An identifier: UUID, ULID or any short text without the key separator.
    Id,
    /// A list.
    List {
        /// What its elements are.
        of: Box<FieldType>,
        /// Most elements.
        max: Option<u32>,
        /// The field that identifies an element, if the elements are objects that are changed one by one.
        key: Option<String>,
    },
    /// A set of texts, numbers or binaries.
    Set {
        /// What its elements are: `Text`, `Choice`, `Id`, `Int`, `Number` or `Binary`.
        of: Box<FieldType>,
        /// Most elements.
        max: Option<u32>,
    },
    /// Values of one type under names that the data chooses.
    Map {
        /// What its values are.
        of: Box<FieldType>,
        /// Most entries.
        max: Option<u32>,
    },
    /// An object with fields of its own.
    Object(Vec<Field>),
    /// Any JSON.
    Any {
        /// Most bytes, as DynamoDB counts them.
        max_bytes: Option<u32>,
    },
}

/// What Singlet makes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// A UUID of version 7: sorts by time.
    Uuid7,
    /// A UUID of version 4: random.
    Uuid4,
    /// A ULID: sorts by time, 26 characters.
    Ulid,
    /// 32 random bytes as text that can stand in a link: can't be guessed.
    Secret,
    /// The time of creation.
    Created,
    /// The time of the last write.
    Updated,
}

/// What values a parameter takes.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterType {
    /// A value of a field.
    Field(FieldType),
    /// The beginning of a text.
    Prefix,
    /// A list of such values.
    ListOf(Box<ParameterType>),
    /// Objects with these members, one for each key of a batch.
    Keys(Vec<(String, FieldType)>),
}
