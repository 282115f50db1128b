//! Reads values back from a key.

use std::str::FromStr;

use singlet_values::{AttributeValue, Number, ValueRef};

use super::pad::{complement, read_signed, turned};
use super::{Format, Part, Template};
use crate::field::FieldType;

impl Template {
    /// Returns the fields whose whole values a key of this template contains; folded and truncated values aren't whole.
    /// `field` gives the type of a path. Empty if the template can't have rendered the key, or if nothing keeps its
    /// values apart.
    pub fn read<'t, 'f>(
        &'t self,
        separator: char,
        field: impl Fn(&str) -> Option<&'f FieldType>,
        key: ValueRef<'_>,
    ) -> Vec<(&'t str, AttributeValue)> {
        if let Some(path) = self.plain_field() {
            let value = key.to_value().ok();
            return value.map(|value| (path, value)).into_iter().collect();
        }
        let ValueRef::S(text) = key else { return Vec::new() };
        let pieces = self.pieces(text, separator, &field).unwrap_or_default().into_iter();
        pieces
            .filter_map(|(part, text)| match part {
                Part::Field { path, format } => Some((path.as_str(), value(field(path)?, *format, text)?)),
                Part::Literal(_) | Part::Shard { .. } => None,
            })
            .collect()
    }

    /// Returns each placeholder with its text in a key, or `None` if the template can't have rendered the key.
    pub fn pieces<'t, 'k, 'f>(
        &'t self,
        text: &'k str,
        separator: char,
        field: impl Fn(&str) -> Option<&'f FieldType>,
    ) -> Option<Vec<(&'t Part, &'k str)>> {
        let mut rest = text;
        let mut pieces = Vec::new();
        for (position, part) in self.parts.iter().enumerate() {
            if let Part::Literal(literal) = part {
                rest = rest.strip_prefix(literal.as_str())?;
                continue;
            }
            let kind = part.path().and_then(&field);
            let (piece, tail) = self.ending(position, separator, kind)?.split(rest)?;
            if piece.contains(separator) {
                return None;
            }
            pieces.push((part, piece));
            rest = tail;
        }
        rest.is_empty().then_some(pieces)
    }
}

/// Returns the value from which the text of a placeholder was rendered.
fn value(kind: &FieldType, format: Format, text: &str) -> Option<AttributeValue> {
    match (kind, format) {
        (
            FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch,
            Format::Padded { signed, descending, .. },
        ) => {
            let text = if descending { turned(text, signed) } else { text.to_owned() };
            let text = if signed { read_signed(&text)? } else { text };
            Number::from_str(&text).ok().map(AttributeValue::N)
        }
        (FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch, Format::Plain) => {
            Number::from_str(text).ok().map(AttributeValue::N)
        }
        (FieldType::Date | FieldType::Time, Format::Descending) => {
            Some(AttributeValue::S(text.chars().map(complement).collect()))
        }
        (FieldType::Date, Format::Day)
        | (
            FieldType::Text { .. } | FieldType::Choice(_) | FieldType::Id | FieldType::Date | FieldType::Time,
            Format::Plain,
        ) => Some(AttributeValue::from(text)),
        (FieldType::Bool, Format::Plain) => text.parse().ok().map(AttributeValue::Bool),
        _ => None,
    }
}
