//! Prints JSON.

use std::fmt::{self, Write};

use super::Json;

/// Prints compact JSON; `{:#}` prints one member per line.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = f.alternate().then_some(0);
        write_value(f, self, indent)
    }
}

fn write_value(f: &mut fmt::Formatter<'_>, value: &Json, indent: Option<usize>) -> fmt::Result {
    match value {
        Json::Null => f.write_str("null"),
        Json::Bool(value) => write!(f, "{value}"),
        Json::Number(number) => write!(f, "{number}"),
        Json::Text(text) => write_text(f, text),
        Json::List(elements) => write_all(f, ('[', ']'), elements, indent, write_value),
        Json::Object(members) => write_all(f, ('{', '}'), members, indent, |f, (name, value), indent| {
            write_text(f, name)?;
            f.write_str(if indent.is_some() { ": " } else { ":" })?;
            write_value(f, value, indent)
        }),
    }
}

fn write_all<T>(
    f: &mut fmt::Formatter<'_>,
    (open, close): (char, char),
    parts: &[T],
    indent: Option<usize>,
    write_part: impl Fn(&mut fmt::Formatter<'_>, &T, Option<usize>) -> fmt::Result,
) -> fmt::Result {
    f.write_char(open)?;
    let inner = indent.map(|depth| depth + 1);
    for (position, part) in parts.iter().enumerate() {
        if position > 0 {
            f.write_char(',')?;
        }
        new_line(f, inner)?;
        write_part(f, part, inner)?;
    }
    if !parts.is_empty() {
        new_line(f, indent)?;
    }
    f.write_char(close)
}

fn new_line(f: &mut fmt::Formatter<'_>, indent: Option<usize>) -> fmt::Result {
    match indent {
        Some(depth) => write!(f, "\n{:width$}", "", width = depth * 2),
        None => Ok(()),
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    let mut plain = text;
    while let Some(at) =
        plain.find(|character: char| character == '"' || character == '\\' || character < ' ')
    {
        let (before, rest) = plain.split_at(at);
        f.write_str(before)?;
        let mut characters = rest.chars();
        match characters.next() {
            Some('"') => f.write_str("\\\"")?,
            Some('\\') => f.write_str("\\\\")?,
            Some('\n') => f.write_str("\\n")?,
            Some('\r') => f.write_str("\\r")?,
            Some('\t') => f.write_str("\\t")?,
            Some(control) => write!(f, "\\u{:04x}", u32::from(control))?,
            None => {}
        }
        plain = characters.as_str();
    }
    f.write_str(plain)?;
    f.write_char('"')
}
