//! The ends of placeholders: what keeps the values in a key apart.
//!
//! A key is read from the left. If nothing tells where a value ends, two different lists of values make the same key:
//! under `{tenant}-{user}`, `acme` with `eu-bob` and `acme-eu` with `bob`. A design with such a template doesn't load.

use std::fmt::Write;

use super::fold::fold;
use super::{Format, Part, Template};
use crate::field::FieldType;

/// The number of characters of a stored date.
const DATE_WIDTH: u64 = 10;
/// The number of characters of a stored time.
const TIME_WIDTH: u64 = 24;

/// Where the text of a placeholder ends in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending<'t> {
    /// After this number of characters.
    Width(u64),
    /// Before the first occurrence of this literal.
    Before(&'t str),
    /// Before this literal, which ends the key. It is empty if the placeholder ends the key.
    Last(&'t str),
}

impl Template {
    /// Returns where the text of the placeholder at `part` ends, if its field has the type `kind`. `None` if nothing
    /// tells, so that the text after the placeholder could belong to its value.
    pub fn ending(&self, part: usize, separator: char, kind: Option<&FieldType>) -> Option<Ending<'_>> {
        let placeholder = self.parts.get(part)?;
        if let Some(width) = placeholder.width(kind) {
            return Some(Ending::Width(width));
        }
        match self.parts.get(part + 1) {
            None => Some(Ending::Last("")),
            // Values never contain the separator, so the literal with the first one is the right one.
            Some(Part::Literal(literal)) if literal.contains(separator) => Some(Ending::Before(literal)),
            Some(Part::Literal(literal)) if self.parts.len() == part + 2 => Some(Ending::Last(literal)),
            Some(Part::Literal(literal)) if placeholder.ends_before(literal, kind) => {
                Some(Ending::Before(literal))
            }
            Some(_) => None,
        }
    }
}

impl Ending<'_> {
    /// Splits the rest of a key at the end of the placeholder. `None` if the key doesn't have that end.
    pub(super) fn split<'k>(&self, rest: &'k str) -> Option<(&'k str, &'k str)> {
        let end = match self {
            Ending::Width(width) => {
                let width = usize::try_from(*width).ok()?;
                let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
                ends.nth(width)?
            }
            Ending::Before(literal) => rest.find(literal)?,
            Ending::Last(literal) => rest.strip_suffix(literal)?.len(),
        };
        rest.split_at_checked(end)
    }
}

impl Part {
    /// Returns the number of characters of every text of this placeholder, if that is fixed.
    fn width(&self, kind: Option<&FieldType>) -> Option<u64> {
        if let Part::Field { format, .. } = self
            && let Some(width) = format.width()
        {
            return Some(width);
        }
        if let Some(texts) = self.texts(kind) {
            let mut widths = texts.iter().map(|text| text.chars().count() as u64);
            let first = widths.next()?;
            return widths.all(|width| width == first).then_some(first);
        }
        match (self, kind?) {
            (Part::Field { .. }, FieldType::Date) => Some(DATE_WIDTH),
            (Part::Field { .. }, FieldType::Time) => Some(TIME_WIDTH),
            (Part::Field { format: Format::Plain, .. }, FieldType::Text { min: Some(min), max })
                if *max == Some(*min) =>
            {
                Some(u64::from(*min))
            }
            _ => None,
        }
    }

    /// Returns every text of this placeholder, if its values are listed: an enum, a boolean or a shard.
    fn texts(&self, kind: Option<&FieldType>) -> Option<Vec<String>> {
        match (self, kind) {
            (Part::Shard { count, .. }, _) => Some((0..*count).map(|shard| shard.to_string()).collect()),
            (Part::Field { format, .. }, Some(FieldType::Choice(choices))) => {
                let text = |choice: &String| match format {
                    Format::Fold => fold(choice),
                    Format::First(count) => choice.chars().take(usize::from(*count)).collect(),
                    Format::Lower => choice.chars().flat_map(char::to_lowercase).collect(),
                    Format::Upper => choice.chars().flat_map(char::to_uppercase).collect(),
                    _ => choice.clone(),
                };
                Some(choices.iter().map(text).collect())
            }
            (Part::Field { .. }, Some(FieldType::Bool)) => Some(vec!["true".to_owned(), "false".to_owned()]),
            _ => None,
        }
    }

    /// Returns whether the first occurrence of a literal after this placeholder is always the literal itself.
    fn ends_before(&self, literal: &str, kind: Option<&FieldType>) -> bool {
        if let Some(texts) = self.texts(kind) {
            let mut key = String::new();
            return texts.iter().all(|text| {
                key.clear();
                // Writing to a string can't fail.
                let _ = write!(key, "{text}{literal}");
                key.find(literal) == Some(text.len())
            });
        }
        let Some(first) = literal.chars().next() else { return false };
        let (signed, decimal) = match kind {
            Some(FieldType::Int { min, .. }) => (min.is_none_or(|min| min.is_negative()), false),
            Some(FieldType::Number { min, .. }) => (min.is_none_or(|min| min.is_negative()), true),
            Some(FieldType::Epoch) => (true, false),
            _ => return false,
        };
        !(first.is_ascii_digit() || (signed && first == '-') || (decimal && first == '.'))
    }
}
