//! Templates and their parts as they are written.

use std::fmt;

use super::{FORMATS, Format, Part, Template};

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// As a template has it, braces doubled.
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

/// The word after the colon; nothing for [`Format::Plain`].
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Padded { width, decimals, signed } => {
                let sign = if *signed { "+" } else { "" };
                match decimals {
                    0 => write!(f, "{sign}0{width}"),
                    decimals => write!(f, "{sign}0{width}.{decimals}"),
                }
            }
            other => {
                let name = FORMATS.iter().find(|(_, format)| format == other).map(|(name, _)| *name);
                f.write_str(name.unwrap_or_default())
            }
        }
    }
}
