//! Fields that have the highest, the lowest or the latest value among related items.

use super::copied::Referral;
use crate::condition::Condition;
use crate::report::Span;

/// The rule of a field that has one value of the items that belong to its item.
#[derive(Debug, Clone, PartialEq)]
pub struct Extreme {
    /// The field.
    pub field: String,
    /// Which value it is.
    pub kind: ExtremeKind,
    /// The entities whose values are compared, each once.
    pub sources: Vec<ExtremeSource>,
    /// The position of the rule in the file.
    pub span: Span,
}

/// Which of several values a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtremeKind {
    /// The highest value.
    Highest,
    /// The lowest value.
    Lowest,
    /// The value of the newest item, by the order of a key.
    Latest,
}

impl ExtremeKind {
    /// Returns its word in designs.
    pub fn word(self) -> &'static str {
        match self {
            ExtremeKind::Highest => "highest",
            ExtremeKind::Lowest => "lowest",
            ExtremeKind::Latest => "latest",
        }
    }
}

/// An entity whose items are candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtremeSource {
    /// The entity.
    pub entity: String,
    /// The field whose value is taken, or a path into an object.
    pub value: String,
    /// The field that decides which item is first: the value itself, or a time.
    pub order: String,
    /// How its items belong to another item, and the key that has them in order.
    pub referral: Referral,
    /// Whether the first item in this key is the one that is looked for. Otherwise it is the last one.
    pub is_first: bool,
    /// Which of the items are candidates. `None` compares all of them.
    pub filter: Option<Condition>,
}
