//! Key templates: `USER#{user_id}`, `POST#{created_at:month}#{shard:post_id/8}`.
//!
//! Every call renders keys, so a key costs only one allocation, for its own text.

mod cut;
mod ending;
mod fold;
mod pad;
mod parse;
mod read;
mod render;
mod shard;
mod split;
mod values;

use std::fmt;

use singlet_values::{Number, ValueRef};

use crate::field::FieldType;

pub use ending::Ending;
pub use fold::fold;
pub use parse::TemplateError;
pub use render::{RenderError, formatted};
pub use shard::{SHARDS_MAX, shard_of};
pub use split::Split;

/// The names of the formats in templates, except for widths such as `05.2`.
const FORMATS: [(&str, Format); 10] = [
    ("fold", Format::Fold),
    ("lower", Format::Lower),
    ("upper", Format::Upper),
    ("year", Format::Year),
    ("month", Format::Month),
    ("week", Format::Week),
    ("day", Format::Day),
    ("hour", Format::Hour),
    ("minute", Format::Minute),
    (DESCENDING, Format::Descending),
];
/// The word for descending order, alone or after a width.
const DESCENDING: &str = "desc";

/// A key as text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its text in the design.
    pub source: String,
    /// Its parts, without adjacent literals.
    pub parts: Vec<Part>,
}

impl Template {
    /// Returns every field that the template uses, in order and without duplicates, including those of shards.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let paths = || self.parts.iter().filter_map(Part::path);
        paths()
            .enumerate()
            .filter(move |(at, path)| !paths().take(*at).any(|p| p == *path))
            .map(|(_, path)| path)
    }

    /// Returns the text before the first placeholder.
    pub fn constant_head(&self) -> &str {
        match self.parts.first() {
            Some(Part::Literal(text)) => text,
            _ => "",
        }
    }

    /// Returns the field if the template is a single plain placeholder, so that the key attribute has the field's type.
    pub fn plain_field(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Field { path, format: Format::Plain }] => Some(path),
            _ => None,
        }
    }

    /// Returns the number of shards, if it has one.
    pub fn shard_count(&self) -> Option<u32> {
        self.parts.iter().find_map(|part| match part {
            Part::Shard { count, .. } => Some(*count),
            _ => None,
        })
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// Literal text.
    Literal(String),
    /// The value of a field.
    Field {
        /// The name of the field, or a path into an object.
        path: String,
        /// The format of the value.
        format: Format,
    },
    /// A number from 0 to `count - 1`, computed from the value of a field, which spreads one key over several partitions.
    Shard {
        /// The field.
        path: String,
        /// The number of shards.
        count: u32,
    },
}

impl Part {
    /// Returns the format in which it has the value of a field.
    pub fn format_of(&self, field: &str) -> Option<Format> {
        match self {
            Part::Field { path, format } if path == field => Some(*format),
            _ => None,
        }
    }

    /// Returns the field that it uses.
    pub fn path(&self) -> Option<&str> {
        match self {
            Part::Literal(_) => None,
            Part::Field { path, .. } | Part::Shard { path, .. } => Some(path),
        }
    }
}

/// Writes it as in a template, with doubled braces.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Literal(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            Part::Field { path, format: Format::Plain } => write!(f, "{{{path}}}"),
            Part::Field { path, format } => write!(f, "{{{path}:{format}}}"),
            Part::Shard { path, count } => write!(f, "{{shard:{path}/{count}}}"),
        }
    }
}

/// The format of a value in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// The value itself. If it is the whole template, a number stays a number and bytes stay bytes.
    Plain,
    /// A number with a fixed width and leading zeros: `05.2` turns 9.5 into `09.50`. Values that are too long or have more
    /// decimals are refused. Negative values need a sign.
    Padded {
        /// The number of characters, including the point and the sign.
        width: u8,
        /// The number of digits after the point.
        decimals: u8,
        /// Whether the first character is a sign: `+05` turns 5 into `00005` and -5 into `-9994`, so that the text sorts
        /// like the numbers.
        signed: bool,
        /// Whether the text sorts the other way round: `03:desc` turns 7 into `992`, so that the highest number is first.
        descending: bool,
    },
    /// Lower case without diacritics: `Thịt gà` becomes `thit ga`.
    Fold,
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
    /// The first characters of a string: `{geohash:5}`.
    First(u8),
    /// A time truncated to the year: `2025`.
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
    /// A whole time or date whose digits are replaced by their nine's complement, so that the newest is first:
    /// `2025-01-20` becomes `7974-98-79`.
    Descending,
}

impl Format {
    /// Returns the number of characters that it produces, if that is fixed.
    pub fn width(self) -> Option<u64> {
        match self {
            // The width of a time or date is that of its type.
            Format::Plain | Format::Descending => None,
            Format::Fold | Format::Lower | Format::Upper | Format::First(_) => None,
            Format::Padded { width, .. } => Some(u64::from(width)),
            Format::Year => Some(4),
            Format::Month => Some(7),
            Format::Week => Some(8),
            Format::Day => Some(10),
            Format::Hour => Some(13),
            Format::Minute => Some(16),
        }
    }

    /// Returns the largest absolute value that fits a width, or `None` for other formats.
    pub fn largest(self) -> Option<Number> {
        let Format::Padded { width, decimals, signed, .. } = self else { return None };
        pad::largest(usize::from(width).saturating_sub(usize::from(signed)), usize::from(decimals))
            .parse()
            .ok()
    }

    /// Returns whether its text has the whole value of a field of this type, which can be read back.
    pub fn is_whole(self, kind: &FieldType) -> bool {
        self.keeps_all() || matches!((self, kind), (Format::Day, FieldType::Date))
    }

    /// Returns whether its text has the whole value of a field of any type.
    pub fn keeps_all(self) -> bool {
        matches!(self, Format::Plain | Format::Padded { .. } | Format::Descending)
    }

    /// Returns whether its text sorts the other way round than the values.
    pub fn is_descending(self) -> bool {
        matches!(self, Format::Padded { descending: true, .. } | Format::Descending)
    }

    /// Returns whether it truncates a time, so that all writes of a period get the same text.
    pub fn cuts_time(self) -> bool {
        matches!(
            self,
            Format::Year | Format::Month | Format::Week | Format::Day | Format::Hour | Format::Minute
        )
    }
}

/// Writes the word after the colon; nothing for [`Format::Plain`].
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Padded { width, decimals, signed, descending } => {
                write!(f, "{}0{width}", if *signed { "+" } else { "" })?;
                if *decimals > 0 {
                    write!(f, ".{decimals}")?;
                }
                if *descending { write!(f, ":{DESCENDING}") } else { Ok(()) }
            }
            Format::First(count) => write!(f, "{count}"),
            other => {
                let name = FORMATS.iter().find(|(_, format)| format == other).map(|(name, _)| *name);
                f.write_str(name.unwrap_or_default())
            }
        }
    }
}

/// A source of values for the fields of a template.
pub trait Values {
    /// Returns the value at a path such as `user_id` or `address.city`, or `None` if it is missing or null.
    fn value(&self, path: &str) -> Option<ValueRef<'_>>;
}

#[cfg(test)]
mod tests;
