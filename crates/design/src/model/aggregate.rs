//! Fields whose values follow from items of other entities: counts, sums, averages, existence.

use crate::condition::Condition;
use crate::report::Span;

/// The attribute in which an item with derived fields keeps what they are made from.
pub const SUMS_ATTRIBUTE: &str = "_derived";

/// The rule of a field that is derived from the items that belong to its item.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// The field.
    pub field: String,
    /// How the items are summarised.
    pub kind: AggregateKind,
    /// The entities whose items count, each once.
    pub sources: Vec<AggregateSource>,
    /// The position of the rule in the file.
    pub span: Span,
}

/// How items are summarised in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateKind {
    /// Their number.
    Count,
    /// The sum of one of their fields.
    Sum,
    /// The average of one of their fields, rounded half to even.
    Average {
        /// The number of decimals that it is rounded to.
        decimals: u8,
    },
    /// Whether there are any.
    Exists,
}

impl AggregateKind {
    /// Returns its word in designs.
    pub fn word(self) -> &'static str {
        match self {
            AggregateKind::Count => "count",
            AggregateKind::Sum => "sum",
            AggregateKind::Average { .. } => "average",
            AggregateKind::Exists => "exists",
        }
    }
}

/// An entity whose items count for a field.
#[derive(Debug, Clone, PartialEq)]
pub struct AggregateSource {
    /// The entity.
    pub entity: String,
    /// Each field in the key of the item that they belong to, with the field of theirs that has its value.
    pub link: Vec<(String, String)>,
    /// The field that is summed or averaged.
    pub value: Option<String>,
    /// Which of the items count. `None` counts all of them.
    pub filter: Option<Condition>,
}
