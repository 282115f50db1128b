//! Tokens that mutations put into inputs, in the files that libFuzzer reads too.

use crate::Target;

/// The tokens of a target.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    /// Each token's bytes.
    pub tokens: Vec<Vec<u8>>,
}

impl Dictionary {
    /// The dictionary of a target: one token a line, in quotes, with `\"`, `\\` and `\xNN`.
    pub fn of(target: Target) -> Self {
        let path = format!("{}/dictionaries/{}.dict", env!("CARGO_MANIFEST_DIR"), target.name());
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Dictionary { tokens: text.lines().filter_map(token).collect() }
    }
}

fn token(line: &str) -> Option<Vec<u8>> {
    let line = line.trim();
    let quoted = line.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let mut bytes = Vec::new();
    let mut rest = quoted;
    loop {
        match rest {
            [] => return Some(bytes),
            [b'\\', b'x', high, low, tail @ ..] => {
                let hex = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).ok()?, 16).ok()?);
                rest = tail;
            }
            [b'\\', escaped, tail @ ..] => {
                bytes.push(*escaped);
                rest = tail;
            }
            [byte, tail @ ..] => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_as_libfuzzer_reads_them() {
        assert_eq!(token(r#""a\x00\"\\b""#).unwrap(), b"a\0\"\\b");
        assert_eq!(token("# a comment"), None);
        assert_eq!(token(""), None);
    }

    #[test]
    fn every_target_has_a_dictionary() {
        for target in Target::ALL {
            assert!(!Dictionary::of(*target).tokens.is_empty(), "{}", target.name());
        }
    }
}
