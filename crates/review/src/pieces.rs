//! Keys as pieces between separators. Values never contain the separator, so keys can be compared piece by piece.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use singlet_design::{Design, Entity, FieldType, Format, Index, Part, Table, Template};

/// The text between two separators of a key.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece<'a> {
    literal: String,
    /// Whether a placeholder follows the literal.
    open: bool,
    /// The values of the placeholder, if it is an enum or a shard, and the whole piece.
    choices: Option<Choices<'a>>,
    /// Whether the placeholder's text begins with a digit or a minus: a time, a number, a shard.
    numeric: bool,
    /// The length of the placeholder's text, if it is fixed.
    width: Option<u64>,
}

/// The values of a placeholder.
#[derive(Debug, Clone, Copy)]
enum Choices<'a> {
    /// An enum.
    Listed(&'a [String]),
    /// The numbers of this many shards.
    Shards(u32),
}

impl Choices<'_> {
    fn contain(self, text: &str) -> bool {
        match self {
            Choices::Listed(texts) => texts.iter().any(|one| one == text),
            Choices::Shards(count) => {
                text.parse().is_ok_and(|shard: u32| shard < count && shard.to_string() == text)
            }
        }
    }

    /// Whether one of the values fulfils a condition.
    fn any(self, mut fits: impl FnMut(&str) -> bool) -> bool {
        match self {
            Choices::Listed(texts) => texts.iter().any(|text| fits(text)),
            Choices::Shards(count) => (0..count).any(|shard| fits(&shard.to_string())),
        }
    }

    fn have_common_text(self, other: Choices<'_>) -> bool {
        match (self, other) {
            (Choices::Listed(one), Choices::Listed(two)) => {
                let known: BTreeSet<&str> = one.iter().map(String::as_str).collect();
                two.iter().any(|text| known.contains(text.as_str()))
            }
            (Choices::Listed(texts), shards @ Choices::Shards(_))
            | (shards @ Choices::Shards(_), Choices::Listed(texts)) => {
                texts.iter().any(|text| shards.contain(text))
            }
            (Choices::Shards(one), Choices::Shards(two)) => one.min(two) > 0,
        }
    }
}

impl<'a> Piece<'a> {
    /// Whether two pieces can be the same text.
    pub(super) fn meets(&self, other: &Piece<'_>) -> bool {
        match (self.open, other.open) {
            (false, false) => self.literal == other.literal,
            (true, false) => self.takes(&other.literal),
            (false, true) => other.takes(&self.literal),
            (true, true) => match (&self.choices, &other.choices) {
                (Some(mine), Some(theirs)) => mine.have_common_text(*theirs),
                (Some(mine), None) => mine.any(|choice| other.takes(choice)),
                (None, Some(theirs)) => theirs.any(|choice| self.takes(choice)),
                (None, None) => self.opens_like(other),
            },
        }
    }

    /// Whether a text of this piece can begin with a text of another piece.
    pub(super) fn begins_with(&self, beginning: &Piece<'_>) -> bool {
        if beginning.open {
            return self.meets(beginning);
        }
        let wanted = beginning.literal.as_str();
        match &self.choices {
            Some(choices) => choices.any(|choice| choice.starts_with(wanted)),
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
            Some(choices) => choices.contain(text),
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
    fn opens_like(&self, other: &Piece<'_>) -> bool {
        let (one, two) = (self.literal.as_str(), other.literal.as_str());
        if one == two {
            let widths = self.width.zip(other.width);
            return widths.is_none_or(|(one, two)| one == two);
        }
        let behind = two.strip_prefix(one).map(|rest| (self, rest));
        let behind = behind.or_else(|| one.strip_prefix(two).map(|rest| (other, rest)));
        behind.is_some_and(|(shorter, rest)| shorter.continues(rest))
    }

    fn append(&mut self, choices: Option<Choices<'a>>, numeric: bool, width: Option<u64>) {
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
pub(super) fn pieces<'a>(entity: &'a Entity, parts: &[Part]) -> Vec<Piece<'a>> {
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
                last.append(Some(Choices::Shards(*count)), true, None);
            }
            Part::Field { path, format } => {
                let kind = entity.field_at(path);
                let choices = match kind {
                    Some(FieldType::Choice(choices)) if *format == Format::Plain => {
                        Some(Choices::Listed(choices))
                    }
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

/// Whether two keys can be the same text.
pub(super) fn overlap(one: &[Piece<'_>], other: &[Piece<'_>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.meets(other))
}

/// The keys of one entity in a table or index.
#[derive(Debug)]
pub(super) struct EntityKey<'a> {
    pub(super) entity: &'a Arc<Entity>,
    pub(super) partition: Vec<Vec<Piece<'a>>>,
    /// The first sort attribute.
    pub(super) sort: Option<Vec<Piece<'a>>>,
}

impl<'a> EntityKey<'a> {
    fn of(entity: &'a Arc<Entity>, partition: &'a [Template], sort: Option<&'a Template>) -> Self {
        EntityKey {
            entity,
            partition: partition.iter().map(|template| pieces(entity, &template.parts)).collect(),
            sort: sort.map(|template| pieces(entity, &template.parts)),
        }
    }
}

/// The constant first piece of a partition key; `None` if it varies.
fn first_word<'p>(partition: &'p [Vec<Piece<'_>>]) -> Option<&'p str> {
    let first = partition.first()?.first()?;
    (!first.open).then_some(first.literal.as_str())
}

/// The keys of all entities, each cut into pieces once. Keys that begin with different words never meet, so a key is
/// compared only with those that begin like it or with a placeholder.
#[derive(Debug, Default)]
pub(super) struct EntityKeys<'a> {
    /// By the label of the table and the name of the index; the table itself has no name.
    groups: BTreeMap<(&'a str, Option<&'a str>), KeyGroup<'a>>,
    /// The number of candidates that were compared, which tests limit.
    comparisons: Cell<usize>,
}

/// The keys of one table or index, in the order of the file.
#[derive(Debug, Default)]
struct KeyGroup<'a> {
    keys: Vec<EntityKey<'a>>,
    /// The positions of the keys that begin with each word.
    by_word: BTreeMap<String, Vec<usize>>,
    /// The positions of the keys that begin with a placeholder.
    open: Vec<usize>,
}

impl<'a> EntityKeys<'a> {
    pub(super) fn of(design: &'a Design) -> Self {
        let mut keys = EntityKeys::default();
        for entity in &design.entities {
            let label = entity.table.label.as_str();
            let partition = std::slice::from_ref(&entity.key.partition);
            let own = EntityKey::of(entity, partition, entity.key.sort.as_ref());
            keys.groups.entry((label, None)).or_default().add(own);
            for entry in &entity.indexes {
                let key = EntityKey::of(entity, &entry.partition, entry.sort.first());
                keys.groups.entry((label, Some(entry.index.name.as_str()))).or_default().add(key);
            }
        }
        keys
    }

    /// The keys of a table or index that may have this partition key, in the order of the file.
    pub(super) fn candidates(
        &self,
        table: &'a Table,
        on: Option<&'a Index>,
        partition: &[Vec<Piece<'_>>],
    ) -> Vec<&EntityKey<'a>> {
        let place = (table.label.as_str(), on.map(|index| index.name.as_str()));
        let candidates = self.groups.get(&place).map(|group| group.candidates(partition)).unwrap_or_default();
        self.comparisons.set(self.comparisons.get() + candidates.len());
        candidates
    }

    /// The keys of a table, in the order of the file.
    pub(super) fn of_table(&self, table: &'a Table) -> &[EntityKey<'a>] {
        self.groups.get(&(table.label.as_str(), None)).map_or(&[], |group| &group.keys)
    }

    /// The number of candidates that were compared so far.
    #[cfg(test)]
    pub(super) fn comparisons(&self) -> usize {
        self.comparisons.get()
    }
}

impl<'a> KeyGroup<'a> {
    fn add(&mut self, key: EntityKey<'a>) {
        let position = self.keys.len();
        match first_word(&key.partition) {
            Some(word) => self.by_word.entry(word.to_owned()).or_default().push(position),
            None => self.open.push(position),
        }
        self.keys.push(key);
    }

    fn candidates(&self, partition: &[Vec<Piece<'_>>]) -> Vec<&EntityKey<'a>> {
        let Some(word) = first_word(partition) else { return self.keys.iter().collect() };
        let alike = self.by_word.get(word).into_iter().flatten();
        let mut positions: Vec<usize> = alike.chain(&self.open).copied().collect();
        positions.sort_unstable();
        positions.into_iter().filter_map(|position| self.keys.get(position)).collect()
    }
}
