//! Fields that repeat a field of another item.

use crate::report::Span;

/// A field that has the value of a field of the item that its item refers to.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldCopy {
    /// The field.
    pub field: String,
    /// The entity of the other item.
    pub source: String,
    /// The field of the other item, or a path into an object.
    pub value: String,
    /// How items refer to the other item.
    pub referral: Referral,
    /// The position of the rule in the file.
    pub span: Span,
}

/// How items of one entity refer to items of another one, and where those that refer to one item are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referral {
    /// Each field in the key of the other item, with the field that has its value.
    pub link: Vec<(String, String)>,
    /// The index in which the items that refer to one item have a common key. `None` is the table.
    pub index: Option<String>,
}
