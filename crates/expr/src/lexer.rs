//! From text to tokens. One lexer serves all kinds of expressions, so a keyword of one is a keyword in all.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A letter, then letters, digits and underscores.
    Identifier,
    /// `#` and at least one letter, digit or underscore.
    Name,
    /// `:` and at least one letter, digit or underscore.
    Value,
    /// Digits.
    Digits,
    And,
    Or,
    Not,
    Between,
    In,
    Set,
    Remove,
    Add,
    Delete,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Dot,
    /// A character that begins no token.
    Unknown,
    /// The end of the text.
    End,
}

/// A token and where it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Reads tokens from a text, one at a time.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Lexer { text, position: 0 }
    }

    /// The text that a token was read from.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The next token; at the end of the text, [`TokenKind::End`] again and again.
    pub(crate) fn next(&mut self) -> Token {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let start = self.position + self.rest().iter().take_while(|byte| blank(byte)).count();
        self.position = start;
        let (kind, len) = self.measure();
        self.position = start + len;
        Token { kind, start, end: self.position }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.position..).unwrap_or_default()
    }

    /// The kind and the length of the token that begins here.
    fn measure(&self) -> (TokenKind, usize) {
        let Some((&first, rest)) = self.rest().split_first() else { return (TokenKind::End, 0) };
        let word_len = || rest.iter().take_while(|byte| is_word(**byte)).count();
        let followed_by = |byte| rest.first() == Some(&byte);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' => {
                let len = 1 + word_len();
                (keyword(self.slice(self.position, self.position + len)), len)
            }
            b'0'..=b'9' => {
                (TokenKind::Digits, 1 + rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
            }
            b'#' if word_len() > 0 => (TokenKind::Name, 1 + word_len()),
            b':' if word_len() > 0 => (TokenKind::Value, 1 + word_len()),
            b'=' => (TokenKind::Equal, 1),
            b'<' if followed_by(b'>') => (TokenKind::NotEqual, 2),
            b'<' if followed_by(b'=') => (TokenKind::LessOrEqual, 2),
            b'<' => (TokenKind::Less, 1),
            b'>' if followed_by(b'=') => (TokenKind::GreaterOrEqual, 2),
            b'>' => (TokenKind::Greater, 1),
            b'+' => (TokenKind::Plus, 1),
            b'-' => (TokenKind::Minus, 1),
            b'(' => (TokenKind::Open, 1),
            b')' => (TokenKind::Close, 1),
            b'[' => (TokenKind::OpenBracket, 1),
            b']' => (TokenKind::CloseBracket, 1),
            b',' => (TokenKind::Comma, 1),
            b'.' => (TokenKind::Dot, 1),
            _ => (TokenKind::Unknown, self.char_len()),
        }
    }

    /// The length of the character that begins here; more than one byte outside ASCII.
    fn char_len(&self) -> usize {
        let rest = self.text.get(self.position..).unwrap_or_default();
        rest.chars().next().map_or(1, char::len_utf8)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Keywords are recognised in any case.
fn keyword(word: &str) -> TokenKind {
    let keywords: &[(&str, TokenKind)] = match word.len() {
        2 => &[("or", TokenKind::Or), ("in", TokenKind::In)],
        3 => &[
            ("and", TokenKind::And),
            ("set", TokenKind::Set),
            ("not", TokenKind::Not),
            ("add", TokenKind::Add),
        ],
        6 => &[("remove", TokenKind::Remove), ("delete", TokenKind::Delete)],
        7 => &[("between", TokenKind::Between)],
        _ => &[],
    };
    let found = keywords.iter().find(|(keyword, _)| word.eq_ignore_ascii_case(keyword));
    found.map_or(TokenKind::Identifier, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| {
            let token = lexer.next();
            (token.kind != TokenKind::End).then(|| (token.kind, lexer.slice(token.start, token.end)))
        })
        .collect()
    }

    #[test]
    fn words_placeholders_and_digits_end_where_another_character_begins() {
        use TokenKind::*;
        assert_eq!(tokens("ab_1#b:c9"), [(Identifier, "ab_1"), (Name, "#b"), (Value, ":c9")]);
        assert_eq!(tokens("12a #1 :_"), [(Digits, "12"), (Identifier, "a"), (Name, "#1"), (Value, ":_")]);
        assert_eq!(tokens(" \t\r\na"), [(Identifier, "a")]);
    }

    #[test]
    fn keywords_are_whole_words_in_any_case() {
        use TokenKind::*;
        assert_eq!(
            tokens("aNd or NOT bETween in"),
            [(And, "aNd"), (Or, "or"), (Not, "NOT"), (Between, "bETween"), (In, "in")]
        );
        assert_eq!(
            tokens("SET reMOVE add delete"),
            [(Set, "SET"), (Remove, "reMOVE"), (Add, "add"), (Delete, "delete")]
        );
        assert!(tokens("android ors note into sets").iter().all(|(kind, _)| *kind == Identifier));
    }

    #[test]
    fn the_longest_comparator_wins() {
        use TokenKind::*;
        let kinds: Vec<TokenKind> = tokens("= <> <= < >= > =<").into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Equal, NotEqual, LessOrEqual, Less, GreaterOrEqual, Greater, Equal, Less]);
    }

    #[test]
    fn a_character_that_begins_no_token_is_one_token_whatever_its_width() {
        use TokenKind::*;
        assert_eq!(tokens("_a"), [(Unknown, "_"), (Identifier, "a")]);
        assert_eq!(tokens("ü€😀"), [(Unknown, "ü"), (Unknown, "€"), (Unknown, "😀")]);
        assert_eq!(tokens("# :!"), [(Unknown, "#"), (Unknown, ":"), (Unknown, "!")]);
    }
}
