//! Renders templates with values.

use std::fmt::Write;

use singlet_values::{AttributeValue, ValueRef};

use super::cut::write_cut;
use super::fold::{End, write_folded};
use super::pad::{complement, write_number};
use super::{Format, Part, Template, Values, shard_of};

/// The expected length of a value: a UUID is 36 characters long.
const VALUE_BYTES: usize = 36;

/// The reason why a value can't be part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct RenderError {
    /// The field.
    pub field: String,
    /// The fault of its value, and the remedy.
    pub reason: String,
}

impl RenderError {
    fn new(field: &str, reason: impl Into<String>) -> Self {
        RenderError { field: field.to_owned(), reason: reason.into() }
    }
}

impl Template {
    /// Returns the key for these values, or `None` if one of them is missing: the item is then not in the index.
    pub fn render(
        &self,
        separator: char,
        values: &impl Values,
    ) -> Result<Option<AttributeValue>, RenderError> {
        match self.plain_field() {
            Some(field) => plain_key(field, values),
            None => Ok(self.write_parts(separator, values, self.parts.len(), None)?.map(AttributeValue::S)),
        }
    }

    /// Like [`Template::render`], with this shard instead of the one that the values select.
    pub fn render_shard(
        &self,
        separator: char,
        values: &impl Values,
        shard: u32,
    ) -> Result<Option<AttributeValue>, RenderError> {
        match self.plain_field() {
            Some(field) => plain_key(field, values),
            None => {
                let text = self.write_parts(separator, values, self.parts.len(), Some(shard))?;
                Ok(text.map(AttributeValue::S))
            }
        }
    }

    /// Returns the text of the parts before `part`, or `None` if a value is missing.
    pub fn render_until(
        &self,
        separator: char,
        values: &impl Values,
        part: usize,
    ) -> Result<Option<String>, RenderError> {
        self.write_parts(separator, values, part, None)
    }

    /// Returns the text of one field of the template, or `None` if its value is missing or `part` isn't a field.
    pub fn render_field(
        &self,
        separator: char,
        values: &impl Values,
        part: usize,
    ) -> Result<Option<String>, RenderError> {
        let Some(Part::Field { path, format }) = self.parts.get(part) else { return Ok(None) };
        let Some(value) = present(values, path) else { return Ok(None) };
        let separator = self.plain_field().is_none().then_some(separator);
        let mut text = String::new();
        write_field(&mut text, path, value, *format, separator)?;
        Ok(Some(text))
    }

    /// Returns the prefix of all keys in which the value of `part` begins with `beginning`. Returns `None` if a value
    /// is missing, or if `part` isn't a field whose text keeps prefixes.
    pub fn render_beginning(
        &self,
        separator: char,
        values: &impl Values,
        part: usize,
        beginning: &str,
    ) -> Result<Option<String>, RenderError> {
        let Some(mut text) = self.write_parts(separator, values, part, None)? else { return Ok(None) };
        let Some(Part::Field { path, format }) = self.parts.get(part) else { return Ok(None) };
        let start = text.len();
        match format {
            Format::Padded { .. } | Format::Descending => return Ok(None),
            Format::First(count) if beginning.chars().count() > usize::from(*count) => return Ok(None),
            Format::Fold => write_folded(&mut text, beginning, End::Open),
            Format::Lower => text.extend(beginning.chars().flat_map(char::to_lowercase)),
            Format::Upper => text.extend(beginning.chars().flat_map(char::to_uppercase)),
            _ => text.push_str(beginning),
        }
        if self.plain_field().is_none() {
            refuse_separator(path, text.get(start..).unwrap_or_default(), separator)?;
        }
        Ok(Some(text))
    }

    fn write_parts(
        &self,
        separator: char,
        values: &impl Values,
        end: usize,
        shard: Option<u32>,
    ) -> Result<Option<String>, RenderError> {
        let parts = self.parts.get(..end).unwrap_or(&self.parts);
        if let [Part::Literal(text)] = parts {
            return Ok(Some(text.clone()));
        }
        let room = |part: &Part| if let Part::Literal(text) = part { text.len() } else { VALUE_BYTES };
        let mut out = String::with_capacity(parts.iter().map(room).sum());
        // A single plain placeholder is the whole key, so its value can't forge another key.
        let separator = self.plain_field().is_none().then_some(separator);
        for part in parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Field { path, format } => {
                    let Some(value) = present(values, path) else { return Ok(None) };
                    write_field(&mut out, path, value, *format, separator)?;
                }
                Part::Shard { path, count } => {
                    let number = match shard {
                        Some(number) => number,
                        None => match present(values, path) {
                            Some(value) => shard_of(value, *count).ok_or_else(|| {
                                RenderError::new(
                                    path,
                                    "only strings, numbers, booleans and bytes can select a shard",
                                )
                            })?,
                            None => return Ok(None),
                        },
                    };
                    // Writing to a string can't fail.
                    let _ = write!(out, "{number}");
                }
            }
        }
        Ok(Some(out))
    }
}

/// Returns the text of a value in a format; `name` is the value's name in an error.
pub fn formatted(name: &str, value: ValueRef<'_>, format: Format) -> Result<String, RenderError> {
    let mut text = String::new();
    write_field(&mut text, name, value, format, None)?;
    Ok(text)
}

/// Returns a value that isn't null, which counts as missing.
fn present<'a>(values: &'a impl Values, path: &str) -> Option<ValueRef<'a>> {
    values.value(path).filter(|value| !matches!(value, ValueRef::Null))
}

fn plain_key(field: &str, values: &impl Values) -> Result<Option<AttributeValue>, RenderError> {
    let key = match present(values, field) {
        None => return Ok(None),
        Some(ValueRef::S("")) | Some(ValueRef::B([])) => return Err(empty(field)),
        Some(ValueRef::S(text)) => AttributeValue::S(text.to_owned()),
        Some(ValueRef::N(number)) => AttributeValue::N(number.to_number()),
        Some(ValueRef::B(bytes)) => AttributeValue::B(bytes.to_vec()),
        Some(_) => return Err(RenderError::new(field, "a key must be a string, a number or bytes")),
    };
    Ok(Some(key))
}

fn write_field(
    out: &mut String,
    field: &str,
    value: ValueRef<'_>,
    format: Format,
    separator: Option<char>,
) -> Result<(), RenderError> {
    let start = out.len();
    match (format, value) {
        (Format::Plain, ValueRef::S(text)) => out.push_str(text),
        (Format::Plain, ValueRef::N(number)) => {
            // Writing to a string can't fail.
            let _ = write!(out, "{number}");
        }
        (Format::Plain, ValueRef::Bool(truth)) => out.push_str(if truth { "true" } else { "false" }),
        (Format::Plain, _) => {
            return Err(RenderError::new(field, "only strings, numbers and booleans can be part of a key"));
        }
        (Format::Fold, ValueRef::S(text)) => write_folded(out, text, End::Whole),
        (Format::Lower, ValueRef::S(text)) => out.extend(text.chars().flat_map(char::to_lowercase)),
        (Format::Upper, ValueRef::S(text)) => out.extend(text.chars().flat_map(char::to_uppercase)),
        (Format::First(count), ValueRef::S(text)) => out.extend(text.chars().take(usize::from(count))),
        (Format::Descending, ValueRef::S(text)) => out.extend(text.chars().map(complement)),
        (Format::Descending, _) => {
            return Err(RenderError::new(
                field,
                "only times and dates have a descending order without a width",
            ));
        }
        (Format::First(_), _) => {
            return Err(RenderError::new(field, "only strings have first characters"));
        }
        (Format::Fold | Format::Lower | Format::Upper, _) => {
            return Err(RenderError::new(field, "only strings have lower and upper case"));
        }
        // These formats have a fixed shape without separators.
        (Format::Padded { width, decimals, signed, descending }, ValueRef::N(number)) => {
            let written = write_number(out, number, (width, decimals), signed, descending);
            return written.map_err(|reason| RenderError::new(field, reason));
        }
        (Format::Padded { .. }, _) => return Err(RenderError::new(field, "only numbers can be padded")),
        _ => return write_cut(out, value, format).map_err(|reason| RenderError::new(field, reason)),
    }
    let written = out.get(start..).unwrap_or_default();
    if written.is_empty() {
        return Err(empty(field));
    }
    match separator {
        Some(separator) => refuse_separator(field, written, separator),
        None => Ok(()),
    }
}

fn refuse_separator(field: &str, text: &str, separator: char) -> Result<(), RenderError> {
    let found = match u8::try_from(separator) {
        // Without an early end the compiler compares many bytes at once.
        Ok(byte) if byte.is_ascii() => text.bytes().fold(false, |found, next| found | (next == byte)),
        _ => text.contains(separator),
    };
    if found {
        let reason = format!(
            "it contains {separator:?}, which separates the parts of a key, so it could forge another key"
        );
        return Err(RenderError::new(field, reason));
    }
    Ok(())
}

fn empty(field: &str) -> RenderError {
    RenderError::new(field, "it is part of a key and can't be empty")
}
