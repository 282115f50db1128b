//! Finds the entities whose items a key condition may read.
//!
//! A key is text in segments with separators between them, because a value in a template never contains the separator. Two
//! keys can be equal only if each pair of segments can. In doubt, the answer is that they may be equal.

use crate::model::{Entity, FieldType, Index, IndexEntry};
use crate::template::{Format, Part, Template};

use super::super::template::find;
use super::{PatternDraft, ResolvedEntity};

/// The keys that a read covers: whole partition keys, and the beginning of the sort key.
pub(super) struct KeyShape {
    partition: Vec<Option<Vec<Segment>>>,
    /// The first sort attribute, as far as it is given.
    sort: Option<Vec<Segment>>,
}

impl KeyShape {
    /// Returns the keys that a read of the table covers, with the sort key up to a part.
    pub(super) fn of_table(entity: &Entity, sort_parts: usize) -> Self {
        let segments = |template: &Template, parts| segments(entity, template, parts);
        KeyShape {
            partition: vec![segments(&entity.key.partition, usize::MAX)],
            sort: entity.key.sort.as_ref().and_then(|sort| segments(sort, sort_parts)),
        }
    }

    /// Returns the keys that a read of an index covers. Zero parts include the text before the first placeholder.
    pub(super) fn of_entry(entity: &Entity, entry: &IndexEntry, sort_parts: usize) -> Self {
        KeyShape {
            partition: entry
                .partition
                .iter()
                .map(|template| segments(entity, template, usize::MAX))
                .collect(),
            sort: entry.sort.first().and_then(|sort| segments(entity, sort, sort_parts)),
        }
    }

    /// Returns whether the read may cover an item with this key.
    fn may_read(&self, other: &KeyShape) -> bool {
        let partition = self.partition.iter().zip(&other.partition).all(|(own, other)| match (own, other) {
            (Some(own), Some(other)) => {
                own.len() == other.len() && own.iter().zip(other).all(|(own, other)| own.may_equal(other))
            }
            _ => true,
        });
        partition && self.may_read_sort(other)
    }

    fn may_read_sort(&self, other: &KeyShape) -> bool {
        let (Some(own), Some(other)) = (&self.sort, &other.sort) else { return true };
        let Some((last, whole)) = own.split_last() else { return true };
        other.len() >= own.len()
            && whole.iter().zip(other).all(|(own, other)| own.may_equal(other))
            && other.get(whole.len()).is_none_or(|segment| segment.may_begin_with(last))
    }
}

impl PatternDraft<'_> {
    /// Returns whether items of other entities may be among those that a key covers.
    pub(super) fn is_mixed(&self, wanted: &[&ResolvedEntity], key: &KeyShape, on: Option<&Index>) -> bool {
        let Some(table) = wanted.first().map(|known| &known.entity.table) else { return false };
        let others = self.entities.list.iter().map(|known| &known.entity).filter(|other| {
            other.table.label == table.label && !wanted.iter().any(|known| known.entity.name == other.name)
        });
        let mut shapes = others.filter_map(|other| match on {
            None => Some(KeyShape::of_table(other, usize::MAX)),
            Some(index) => Some(KeyShape::of_entry(other, other.entry(&index.name)?, usize::MAX)),
        });
        shapes.any(|other| key.may_read(&other))
    }
}

/// A piece of a key between separators.
#[derive(Debug, Default)]
struct Segment(Vec<Piece>);

#[derive(Debug, Clone)]
enum Piece {
    /// This text.
    Literal(String),
    /// One of these texts.
    OneOf(Vec<String>),
    /// Text that begins with a digit: a time, a padded number, a shard.
    Digits,
    /// Any text without the separator.
    Any,
}

impl Segment {
    fn may_equal(&self, other: &Segment) -> bool {
        match (self.0.as_slice(), other.0.as_slice()) {
            ([], []) => true,
            // A placeholder is never empty.
            ([], _) | (_, []) => false,
            ([one], [other]) => one.may_equal(other),
            ([one, ..], [other, ..]) => one.may_start_like(other),
        }
    }

    /// Returns whether text of this segment may begin with text of the other one.
    fn may_begin_with(&self, beginning: &Segment) -> bool {
        match (self.0.first(), beginning.0.first()) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(Piece::Literal(own)), Some(Piece::Literal(wanted))) => {
                own.starts_with(wanted.as_str()) || (self.0.len() > 1 && wanted.starts_with(own.as_str()))
            }
            (Some(own), Some(wanted)) => own.may_start_like(wanted),
        }
    }
}

impl Piece {
    fn may_equal(&self, other: &Piece) -> bool {
        match (self, other) {
            (Piece::Literal(one), Piece::Literal(other)) => one == other,
            (Piece::Literal(text), Piece::OneOf(texts)) | (Piece::OneOf(texts), Piece::Literal(text)) => {
                texts.contains(text)
            }
            (Piece::OneOf(one), Piece::OneOf(other)) => one.iter().any(|text| other.contains(text)),
            _ => self.may_start_like(other),
        }
    }

    /// Returns whether both may begin with the same letter.
    fn may_start_like(&self, other: &Piece) -> bool {
        match (self, other) {
            (Piece::Literal(one), Piece::Literal(other)) => {
                one.starts_with(other.as_str()) || other.starts_with(one.as_str())
            }
            (Piece::Literal(text), Piece::Digits) | (Piece::Digits, Piece::Literal(text)) => is_digit(text),
            (Piece::OneOf(texts), Piece::Digits) | (Piece::Digits, Piece::OneOf(texts)) => {
                texts.iter().any(|text| is_digit(text))
            }
            (Piece::Literal(text), Piece::OneOf(texts)) | (Piece::OneOf(texts), Piece::Literal(text)) => {
                texts.iter().any(|one| one.starts_with(text.as_str()) || text.starts_with(one.as_str()))
            }
            _ => true,
        }
    }
}

fn is_digit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
}

/// Returns the segments of a template up to a part, or `None` if it may be any text or isn't text.
fn segments(entity: &Entity, template: &Template, parts: usize) -> Option<Vec<Segment>> {
    let separator = entity.table.separator;
    if let Some(path) = template.plain_field() {
        // A value that is the whole key may contain the separator, unless its type forbids it.
        match find(&entity.fields, path)?.kind {
            FieldType::Id | FieldType::Date | FieldType::Time => {}
            FieldType::Choice(texts) if !texts.iter().any(|text| text.contains(separator)) => {}
            _ => return None,
        }
    }
    let mut all = vec![Segment::default()];
    let constant_head = |position: usize, part: &Part| position == 0 && matches!(part, Part::Literal(_));
    for (position, part) in template.parts.iter().enumerate() {
        if position >= parts && !constant_head(position, part) {
            break;
        }
        match part {
            Part::Literal(text) => {
                for (number, piece) in text.split(separator).enumerate() {
                    if number > 0 {
                        all.push(Segment::default());
                    }
                    if let (false, Some(last)) = (piece.is_empty(), all.last_mut()) {
                        last.0.push(Piece::Literal(piece.to_owned()));
                    }
                }
            }
            Part::Field { path, format } => {
                let piece = piece(find(&entity.fields, path).map(|found| found.kind), *format);
                all.last_mut()?.0.push(piece);
            }
            Part::Shard { .. } => all.last_mut()?.0.push(Piece::Digits),
        }
    }
    Some(all)
}

fn piece(kind: Option<&FieldType>, format: Format) -> Piece {
    use FieldType::{Bool, Choice, Date, Epoch, Int, Number, Time};
    match (kind, format) {
        (_, Format::Padded { signed: true, .. }) => Piece::Any,
        (_, Format::Padded { .. }) => Piece::Digits,
        (Some(Choice(texts)), Format::Plain) => Piece::OneOf(texts.clone()),
        (Some(Bool), _) => Piece::OneOf(vec!["true".to_owned(), "false".to_owned()]),
        (Some(Date | Time | Epoch | Int { .. } | Number { .. }), _) => Piece::Digits,
        _ => Piece::Any,
    }
}
