//! Parses JSON strictly, with a limit on nesting, and reports the position of the first error.

use std::collections::HashSet;
use std::str::FromStr;

use singlet_values::Number;

use super::Json;

/// The maximum nesting; DynamoDB allows 32 levels.
const DEPTH_MAX: usize = 64;

/// Objects with more members keep a set of their names, so that a duplicate is found without a search.
const MEMBERS_SEARCHED_MAX: usize = 16;

/// The reason why a text isn't JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {at}")]
pub struct JsonError {
    /// The byte at which parsing stopped.
    pub at: usize,
    /// The mistake there.
    pub reason: &'static str,
}

impl JsonError {
    /// Returns the position for people: `line 2, column 7`, or only the column if the text has one line. It says so if
    /// the text ends there.
    pub fn place(&self, text: &str) -> String {
        let (before, rest) = text.split_at_checked(self.at).unwrap_or((text, ""));
        if !before.is_empty() && rest.trim().is_empty() {
            // White space after the last word isn't where something is missing.
            return format!("{}, where the text ends", Self::position(before.trim_end(), text));
        }
        Self::position(before, text)
    }

    /// The position after the beginning of a text.
    fn position(before: &str, text: &str) -> String {
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        if text.trim_end().contains('\n') {
            format!("line {line}, column {column}")
        } else {
            format!("column {column}")
        }
    }
}

impl FromStr for Json {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Json, JsonError> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.space();
        if reader.at < text.len() {
            return Err(reader.error("unexpected text after the value"));
        }
        Ok(value)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > DEPTH_MAX {
            return Err(self.error("nested too deeply"));
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut members: Vec<(String, Json)> = Vec::new();
        // Small objects, which most are, are searched faster than they are hashed.
        let mut names: HashSet<String> = HashSet::new();
        if self.closes(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.error("expected a name in double quotes"));
            }
            let name = self.string()?;
            let is_known = match members.len() {
                0..MEMBERS_SEARCHED_MAX => members.iter().any(|(known, _)| *known == name),
                MEMBERS_SEARCHED_MAX => {
                    names.extend(members.iter().map(|(known, _)| known.clone()));
                    !names.insert(name.clone())
                }
                _ => !names.insert(name.clone()),
            };
            if is_known {
                return Err(JsonError { at: start, reason: "a name appears twice in an object" });
            }
            self.expect(b':', "expected a colon")?;
            members.push((name, self.value(depth + 1)?));
            if self.closes(b'}') {
                return Ok(Json::Object(members));
            }
            self.expect(b',', "expected a comma or a closing brace")?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut elements = Vec::new();
        if self.closes(b']') {
            return Ok(Json::List(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.closes(b']') {
                return Ok(Json::List(elements));
            }
            self.expect(b',', "expected a comma or a closing bracket")?;
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut value = String::new();
        loop {
            let rest = self.rest();
            let stop = rest
                .find(|character: char| character == '"' || character == '\\' || character < ' ')
                .ok_or(JsonError { at: self.text.len(), reason: "missing closing quote" })?;
            let (plain, tail) = rest.split_at(stop);
            value.push_str(plain);
            self.at += stop;
            match tail.bytes().next() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(value);
                }
                Some(b'\\') => value.push(self.escape()?),
                _ if tail.trim().is_empty() => return Err(self.error("missing closing quote")),
                _ => return Err(self.error("a control character must be escaped")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.error("unknown escape sequence")),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode(&mut self) -> Result<char, JsonError> {
        let first = self.hex()?;
        let code = match first {
            0xD800..=0xDBFF => {
                if !self.rest().starts_with("\\u") {
                    return Err(self.error("incomplete surrogate pair"));
                }
                self.at += 1;
                let second = self.hex()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(self.error("incomplete surrogate pair"));
                }
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            _ => first,
        };
        char::from_u32(code).ok_or(self.error("incomplete surrogate pair"))
    }

    /// Parses four hexadecimal digits after the `u` at the current position.
    fn hex(&mut self) -> Result<u32, JsonError> {
        let digits =
            self.rest().get(1..5).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or(self.error("expected four hexadecimal digits"))?;
        self.at += 5;
        Ok(code)
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let rest = self.rest();
        let length =
            rest.find(|character: char| !"+-.eE0123456789".contains(character)).unwrap_or(rest.len());
        let (text, _) = rest.split_at(length);
        if !is_json_number(text) {
            return Err(self.error("not a JSON number"));
        }
        let number: Number = text.parse().map_err(|_| {
            self.error("a number must have at most 38 digits and be between 1E-130 and 9.9E+125")
        })?;
        self.at += length;
        Ok(Json::Number(number))
    }

    fn word(&mut self) -> Result<Json, JsonError> {
        for (word, value) in [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)]
        {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("expected a value"))
    }

    fn closes(&mut self, bracket: u8) -> bool {
        self.space();
        let closes = self.peek() == Some(bracket);
        if closes {
            self.at += 1;
        }
        closes
    }

    fn expect(&mut self, byte: u8, reason: &'static str) -> Result<(), JsonError> {
        self.space();
        if self.peek() != Some(byte) {
            return Err(self.error(reason));
        }
        self.at += 1;
        Ok(())
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&self, reason: &'static str) -> JsonError {
        JsonError { at: self.at, reason }
    }
}

/// Checks JSON's grammar of numbers, which is narrower than DynamoDB's: no leading plus, no leading zeros, digits on
/// both sides of the point.
fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}
