//! The order of keys within a construct.

use crate::syntax::language::{Construct, Shape, Variants};

/// Stands in an order for the key that decides the kind of a construct.
const KIND: &str = "<kind>";
/// Stands in an order for the keys that it doesn't name, in the order of the description.
const OTHERS: &str = "<others>";

/// The orders of constructs whose keys don't simply follow the description of the language: what something is comes
/// first, then what it does, then its limits, and last what is declared about it.
const ORDERS: &[(&str, &[&str])] = &[
    ("environment", &["about", "removal", "default", OTHERS]),
    ("entity", &["about", "table", "type", "key", OTHERS, "unique", "ttl", "allow", "fields", "relations"]),
    (
        "field",
        &[
            "type",
            "of",
            "ref",
            "key",
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
    ("relation", &["about", KIND, "by", OTHERS]),
    (
        "pattern",
        &[
            "about",
            KIND,
            "on",
            "key",
            "by",
            "match",
            "range",
            "prefix",
            "order",
            "set",
            OTHERS,
            "filter",
            "if",
            "resolve",
            "owner",
            "limit",
            "consistent",
            "show",
            "expired",
            "admin",
            "together",
            "allow",
            "internal",
            "busiest",
            "tags",
            "rate",
            "within",
        ],
    ),
    ("step", &["run", "each", "max", "with", OTHERS]),
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

/// Returns the construct that a table with this shape is. `several` says whether all its values are tables.
pub(super) fn construct(shape: &'static Shape, several: bool) -> Option<&'static Construct> {
    match shape {
        Shape::Table(construct) => Some(construct),
        Shape::Either(alternatives) => {
            let fits = |construct: &&Construct| construct.id != "table" || !several;
            alternatives.iter().find_map(|shape| construct_alone(shape).filter(fits))
        }
        _ => None,
    }
}

fn construct_alone(shape: &'static Shape) -> Option<&'static Construct> {
    match shape {
        Shape::Table(construct) => Some(construct),
        _ => None,
    }
}

/// Returns the shape of the value under a key of a table with this shape.
pub(super) fn below(shape: &'static Shape, several: bool, name: &str) -> Option<&'static Shape> {
    match (construct(shape, several), shape) {
        (Some(construct), _) => {
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
        (None, Shape::Named(_, of)) => Some(of),
        (None, Shape::Either(alternatives)) => alternatives.iter().find_map(|shape| match shape {
            Shape::Named(_, of) => Some(*of),
            _ => None,
        }),
        _ => None,
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
