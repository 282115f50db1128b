//! Finds the entities whose items a key condition may read.
//!
//! A key is text in segments with separators between them, because a value in a template never contains the separator. Two
//! keys can be equal only if each pair of segments can. In doubt, the answer is that they may be equal.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::model::{Entity, FieldType, Index, IndexEntry};
use crate::template::{Format, Part, Template};

use super::super::entity::Entities;
use super::super::template::find;
use super::{PatternDraft, ResolvedEntity};

/// The keys that a read covers: whole partition keys, and the beginning of the sort key.
#[derive(Debug)]
pub(super) struct KeyShape<'a> {
    partition: Vec<Option<Vec<Segment<'a>>>>,
    /// The first sort attribute, as far as it is given.
    sort: Option<Vec<Segment<'a>>>,
}

impl<'a> KeyShape<'a> {
    /// Returns the keys that a read of the table covers, with the sort key up to a part.
    pub(super) fn of_table(entity: &'a Entity, sort_parts: usize) -> Self {
        let segments = |template: &'a Template, parts| segments(entity, template, parts);
        KeyShape {
            partition: vec![segments(&entity.key.partition, usize::MAX)],
            sort: entity.key.sort.as_ref().and_then(|sort| segments(sort, sort_parts)),
        }
    }

    /// Returns the keys that a read of an index covers. Zero parts include the text before the first placeholder.
    pub(super) fn of_entry(entity: &'a Entity, entry: &'a IndexEntry, sort_parts: usize) -> Self {
        KeyShape {
            partition: entry
                .partition
                .iter()
                .map(|template| segments(entity, template, usize::MAX))
                .collect(),
            sort: entry.sort.first().and_then(|sort| segments(entity, sort, sort_parts)),
        }
    }

    /// Returns the constant first segment of the partition key, or `None` if it varies.
    fn first_word(&self) -> Option<&'a str> {
        match self.partition.first()?.as_ref()?.first()?.0.as_slice() {
            [Piece::Literal(word)] => Some(word),
            _ => None,
        }
    }

    /// Returns whether the read may cover an item with this key.
    fn may_read(&self, other: &KeyShape<'_>) -> bool {
        let partition = self.partition.iter().zip(&other.partition).all(|(own, other)| match (own, other) {
            (Some(own), Some(other)) => {
                own.len() == other.len() && own.iter().zip(other).all(|(own, other)| own.may_equal(other))
            }
            _ => true,
        });
        partition && self.may_read_sort(other)
    }

    fn may_read_sort(&self, other: &KeyShape<'_>) -> bool {
        let (Some(own), Some(other)) = (&self.sort, &other.sort) else { return true };
        let Some((last, whole)) = own.split_last() else { return true };
        other.len() >= own.len()
            && whole.iter().zip(other).all(|(own, other)| own.may_equal(other))
            && other.get(whole.len()).is_none_or(|segment| segment.may_begin_with(last))
    }
}

/// The keys of all entities, each computed once. Keys whose partition keys begin with different words never meet, so a
/// read is compared only with the keys that begin like it or with a placeholder.
#[derive(Debug)]
pub(super) struct KeyShapes<'a> {
    /// By the label of the table and the name of the index; the table itself has no name.
    groups: BTreeMap<(&'a str, Option<&'a str>), KeyGroup<'a>>,
    /// The number of keys that were compared, which tests limit.
    comparisons: Cell<usize>,
}

/// The keys of one table or index.
#[derive(Debug, Default)]
struct KeyGroup<'a> {
    keys: Vec<(&'a Entity, KeyShape<'a>)>,
    /// The positions of the keys that begin with each word.
    by_word: BTreeMap<&'a str, Vec<usize>>,
    /// The positions of the keys that begin with a placeholder.
    open: Vec<usize>,
}

impl<'a> KeyShapes<'a> {
    /// Computes the keys of all entities.
    pub(super) fn of(entities: &'a Entities) -> Self {
        let mut shapes = KeyShapes { groups: BTreeMap::new(), comparisons: Cell::new(0) };
        for known in &entities.list {
            let entity = known.entity.as_ref();
            let label = entity.table.label.as_str();
            let key = KeyShape::of_table(entity, usize::MAX);
            shapes.groups.entry((label, None)).or_default().add(entity, key);
            for entry in &entity.indexes {
                let key = KeyShape::of_entry(entity, entry, usize::MAX);
                let group = shapes.groups.entry((label, Some(entry.index.name.as_str())));
                group.or_default().add(entity, key);
            }
        }
        shapes
    }

    /// Returns the number of keys that were compared.
    #[cfg(test)]
    pub(super) fn comparisons(&self) -> usize {
        self.comparisons.get()
    }

    /// Returns whether a read may cover an item of an entity that isn't wanted.
    fn meets_other(&self, wanted: &[&ResolvedEntity], read: &KeyShape<'_>, on: Option<&Index>) -> bool {
        let Some(table) = wanted.first().map(|known| &known.entity.table) else { return false };
        let place = (table.label.as_str(), on.map(|index| index.name.as_str()));
        let Some(group) = self.groups.get(&place) else { return false };
        let is_wanted = |other: &Entity| wanted.iter().any(|known| known.entity.name == other.name);
        group.candidates(read).any(|(other, key)| {
            self.comparisons.set(self.comparisons.get() + 1);
            !is_wanted(other) && read.may_read(key)
        })
    }
}

impl<'a> KeyGroup<'a> {
    fn add(&mut self, entity: &'a Entity, key: KeyShape<'a>) {
        let position = self.keys.len();
        match key.first_word() {
            Some(word) => self.by_word.entry(word).or_default().push(position),
            None => self.open.push(position),
        }
        self.keys.push((entity, key));
    }

    /// Returns the keys that a read may cover.
    fn candidates(&self, read: &KeyShape<'_>) -> impl Iterator<Item = &(&'a Entity, KeyShape<'a>)> {
        let word = read.first_word();
        let alike = word.and_then(|word| self.by_word.get(word)).into_iter().flatten();
        let varied = word.map(|_| &self.open).into_iter().flatten();
        let all = word.is_none().then_some(&self.keys).into_iter().flatten();
        alike.chain(varied).filter_map(|position| self.keys.get(*position)).chain(all)
    }
}

impl PatternDraft<'_> {
    /// Returns whether items of other entities may be among those that a key covers.
    pub(super) fn is_mixed(
        &self,
        wanted: &[&ResolvedEntity],
        key: &KeyShape<'_>,
        on: Option<&Index>,
    ) -> bool {
        self.key_shapes.meets_other(wanted, key, on)
    }
}

/// A piece of a key between separators.
#[derive(Debug, Default)]
struct Segment<'a>(Vec<Piece<'a>>);

#[derive(Debug, Clone, Copy)]
enum Piece<'a> {
    /// This text.
    Literal(&'a str),
    /// One of these texts.
    OneOf(&'a [String]),
    /// Text that begins with a digit: a time, a padded number, a shard.
    Digits,
    /// Any text without the separator.
    Any,
}

/// The texts of a boolean.
static TRUTHS: LazyLock<[String; 2]> = LazyLock::new(|| ["true".to_owned(), "false".to_owned()]);

impl Segment<'_> {
    fn may_equal(&self, other: &Segment<'_>) -> bool {
        match (self.0.as_slice(), other.0.as_slice()) {
            ([], []) => true,
            // A placeholder is never empty.
            ([], _) | (_, []) => false,
            ([one], [other]) => one.may_equal(other),
            ([one, ..], [other, ..]) => one.may_start_like(other),
        }
    }

    /// Returns whether text of this segment may begin with text of the other one.
    fn may_begin_with(&self, beginning: &Segment<'_>) -> bool {
        match (self.0.first(), beginning.0.first()) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(Piece::Literal(own)), Some(Piece::Literal(wanted))) => {
                own.starts_with(wanted) || (self.0.len() > 1 && wanted.starts_with(own))
            }
            (Some(own), Some(wanted)) => own.may_start_like(wanted),
        }
    }
}

impl Piece<'_> {
    fn may_equal(&self, other: &Piece<'_>) -> bool {
        match (self, other) {
            (Piece::Literal(one), Piece::Literal(other)) => one == other,
            (Piece::Literal(text), Piece::OneOf(texts)) | (Piece::OneOf(texts), Piece::Literal(text)) => {
                texts.iter().any(|one| one == text)
            }
            (Piece::OneOf(one), Piece::OneOf(other)) => have_common_text(one, other),
            _ => self.may_start_like(other),
        }
    }

    /// Returns whether both may begin with the same letter.
    fn may_start_like(&self, other: &Piece<'_>) -> bool {
        match (self, other) {
            (Piece::Literal(one), Piece::Literal(other)) => one.starts_with(other) || other.starts_with(one),
            (Piece::Literal(text), Piece::Digits) | (Piece::Digits, Piece::Literal(text)) => is_digit(text),
            (Piece::OneOf(texts), Piece::Digits) | (Piece::Digits, Piece::OneOf(texts)) => {
                texts.iter().any(|text| is_digit(text))
            }
            (Piece::Literal(text), Piece::OneOf(texts)) | (Piece::OneOf(texts), Piece::Literal(text)) => {
                texts.iter().any(|one| one.starts_with(text) || text.starts_with(one.as_str()))
            }
            _ => true,
        }
    }
}

/// Returns whether two enums share a value, in a time that grows with their lengths, not with the product of them.
fn have_common_text(one: &[String], other: &[String]) -> bool {
    let (shorter, longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let known: BTreeSet<&str> = shorter.iter().map(String::as_str).collect();
    longer.iter().any(|text| known.contains(text.as_str()))
}

fn is_digit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
}

/// Returns the segments of a template up to a part, or `None` if it may be any text or isn't text.
fn segments<'a>(entity: &'a Entity, template: &'a Template, parts: usize) -> Option<Vec<Segment<'a>>> {
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
                        last.0.push(Piece::Literal(piece));
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

fn piece(kind: Option<&FieldType>, format: Format) -> Piece<'_> {
    use FieldType::{Bool, Choice, Date, Epoch, Int, Number, Time};
    match (kind, format) {
        (_, Format::Padded { signed: true, .. }) => Piece::Any,
        (_, Format::Padded { .. }) => Piece::Digits,
        (Some(Choice(texts)), Format::Plain) => Piece::OneOf(texts),
        (Some(Bool), _) => Piece::OneOf(TRUTHS.as_slice()),
        (Some(Date | Time | Epoch | Int { .. } | Number { .. }), _) => Piece::Digits,
        _ => Piece::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::{Context, table, tables_and_entities};
    use crate::syntax::{self, Mistakes};

    /// Compares the key of each entity with those of the others, and returns the comparisons and the reads that meet
    /// other items.
    fn compared(entities: impl Iterator<Item = (String, String)>) -> (usize, usize) {
        let head = "design = \"many\"\n[table]\nkey = [\"PK\", \"SK\"]\n".to_owned();
        let source = entities.fold(head, |text, (name, partition)| {
            let fields = "fields = { owner = \"key\", id = \"id\", kind = \"string\" }";
            format!("{text}[entity.{name}]\nkey = [\"{partition}\", \"{name}#{{id}}\"]\n{fields}\n")
        });
        let mistakes = Mistakes::default();
        let root = syntax::read(&source, &mistakes).unwrap();
        let context = Context { source: &source, mistakes: &mistakes };
        let (_, entities) = tables_and_entities(&context, &root, table::tables(&context, &root, "many"));
        assert_eq!(mistakes.sorted(), []);
        let shapes = KeyShapes::of(&entities);
        let meets = |known: &&ResolvedEntity| {
            shapes.meets_other(&[known], &KeyShape::of_table(&known.entity, 0), None)
        };
        let mixed = entities.list.iter().filter(meets).count();
        (shapes.comparisons(), mixed)
    }

    #[test]
    fn comparisons_grow_with_the_entities_and_not_with_their_square() {
        let own_word = |number| (format!("E{number}"), format!("OWNER{number}#{{owner}}"));
        for count in [100, 1_000] {
            assert_eq!(compared((0..count).map(own_word)), (count, 0));
        }
    }

    #[test]
    fn keys_that_begin_with_a_placeholder_are_compared_with_all() {
        let keys = [("A", "A#{owner}"), ("B", "B#{owner}"), ("C", "{kind}#{owner}")];
        let keys = keys.into_iter().map(|(name, key)| (name.to_owned(), key.to_owned()));
        let (comparisons, mixed) = compared(keys);
        // The sort keys begin with different words, so no read covers items of another entity.
        assert_eq!((comparisons, mixed), (2 + 2 + 3, 0));
    }
}
