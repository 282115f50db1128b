//! From text to tokens.

use crate::error::{Position, StatementError};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A keyword or an identifier without quotes.
    Word,
    /// An identifier in double quotes.
    Quoted,
    /// A string in single quotes.
    Text,
    /// A number without a sign.
    Number,
    /// An operator or a bracket.
    Symbol,
    /// The end of the text.
    End,
}

/// A token: its text with its quotes, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    start: usize,
}

/// Operators and brackets. Those that begin with another come before it.
const SYMBOLS: &[&str] = &[
    "<<", ">>", "<>", "<=", ">=", "!=", "||", "=", "<", ">", "(", ")", "[", "]", "{", "}", ",", ".", ":",
    ";", "*", "/", "%", "+", "-", "?",
];

impl Token<'_> {
    /// Whether the token is this keyword, in any case.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    /// The content of a string or a quoted identifier. A doubled quote stands for one.
    pub(crate) fn content(&self) -> String {
        let quote = match self.kind {
            TokenKind::Text => "'",
            TokenKind::Quoted => "\"",
            _ => return self.text.to_owned(),
        };
        let inner = self.text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        inner.unwrap_or_default().replace(&quote.repeat(2), quote)
    }
}

/// Reads tokens from a text, one at a time.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Lexer { text, at: 0 }
    }

    /// The next token; at the end of the text, [`TokenKind::End`] again and again.
    pub(crate) fn next(&mut self) -> Result<Token<'a>, StatementError> {
        self.skip_blanks()?;
        let rest = self.rest();
        let (kind, length) = measure(rest).ok_or_else(|| StatementError::malformed(""))?;
        let start = self.at;
        self.at += length;
        Ok(Token { kind, text: rest.get(..length).unwrap_or_default(), start })
    }

    /// Where a token stands in the text.
    pub(crate) fn position(&self, token: &Token<'_>) -> Position {
        let before = self.text.get(..token.start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position {
            line: 1 + before.matches('\n').count(),
            column: 1 + before.get(line_start..).unwrap_or_default().chars().count(),
            length: token.text.chars().count(),
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips white space, `-- line` comments and `/* block */` comments.
    fn skip_blanks(&mut self) -> Result<(), StatementError> {
        loop {
            let rest = self.rest();
            self.at += if rest.starts_with("--") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment.find("*/").ok_or_else(|| StatementError::malformed(""))?;
                "/*".len() + end + "*/".len()
            } else {
                match rest.len() - rest.trim_start().len() {
                    0 => return Ok(()),
                    blanks => blanks,
                }
            };
        }
    }
}

/// The kind and the length of the token at the beginning; `None` if it can't be read.
fn measure(rest: &str) -> Option<(TokenKind, usize)> {
    let Some(first) = rest.chars().next() else { return Some((TokenKind::End, 0)) };
    let digit_follows = || rest.chars().nth(1).is_some_and(|next| next.is_ascii_digit());
    match first {
        '\'' => Some((TokenKind::Text, quoted_length(rest, '\'')?)),
        '"' => Some((TokenKind::Quoted, quoted_length(rest, '"')?)),
        '0'..='9' => Some((TokenKind::Number, number_length(rest)?)),
        '.' if digit_follows() => Some((TokenKind::Number, number_length(rest)?)),
        _ if is_word_start(first) => {
            let end = rest.find(|other| !is_word_start(other) && !other.is_ascii_digit());
            Some((TokenKind::Word, end.unwrap_or(rest.len())))
        }
        _ => {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
            Some((TokenKind::Symbol, symbol.len()))
        }
    }
}

fn is_word_start(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_' || letter == '$'
}

/// The length up to the closing quote. A doubled quote doesn't close.
fn quoted_length(rest: &str, quote: char) -> Option<usize> {
    let mut inner = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = inner.next() {
        if letter != quote {
            continue;
        }
        if inner.next_if(|(_, next)| *next == quote).is_none() {
            return Some(at + quote.len_utf8());
        }
    }
    None
}

/// The length of `digits[.digits][e[+-]digits]`. A number must not run into a word.
fn number_length(rest: &str) -> Option<usize> {
    let digits = |from: usize| {
        let tail = rest.as_bytes().get(from..).unwrap_or_default();
        tail.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let byte = |at: usize| rest.as_bytes().get(at).copied();
    let mut length = digits(0);
    let mut fraction = 0;
    if byte(length) == Some(b'.') {
        fraction = digits(length + 1);
        length += 1 + fraction;
    }
    if matches!(byte(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(byte(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        let text = rest.get(length + 1..length + 1 + sign + exponent)?;
        // DynamoDB keeps the exponent and the number of decimal places in 32 bits.
        let exponent_value: i32 = text.parse().ok()?;
        i32::try_from(i64::try_from(fraction).ok()? - i64::from(exponent_value)).ok()?;
        length += 1 + sign + exponent;
    }
    let runs_on = rest.get(length..)?.chars().next().is_some_and(is_word_start);
    (!runs_on).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<&str>, StatementError> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next()?;
            if token.kind == TokenKind::End {
                return Ok(tokens);
            }
            tokens.push(token.text);
        }
    }

    #[test]
    fn texts_split_into_tokens() {
        for (text, expected) in [
            ("a<=b", vec!["a", "<=", "b"]),
            ("<<1,'x'>>", vec!["<<", "1", ",", "'x'", ">>"]),
            ("'it''s' \"a\"\"b\"", vec!["'it''s'", "\"a\"\"b\""]),
            ("l[0].x", vec!["l", "[", "0", "]", ".", "x"]),
            ("-.5e+3 1 e5", vec!["-", ".5e+3", "1", "e5"]),
            ("a--note\nb/* c */d", vec!["a", "b", "d"]),
            ("  ", vec![]),
        ] {
            assert_eq!(tokens(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn unreadable_texts_are_refused() {
        for text in
            ["'open", "\"open", "/* open", "#", "1e", "1e2147483648", "1.5e-2147483647", "12abc", "`1`", "!"]
        {
            assert_eq!(tokens(text), Err(StatementError::malformed("")), "{text}");
        }
    }

    #[test]
    fn positions_count_lines_and_characters() {
        let mut lexer = Lexer::new("é\n  word");
        lexer.next().unwrap();
        let token = lexer.next().unwrap();
        assert_eq!(lexer.position(&token).to_string(), "2:3:4");
    }
}
