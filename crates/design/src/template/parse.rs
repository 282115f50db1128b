//! Reading templates.

use std::ops::Range;

use super::{FORMATS, Format, Part, SHARDS_MAX, Template};
use crate::names::nearest;

/// The widest padded number: more digits than any number has.
const WIDTH_MAX: u8 = 40;

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// The bytes of the text that are wrong.
    pub range: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl TemplateError {
    fn new(range: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        TemplateError { range, message: message.into(), help: Some(help.into()) }
    }
}

impl Template {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        if text.is_empty() {
            let help = "write what the key begins with, such as USER#{user_id}";
            return Err(TemplateError::new(0..0, "a template can't be empty: no key is", help));
        }
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = rest.find(['{', '}']).unwrap_or(rest.len());
            let (before, brace) = rest.split_at(plain);
            literal.push_str(before);
            at += plain;
            if brace.starts_with("{{") || brace.starts_with("}}") {
                literal.extend(brace.chars().next());
                at += 2;
            } else if brace.starts_with('}') {
                let help = "write }} for a brace that stands for itself";
                return Err(TemplateError::new(at..at + 1, "this brace closes nothing", help));
            } else if let Some(inside) = brace.strip_prefix('{') {
                let length = inside.find(['{', '}']).unwrap_or(inside.len());
                let (inside, after) = inside.split_at(length);
                if !after.starts_with('}') {
                    let help = "close it with }, or write {{ for a brace that stands for itself";
                    return Err(TemplateError::new(at..at + 1, "this brace is not closed", help));
                }
                if !literal.is_empty() {
                    parts.push(Part::Literal(std::mem::take(&mut literal)));
                }
                parts.push(placeholder(inside, at + 1)?);
                at += length + 2;
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Template { source: text.to_owned(), parts })
    }
}

/// What stands between braces; `at` is where it begins in the template.
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
        let help =
            "write the name of a field between the braces, or {{}} for braces that stand for themselves";
        return Err(TemplateError::new(at.saturating_sub(1)..at + 1, "a placeholder without a name", help));
    }
    let mut step_at = at;
    for step in text.split('.') {
        let wrong = step.char_indices().find(|(_, c)| !(c.is_alphanumeric() || *c == '_' || *c == '-'));
        if let Some((offset, character)) = wrong {
            let start = step_at + offset;
            let message = format!("{character:?} can't stand in the name of a field");
            let help = "names are letters, digits, _ and -, with dots between the steps of a path";
            return Err(TemplateError::new(start..start + character.len_utf8(), message, help));
        }
        if step.is_empty() {
            let help = "write a path as names with one dot between them, such as {address.city}";
            return Err(TemplateError::new(at..at + text.len(), "a path with an empty step", help));
        }
        step_at += step.len() + 1;
    }
    Ok(text.to_owned())
}

fn shard(text: &str, at: usize) -> Result<Part, TemplateError> {
    let range = at..at + text.len();
    let help =
        "a shard is written {shard:post_id/8}: the field whose value chooses it, and how many there are";
    let Some((field, count)) = text.split_once('/') else {
        return Err(TemplateError::new(range, "a shard without a number of shards", help));
    };
    let field = path(field, at)?;
    let count_range = range.end - count.len()..range.end;
    match count.parse() {
        Ok(count) if (2..=SHARDS_MAX).contains(&count) => Ok(Part::Shard { path: field, count }),
        Ok(_) => {
            let message = format!("there are 2 to {SHARDS_MAX} shards");
            Err(TemplateError::new(count_range, message, help))
        }
        Err(_) => {
            let message = format!("{count:?} is not a number of shards");
            Err(TemplateError::new(count_range, message, help))
        }
    }
}

fn read_format(text: &str, at: usize) -> Result<Format, TemplateError> {
    if let Some((_, format)) = FORMATS.iter().find(|(name, _)| *name == text) {
        return Ok(*format);
    }
    let range = at..at + text.len();
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return padded(text, range, false);
    }
    if let Some(width) = text.strip_prefix('+') {
        return padded(width, range, true);
    }
    let message =
        if text.is_empty() { "a format is missing".to_owned() } else { format!("there is no format {text}") };
    let nearest = nearest(text, FORMATS.iter().map(|(name, _)| *name));
    let help = match nearest {
        Some(name) => format!("did you mean {name}?"),
        None => {
            let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
            format!("formats are {}, and a width for numbers such as 05.2 or +05.2", names.join(", "))
        }
    };
    Err(TemplateError::new(range, message, help))
}

/// `05.2`: a zero, the width, and how many of it are decimals. With a sign, one character of the width is the sign.
fn padded(text: &str, range: Range<usize>, signed: bool) -> Result<Format, TemplateError> {
    let help = "a number is written with zeros in front, such as {rating:05.2}: 5 characters in all, 2 of them decimals";
    let (width, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let Some(width) = width.strip_prefix('0') else {
        let message = format!("the width of a number begins with a zero: 0{text}");
        return Err(TemplateError::new(range, message, help));
    };
    let (Ok(width), Ok(decimals)) = (width.parse::<u8>(), decimals.parse::<u8>()) else {
        return Err(TemplateError::new(range, format!("{text:?} is not the width of a number"), help));
    };
    if width == 0 || width > WIDTH_MAX {
        return Err(TemplateError::new(range, format!("a number is 1 to {WIDTH_MAX} characters wide"), help));
    }
    if text.contains('.') && decimals == 0 {
        return Err(TemplateError::new(range, "no decimals are written without a point", help));
    }
    if signed && width < 2 {
        return Err(TemplateError::new(range, "a sign and a digit are 2 characters wide", help));
    }
    let needed = u16::from(decimals) + 2 + u16::from(signed);
    if decimals > 0 && needed > u16::from(width) {
        let sign = if signed { ", the sign" } else { "" };
        let message = format!(
            "{decimals} decimals, the point{sign} and a digit before it are {needed} characters, and the width is {width}"
        );
        return Err(TemplateError::new(range, message, help));
    }
    Ok(Format::Padded { width, decimals, signed })
}
