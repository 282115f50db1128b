//! Parses templates.

use std::ops::Range;

use super::{DESCENDING, FORMATS, Format, Part, SHARDS_MAX, Split, Template};
use crate::holes::{BraceError, HolePiece, holes};
use crate::limits::{TEMPLATE_BYTES_MAX, number};
use crate::names::{list, nearest};

/// The maximum width of a padded number, which is more than any number needs.
const WIDTH_MAX: u8 = 40;

/// The reason why a text isn't a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// The bytes of the text that are wrong.
    pub range: Range<usize>,
    /// The mistake.
    pub message: String,
    /// How to correct it.
    pub help: Option<String>,
}

impl TemplateError {
    fn new(range: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        TemplateError { range, message: message.into(), help: Some(help.into()) }
    }
}

impl From<BraceError> for TemplateError {
    fn from(error: BraceError) -> Self {
        TemplateError::new(error.range, error.message, error.help)
    }
}

impl Template {
    /// Parses a template.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        if text.is_empty() {
            let help = "write a value for the key, such as `USER#{user_id}`";
            return Err(TemplateError::new(0..0, "a template can't be empty", help));
        }
        if text.len() > TEMPLATE_BYTES_MAX {
            let (length, most) = (number(text.len()), number(TEMPLATE_BYTES_MAX));
            let message = format!("this template has {length} bytes, but at most {most} are allowed");
            return Err(TemplateError::new(
                0..0,
                message,
                "no value of a key can be longer: shorten the template",
            ));
        }
        let mut parts = Vec::new();
        for piece in holes(text) {
            parts.push(match piece? {
                HolePiece::Literal(literal) => Part::Literal(literal),
                HolePiece::Hole { inside, at } => placeholder(inside, at + 1)?,
            });
        }
        Ok(Template { source: text.to_owned(), parts })
    }
}

/// Parses the text between braces; `at` is its position in the template.
fn placeholder(text: &str, at: usize) -> Result<Part, TemplateError> {
    let Some((name, format)) = text.split_once(':') else {
        return Ok(Part::Field { path: path(text, at)?, format: Format::Plain });
    };
    let format_at = at + name.len() + 1;
    if name == "shard" && !FORMATS.iter().any(|(known, _)| *known == format) {
        return shard(format, format_at);
    }
    Ok(Part::Field { path: path(name, at)?, format: read_format(format, format_at)? })
}

fn path(text: &str, at: usize) -> Result<String, TemplateError> {
    if text.is_empty() {
        let help = "write a field name between the braces, or `{{}}` for literal braces";
        return Err(TemplateError::new(at.saturating_sub(1)..at + 1, "a placeholder can't be empty", help));
    }
    let mut step_at = at;
    for step in text.split('.') {
        let wrong = step.char_indices().find(|(_, c)| !(c.is_alphanumeric() || *c == '_' || *c == '-'));
        if let Some((offset, character)) = wrong {
            let start = step_at + offset;
            let message = format!("{character:?} isn't allowed in a field name");
            let help = "a name has letters, digits, `_` and `-`; a path has dots between names";
            return Err(TemplateError::new(start..start + character.len_utf8(), message, help));
        }
        if step.is_empty() {
            let help = "write names with one dot between them, such as `{address.city}`";
            return Err(TemplateError::new(at..at + text.len(), "a path can't have an empty step", help));
        }
        step_at += step.len() + 1;
    }
    Ok(text.to_owned())
}

fn shard(text: &str, at: usize) -> Result<Part, TemplateError> {
    let range = at..at + text.len();
    let help = "write `{shard:post_id/8}`: the field whose value selects the shard, and the number of shards";
    let Some((field, count)) = text.split_once('/') else {
        return Err(TemplateError::new(range, "missing number of shards", help));
    };
    let field = path(field, at)?;
    let count_range = range.end - count.len()..range.end;
    match count.parse() {
        Ok(count) if (2..=SHARDS_MAX).contains(&count) => Ok(Part::Shard { path: field, count }),
        Ok(_) => {
            let message = format!("the number of shards must be from 2 to {SHARDS_MAX}");
            Err(TemplateError::new(count_range, message, help))
        }
        Err(_) => {
            let message = format!("{count:?} isn't a number of shards");
            Err(TemplateError::new(count_range, message, help))
        }
    }
}

impl Format {
    /// Parses the text after the colon; `at` is its position.
    pub(crate) fn parse(text: &str, at: usize) -> Result<Format, TemplateError> {
        read_format(text, at)
    }
}

fn read_format(text: &str, at: usize) -> Result<Format, TemplateError> {
    if let Some((_, format)) = FORMATS.iter().find(|(name, _)| *name == text) {
        return Ok(*format);
    }
    let range = at..at + text.len();
    if let (true, Ok(count @ 1..)) =
        (text.starts_with(|first| matches!(first, '1'..='9')), text.parse::<u8>())
    {
        return Ok(Format::First(count));
    }
    if let Some((format, order)) = text.split_once(':') {
        return descending(format, order, at);
    }
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return padded(text, range, false);
    }
    if let Some(width) = text.strip_prefix('+') {
        return padded(width, range, true);
    }
    if Split::named(text).is_some() {
        let message = format!("`{text}` makes a list, which can't be part of a key");
        let help = "make an item for each element of a list field with this value";
        return Err(TemplateError::new(range, message, help));
    }
    let message =
        if text.is_empty() { "missing format".to_owned() } else { format!("unknown format `{text}`") };
    let nearest = nearest(text, FORMATS.iter().map(|(name, _)| *name));
    let help = match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
            format!(
                "valid formats are {}, widths such as `05.2` and `+05.2`, and a number of characters such as `5`",
                list(&names)
            )
        }
    };
    Err(TemplateError::new(range, message, help))
}

/// Parses `05.2:desc`, split at the colon.
fn descending(format: &str, order: &str, at: usize) -> Result<Format, TemplateError> {
    let order_at = at + format.len() + 1;
    if order != DESCENDING {
        let message = format!("only `{DESCENDING}` can follow a format");
        let help = format!("write `{{rating:05.2:{DESCENDING}}}` for descending order");
        return Err(TemplateError::new(order_at..order_at + order.len(), message, help));
    }
    match read_format(format, at)? {
        Format::Padded { width, decimals, signed, .. } => {
            Ok(Format::Padded { width, decimals, signed, descending: true })
        }
        other => {
            let message = format!("`{other}` can't be in descending order");
            let help = format!(
                "descending order is possible for a width, such as `{{rating:05.2:{DESCENDING}}}`, and for a whole time \
                 or date, such as `{{created_at:{DESCENDING}}}`"
            );
            Err(TemplateError::new(at..order_at + order.len(), message, help))
        }
    }
}

/// Parses `05.2`: a zero, the width, and the number of decimals. With a sign, the width includes the sign.
fn padded(text: &str, range: Range<usize>, signed: bool) -> Result<Format, TemplateError> {
    let help = "write a width such as `{rating:05.2}`: 5 characters in total, 2 of them decimals";
    let (width, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let Some(width) = width.strip_prefix('0') else {
        let message = format!("a width must begin with a zero: `0{text}`");
        return Err(TemplateError::new(range, message, help));
    };
    let (Ok(width), Ok(decimals)) = (width.parse::<u8>(), decimals.parse::<u8>()) else {
        return Err(TemplateError::new(range, format!("{text:?} isn't a width"), help));
    };
    if width == 0 || width > WIDTH_MAX {
        return Err(TemplateError::new(
            range,
            format!("a width must be from 1 to {WIDTH_MAX} characters"),
            help,
        ));
    }
    if text.contains('.') && decimals == 0 {
        return Err(TemplateError::new(range, "a width without decimals can't have a point", help));
    }
    if signed && width < 2 {
        return Err(TemplateError::new(range, "a width with a sign must be at least 2 characters", help));
    }
    let needed = u16::from(decimals) + 2 + u16::from(signed);
    if decimals > 0 && needed > u16::from(width) {
        let sign = if signed { ", the sign" } else { "" };
        let message = format!(
            "{decimals} decimals, the point{sign} and one digit need {needed} characters, but the width is {width}"
        );
        return Err(TemplateError::new(range, message, help));
    }
    Ok(Format::Padded { width, decimals, signed, descending: false })
}
