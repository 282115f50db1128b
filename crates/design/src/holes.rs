//! Texts with holes in braces, such as `USER#{user_id}` and `{now + 30s}`.
//!
//! Templates of keys and values of patterns are both such texts. They differ in what a hole can contain.

use std::ops::Range;

/// A piece of a text with holes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HolePiece<'t> {
    /// Text around holes, in which doubled braces are single ones. Never empty.
    Literal(String),
    /// A hole.
    Hole {
        /// The text between the braces.
        inside: &'t str,
        /// The position of the opening brace.
        at: usize,
    },
}

/// The reason why the braces of a text don't match.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BraceError {
    /// The brace.
    pub(crate) range: Range<usize>,
    /// The mistake.
    pub(crate) message: &'static str,
    /// How to correct it.
    pub(crate) help: &'static str,
}

/// The pieces of a text, from the left. Nothing useful follows an error.
pub(crate) struct Holes<'t> {
    text: &'t str,
    at: usize,
}

/// Returns the pieces of a text.
pub(crate) fn holes(text: &str) -> Holes<'_> {
    Holes { text, at: 0 }
}

impl<'t> Holes<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes the text before the next hole.
    fn literal(&mut self) -> Result<String, BraceError> {
        let mut literal = String::new();
        loop {
            let rest = self.rest();
            let (before, brace) = rest.split_at(rest.find(['{', '}']).unwrap_or(rest.len()));
            literal.push_str(before);
            self.at += before.len();
            if brace.starts_with("{{") || brace.starts_with("}}") {
                literal.extend(brace.chars().next());
                self.at += 2;
            } else if brace.starts_with('}') {
                let help = "write `}}` for a literal brace";
                return Err(BraceError {
                    range: self.at..self.at + 1,
                    message: "unmatched closing brace",
                    help,
                });
            } else {
                return Ok(literal);
            }
        }
    }

    /// Takes the hole that begins here; `None` at the end of the text.
    fn hole(&mut self) -> Option<Result<HolePiece<'t>, BraceError>> {
        let inside = self.rest().strip_prefix('{')?;
        let (inside, after) = inside.split_at(inside.find(['{', '}']).unwrap_or(inside.len()));
        let at = self.at;
        if !after.starts_with('}') {
            let help = "close it with `}`, or write `{{` for a literal brace";
            return Some(Err(BraceError { range: at..at + 1, message: "missing closing brace", help }));
        }
        self.at += inside.len() + 2;
        Some(Ok(HolePiece::Hole { inside, at }))
    }
}

impl<'t> Iterator for Holes<'t> {
    type Item = Result<HolePiece<'t>, BraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.literal() {
            Err(error) => Some(Err(error)),
            Ok(literal) if literal.is_empty() => self.hole(),
            Ok(literal) => Some(Ok(HolePiece::Literal(literal))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Result<HolePiece<'_>, BraceError> {
        Ok(HolePiece::Literal(text.to_owned()))
    }

    #[test]
    fn literals_and_holes_take_turns_and_doubled_braces_are_text() {
        let pieces: Vec<_> = holes("a{{b}}{c}{d}e").collect();
        let hole = |inside, at| Ok(HolePiece::Hole { inside, at });
        assert_eq!(pieces, [literal("a{b}"), hole("c", 6), hole("d", 9), literal("e")]);
        assert_eq!(holes("").next(), None);
    }

    #[test]
    fn an_error_comes_after_the_pieces_before_it() {
        let mut pieces = holes("a{b}c}");
        assert_eq!(pieces.next(), Some(literal("a")));
        assert_eq!(pieces.next(), Some(Ok(HolePiece::Hole { inside: "b", at: 1 })));
        let error = pieces.next().and_then(Result::err);
        assert_eq!(error.map(|error| (error.range, error.message)), Some((5..6, "unmatched closing brace")));
        let open = holes("{a{b}").next().and_then(Result::err);
        assert_eq!(open.map(|error| (error.range, error.message)), Some((0..1, "missing closing brace")));
    }
}
