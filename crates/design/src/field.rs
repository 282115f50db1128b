//! The fields of entities, and the types of fields and parameters.

use singlet_values::Number;

use crate::json::Json;
use crate::report::Span;

/// A field of an entity or of a nested object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name, which is also the name of the attribute.
    pub name: String,
    /// Its purpose.
    pub about: Option<String>,
    /// Its type.
    pub kind: FieldType,
    /// Whether it may be missing.
    pub optional: bool,
    /// The value of a new item that doesn't give one.
    pub default: Option<Json>,
    /// Whether callers can't give it, so that only patterns that set it write it.
    pub internal: bool,
    /// How Singlet generates its value, if it does.
    pub made: Option<Made>,
    /// Whether its value follows from other fields, so that nobody can give it. The entity has the value.
    pub computed: bool,
    /// Whether its value follows from items of other entities, so that nobody can give it. The entity has the rule.
    pub derived: bool,
    /// The entity that this field, or each of its elements, refers to.
    pub refers_to: Option<String>,
    /// The entities of which it refers to one, if there are several; another field tells which. Empty otherwise.
    pub refers_to_one_of: Vec<String>,
    /// Whether writes check that the referenced item exists.
    pub must_exist: bool,
    /// Its position in the file.
    pub span: Span,
}

impl Field {
    /// Returns whether it can refer to an item of this entity.
    pub fn can_refer_to(&self, entity: &str) -> bool {
        self.refers_to.as_deref() == Some(entity) || self.refers_to_one_of.iter().any(|name| name == entity)
    }
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldType {
    /// A string; the bounds are in characters.
    Text {
        /// The minimum number of characters.
        min: Option<u32>,
        /// The maximum number of characters.
        max: Option<u32>,
    },
    /// One of these strings.
    Choice(Vec<String>),
    /// An integer.
    Int {
        /// The minimum.
        min: Option<Number>,
        /// The maximum.
        max: Option<Number>,
    },
    /// A number of up to 38 digits.
    Number {
        /// The minimum.
        min: Option<Number>,
        /// The maximum.
        max: Option<Number>,
    },
    /// A boolean.
    Bool,
    /// Bytes; base64 in JSON.
    Binary {
        /// The maximum number of bytes.
        max: Option<u32>,
    },
    /// A date: `2025-01-20`.
    Date,
    /// An instant, stored in UTC with milliseconds: `2025-01-20T15:30:00.000Z`. So text order is time order.
    Time,
    /// An instant in seconds since 1970, as DynamoDB's TTL needs it.
    Epoch,
    /// An id: a UUID, a ULID or any short string without the separator.
    Id,
    /// A list.
    List {
        /// The type of its elements.
        of: Box<FieldType>,
        /// The maximum number of elements.
        max: Option<u32>,
        /// The field that identifies an element, if patterns change single elements.
        key: Option<String>,
    },
    /// A set of strings, numbers or bytes.
    Set {
        /// The type of its elements: `Text`, `Choice`, `Id`, `Int`, `Number` or `Binary`.
        of: Box<FieldType>,
        /// The maximum number of elements.
        max: Option<u32>,
    },
    /// Values of one type under arbitrary names.
    Map {
        /// The type of its values.
        of: Box<FieldType>,
        /// The maximum number of entries.
        max: Option<u32>,
    },
    /// An object with its own fields.
    Object(Vec<Field>),
    /// Any JSON value.
    Any {
        /// The maximum number of bytes, as DynamoDB counts them.
        max_bytes: Option<u32>,
    },
}

impl FieldType {
    /// Returns its name in designs.
    pub fn word(&self) -> &'static str {
        match self {
            FieldType::Text { .. } | FieldType::Choice(_) => "string",
            FieldType::Int { .. } => "int",
            FieldType::Number { .. } => "number",
            FieldType::Bool => "bool",
            FieldType::Binary { .. } => "binary",
            FieldType::Date => "date",
            FieldType::Time => "time",
            FieldType::Epoch => "epoch",
            FieldType::Id => "id or key",
            FieldType::List { .. } => "list",
            FieldType::Set { .. } => "set",
            FieldType::Map { .. } => "map",
            FieldType::Object(_) => "object",
            FieldType::Any { .. } => "any",
        }
    }
}

/// A kind of value that Singlet generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// A UUID of version 7, which sorts by time.
    Uuid7,
    /// A UUID of version 4, which is random.
    Uuid4,
    /// A ULID, which sorts by time and has 26 characters.
    Ulid,
    /// 32 random bytes as text that is safe in a URL and can't be guessed.
    Secret,
    /// The time of creation.
    Created,
    /// The time of the last write.
    Updated,
}

/// The type of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterType {
    /// A value of this field type.
    Field(FieldType),
    /// The beginning of a string.
    Prefix,
    /// A list of values of this type.
    ListOf(Box<ParameterType>),
    /// A list of objects with these members, one per key of a batch.
    Keys(Vec<(String, FieldType)>),
}
