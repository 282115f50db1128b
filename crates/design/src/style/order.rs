//! The order of keys within a construct.

use toml_edit::TableLike;

use crate::syntax::language::{Construct, Shape, Variants};

/// Stands in an order for the key that decides the kind of a construct.
const KIND: &str = "<kind>";
/// Stands in an order for the keys that it doesn't name, in the order of the description.
const OTHERS: &str = "<others>";

/// The orders of constructs whose keys don't simply follow the description of the language: what something is comes
/// first, then what it does, then its limits, and last what is declared about it.
const ORDERS: &[(&str, &[&str])] = &[
    ("environment", &["about", "removal", "default", OTHERS]),
    (
        "entity",
        &[
            "about",
            "table",
            "type",
            "key",
            OTHERS,
            "unique",
            "ttl",
            "counted",
            "allow",
            "fields",
            "relations",
        ],
    ),
    (
        "field",
        &[
            "type",
            "of",
            "ref",
            "unique",
            "enum",
            "made",
            OTHERS,
            "min",
            "max",
            "default",
            "must_exist",
            "optional",
            "internal",
            "fields",
            "about",
        ],
    ),
    ("derivation", &["about", "of", "each", "on", "when", KIND, "via", OTHERS]),
    ("relation", &["about", KIND, "via", OTHERS]),
    ("pattern", PATTERN),
    ("inline", PATTERN),
    ("step", &["run", "each", "max", "with", OTHERS]),
];

/// The order of patterns, with a name and without.
const PATTERN: &[&str] = &[
    "about",
    KIND,
    "on",
    "key",
    "knows",
    "match",
    "range",
    "prefix",
    "order",
    "set",
    OTHERS,
    "filter",
    "if",
    "resolve",
    "who",
    "owner",
    "limit",
    "consistent",
    "show",
    "expired",
    "admin",
    "together",
    "path",
    "allow",
    "internal",
    "busiest",
    "tags",
    "rate",
    "within",
];

/// Returns the place of a key among the keys of a construct. Keys with the same place keep their order.
pub(super) fn place(construct: &Construct, name: &str) -> (usize, usize) {
    let kinds = construct.kinds();
    let described = construct.keys.iter().chain(kinds.iter().flat_map(|kind| kind.keys));
    let described = described.map(|key| key.name).position(|key| key == name).unwrap_or(usize::MAX);
    let decides =
        matches!(construct.variants, Variants::ByKey(_)) && kinds.iter().any(|kind| kind.name == name);
    let Some((_, order)) = ORDERS.iter().find(|(id, _)| *id == construct.id) else {
        return (0, described);
    };
    let word = if decides { KIND } else { name };
    let at = |word: &str| order.iter().position(|key| *key == word);
    match at(word) {
        Some(place) => (place, 0),
        None => (at(OTHERS).unwrap_or(usize::MAX), described),
    }
}

/// The role of the keys of a table.
#[derive(Debug, Clone, Copy)]
pub(super) enum Vocabulary {
    /// Words of the language.
    Construct(&'static Construct),
    /// Names that the design chooses; the shape is that of the values.
    Names(&'static Shape),
    /// Nothing that is known.
    Unknown,
}

impl Vocabulary {
    /// Returns the meaning of a table with this shape.
    pub(super) fn of(shape: Option<&'static Shape>, table: &dyn TableLike) -> Vocabulary {
        match shape {
            Some(Shape::Table(construct)) => Vocabulary::Construct(construct),
            Some(Shape::Named(_, of)) => Vocabulary::Names(of),
            Some(Shape::Either(alternatives)) => Vocabulary::chosen(alternatives, table),
            _ => Vocabulary::Unknown,
        }
    }

    /// Chooses among the shapes that a table can have: one whose required keys are there, or the first.
    fn chosen(alternatives: &'static [Shape], table: &dyn TableLike) -> Vocabulary {
        let several = !table.is_empty() && table.iter().all(|(_, item)| item.is_table_like());
        let constructs = alternatives.iter().filter_map(|shape| match shape {
            Shape::Table(construct) if construct.id != "table" || !several => Some(*construct),
            _ => None,
        });
        let is_certain = |construct: &&'static Construct| {
            let mut required = construct.keys.iter().filter(|key| key.required).peekable();
            required.peek().is_some() && required.all(|key| table.contains_key(key.name))
        };
        let names = alternatives.iter().find_map(|shape| match shape {
            Shape::Named(_, of) => Some(Vocabulary::Names(of)),
            _ => None,
        });
        let first = constructs.clone().next();
        match constructs.clone().find(is_certain).or(first) {
            Some(construct) => Vocabulary::Construct(construct),
            None => names.unwrap_or(Vocabulary::Unknown),
        }
    }

    /// Returns the construct, if the keys are words of the language.
    pub(super) fn construct(self) -> Option<&'static Construct> {
        match self {
            Vocabulary::Construct(construct) => Some(construct),
            _ => None,
        }
    }

    /// Returns the shape of the value under a key.
    pub(super) fn below(self, name: &str) -> Option<&'static Shape> {
        let construct = match self {
            Vocabulary::Construct(construct) => construct,
            Vocabulary::Names(of) => return Some(of),
            Vocabulary::Unknown => return None,
        };
        let kinds = construct.kinds();
        let own = construct.key(name).map(|key| &key.takes);
        let deciding = || match construct.variants {
            Variants::ByKey(kinds) => kinds.iter().find(|kind| kind.name == name).map(|kind| &kind.takes),
            _ => None,
        };
        let further =
            || kinds.iter().flat_map(|kind| kind.keys).find(|key| key.name == name).map(|key| &key.takes);
        own.or_else(deciding).or_else(further).or(construct.others)
    }
}

/// Returns the shape of the entries of a list with this shape.
pub(super) fn entries(shape: &'static Shape) -> Option<&'static Shape> {
    match shape {
        Shape::List(_, of) => Some(of),
        Shape::Either(alternatives) => alternatives.iter().find_map(entries),
        _ => None,
    }
}
