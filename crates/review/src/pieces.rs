//! Keys as pieces between separators. Values never contain the separator, so keys can be compared piece by piece.

use singlet_design::{Entity, FieldType, Format, Part, Template};

/// Most shards whose numbers are listed as choices. With more, a shard counts as any number.
const SHARDS_LISTED_MAX: u32 = 1024;

/// The text between two separators of a key.
#[derive(Debug, Default)]
pub(super) struct Piece {
    literal: String,
    /// Whether a placeholder follows the literal.
    open: bool,
    /// The values of the placeholder, if it is an enum and the whole piece.
    choices: Option<Vec<String>>,
    /// Whether the placeholder's text begins with a digit or a minus: a time, a number, a shard.
    numeric: bool,
    /// The length of the placeholder's text, if it is fixed.
    width: Option<u64>,
}

impl Piece {
    /// Whether two pieces can be the same text.
    pub(super) fn meets(&self, other: &Piece) -> bool {
        match (self.open, other.open) {
            (false, false) => self.literal == other.literal,
            (true, false) => self.takes(&other.literal),
            (false, true) => other.takes(&self.literal),
            (true, true) => match (&self.choices, &other.choices) {
                (Some(mine), Some(theirs)) => mine.iter().any(|choice| theirs.contains(choice)),
                (Some(mine), None) => mine.iter().any(|choice| other.takes(choice)),
                (None, Some(theirs)) => theirs.iter().any(|choice| self.takes(choice)),
                (None, None) => self.opens_like(other),
            },
        }
    }

    /// Whether a text of this piece can begin with a text of another piece.
    pub(super) fn begins_with(&self, beginning: &Piece) -> bool {
        if beginning.open {
            return self.meets(beginning);
        }
        let wanted = beginning.literal.as_str();
        match &self.choices {
            Some(choices) => choices.iter().any(|choice| choice.starts_with(wanted)),
            None if self.literal.starts_with(wanted) => true,
            None => {
                self.open
                    && wanted.strip_prefix(self.literal.as_str()).is_some_and(|rest| self.continues(rest))
            }
        }
    }

    /// Whether the piece can be this text.
    fn takes(&self, text: &str) -> bool {
        match &self.choices {
            Some(choices) => choices.iter().any(|choice| choice == text),
            None => text.strip_prefix(self.literal.as_str()).is_some_and(|rest| {
                let fits = self.width.is_none_or(|width| rest.chars().count() as u64 == width);
                !rest.is_empty() && fits && self.continues(rest)
            }),
        }
    }

    /// Whether the placeholder's text can begin like this.
    fn continues(&self, rest: &str) -> bool {
        !self.numeric || rest.is_empty() || is_numeric(rest)
    }

    /// Whether two pieces with placeholders, neither of them a choice, can be the same text.
    fn opens_like(&self, other: &Piece) -> bool {
        let (one, two) = (self.literal.as_str(), other.literal.as_str());
        if one == two {
            let widths = self.width.zip(other.width);
            return widths.is_none_or(|(one, two)| one == two);
        }
        let behind = two.strip_prefix(one).map(|rest| (self, rest));
        let behind = behind.or_else(|| one.strip_prefix(two).map(|rest| (other, rest)));
        behind.is_some_and(|(shorter, rest)| shorter.continues(rest))
    }

    fn append(&mut self, choices: Option<Vec<String>>, numeric: bool, width: Option<u64>) {
        let alone = !self.open && self.literal.is_empty();
        self.choices = choices.filter(|_| alone);
        // After another placeholder: the first one decides how the text begins, and the width isn't known.
        self.numeric = if self.open { self.numeric } else { numeric };
        self.width = width.filter(|_| !self.open);
        self.open = true;
    }
}

/// Whether a text begins like a number or a time.
pub(super) fn is_numeric(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
}

/// The pieces of a list of template parts.
pub(super) fn pieces(entity: &Entity, parts: &[Part]) -> Vec<Piece> {
    let mut pieces = vec![Piece::default()];
    for part in parts {
        let Some(last) = pieces.last_mut() else { break };
        match part {
            Part::Literal(text) => {
                let mut words = text.split(entity.table.separator);
                let first = words.next().unwrap_or("");
                if last.open && !first.is_empty() {
                    // A text follows the placeholder, so its values and its width no longer decide.
                    (last.choices, last.width) = (None, None);
                } else {
                    last.literal.push_str(first);
                }
                pieces.extend(words.map(|word| Piece { literal: word.to_owned(), ..Piece::default() }));
            }
            Part::Shard { count, .. } => {
                let numbers = (*count <= SHARDS_LISTED_MAX).then_some(0..*count);
                last.append(numbers.map(|all| all.map(|shard| shard.to_string()).collect()), true, None);
            }
            Part::Field { path, format } => {
                let kind = entity.field_at(path);
                let choices = match kind {
                    Some(FieldType::Choice(choices)) if *format == Format::Plain => Some(choices.clone()),
                    _ => None,
                };
                last.append(choices, numeric(kind, *format), format.width());
            }
        }
    }
    pieces
}

/// Whether the text of a field in a key begins with a digit or a minus.
pub(super) fn numeric(kind: Option<&FieldType>, format: Format) -> bool {
    use FieldType::{Date, Epoch, Int, Number, Time};
    matches!(format, Format::Padded { .. })
        || matches!(kind, Some(Date | Time | Epoch | Int { .. } | Number { .. }))
}

/// Whether two templates can make the same text.
pub(super) fn overlap(one: &Entity, first: &Template, two: &Entity, second: &Template) -> bool {
    let (first, second) = (pieces(one, &first.parts), pieces(two, &second.parts));
    first.len() == second.len() && first.iter().zip(&second).all(|(first, second)| first.meets(second))
}
