//! Key templates: `USER#{user_id}`, `POST#{created_at:month}#{shard:post_id/8}`.
//!
//! Rendering is on the path of every call: a key costs one allocation, its own text.

mod cut;
mod fold;
mod pad;
mod parse;
mod print;
mod read;
mod render;
mod shard;
mod values;

use singlet_values::{Number, ValueRef};

pub use fold::fold;
pub use parse::TemplateError;
pub use render::RenderError;
pub use shard::{SHARDS_MAX, shard_of};

/// How the formats are called in templates; `05.2` stands beside them.
const FORMATS: [(&str, Format); 9] = [
    ("fold", Format::Fold),
    ("lower", Format::Lower),
    ("upper", Format::Upper),
    ("year", Format::Year),
    ("month", Format::Month),
    ("week", Format::Week),
    ("day", Format::Day),
    ("hour", Format::Hour),
    ("minute", Format::Minute),
];

/// A key, as text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// As it was written.
    pub source: String,
    /// Its parts; neighbouring literals are one.
    pub parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text that stands for itself.
    Literal(String),
    /// The value of a field.
    Field {
        /// The field, or a path into an object.
        path: String,
        /// How it is written.
        format: Format,
    },
    /// A number from 0 to `count - 1` that depends on the field's value: spreads one key over several partitions.
    Shard {
        /// The field.
        path: String,
        /// How many shards there are.
        count: u32,
    },
}

/// How a value is written into a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// As it is. Alone in a template, a number stays a number and bytes stay bytes.
    Plain,
    /// A number with a fixed width, zeros in front: `05.2` makes `09.50` of 9.5. Values that don't fit and those with
    /// more decimals are refused; so are negative ones, unless there is a place for the sign.
    Padded {
        /// Characters in all, the point included.
        width: u8,
        /// Digits after the point.
        decimals: u8,
        /// The first character is a sign: `+05` makes `00005` of 5 and `-9994` of -5, so that texts sort like numbers.
        signed: bool,
    },
    /// Small letters without marks: `Thịt gà` becomes `thit ga`.
    Fold,
    /// Small letters.
    Lower,
    /// Capital letters.
    Upper,
    /// A time cut to the year: `2025`.
    Year,
    /// To the month: `2025-01`.
    Month,
    /// To the ISO week: `2025-W04`.
    Week,
    /// To the day: `2025-01-20`.
    Day,
    /// To the hour: `2025-01-20T15`.
    Hour,
    /// To the minute: `2025-01-20T15:30`.
    Minute,
}

impl Format {
    /// How many characters it always makes, if that is fixed.
    pub fn width(self) -> Option<u64> {
        match self {
            Format::Plain | Format::Fold | Format::Lower | Format::Upper => None,
            Format::Padded { width, .. } => Some(u64::from(width)),
            Format::Year => Some(4),
            Format::Month => Some(7),
            Format::Week => Some(8),
            Format::Day => Some(10),
            Format::Hour => Some(13),
            Format::Minute => Some(16),
        }
    }

    /// The largest number, either side of zero, that a width has room for; `None` for other formats.
    pub fn largest(self) -> Option<Number> {
        let Format::Padded { width, decimals, signed } = self else { return None };
        pad::largest(usize::from(width).saturating_sub(usize::from(signed)), usize::from(decimals))
            .parse()
            .ok()
    }

    /// Whether it cuts a time: all of now's values are one.
    pub fn cuts_time(self) -> bool {
        matches!(
            self,
            Format::Year | Format::Month | Format::Week | Format::Day | Format::Hour | Format::Minute
        )
    }
}

/// Where the values of a template's fields come from.
pub trait Values {
    /// The value at a path such as `user_id` or `address.city`; `None` if it is missing or null.
    fn value(&self, path: &str) -> Option<ValueRef<'_>>;
}

#[cfg(test)]
mod tests;
