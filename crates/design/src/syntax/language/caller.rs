//! Callers of the API, and who may run a pattern.

use super::{Construct, Shape, Variants, about, key, required, variant};

/// The callers of a design.
pub(crate) static CALLER: Construct = Construct {
    id: "caller",
    keys: &[
        about(),
        required(
            "is",
            Shape::Text("an entity name"),
            "the entity of the callers: the subject of a token is the only field of its key",
        ),
        key(
            "roles",
            Shape::Either(&[Shape::Text("a field name"), Shape::List(1, &Shape::Text("a word"))]),
            "the roles that a token can have: a field of that entity with `enum`, or a list of words",
        ),
        key(
            "relations",
            Shape::Named(
                "relation",
                &Shape::Either(&[Shape::Text("a pattern name"), Shape::Table(&CALLER_RELATION)]),
            ),
            "words for what callers can be to somebody or something else, each with the pattern that decides",
        ),
    ],
    variants: Variants::None,
    others: None,
};

/// A relation whose pattern has several parameters that could be the caller.
pub(crate) static CALLER_RELATION: Construct = Construct {
    id: "caller_relation",
    keys: &[
        about(),
        required(
            "pattern",
            Shape::Text("a pattern name"),
            "the read that finds something if the relation holds",
        ),
        required(
            "caller",
            Shape::Text("a parameter name"),
            "the parameter of the pattern that is the caller",
        ),
    ],
    variants: Variants::None,
    others: None,
};

/// The rule that says who may run a pattern.
pub(crate) const WHO: Shape = Shape::Either(&[
    Shape::Text("`anyone`, `caller`, `self`, `owner`, a role or a relation"),
    Shape::Table(&WHO_RULE),
    Shape::List(1, &ONE),
]);

/// One of several rules.
static ONE: Shape = Shape::Either(&[
    Shape::Text("`anyone`, `caller`, `self`, `owner`, a role or a relation"),
    Shape::Table(&WHO_RULE),
]);

/// A rule that needs more than a word.
pub(crate) static WHO_RULE: Construct = Construct {
    id: "who",
    keys: &[],
    variants: Variants::ByKey(&[
        variant(
            "self",
            Shape::Text("a parameter name"),
            "this parameter is the caller, and callers don't give it",
            &[],
        ),
        variant("owner", Shape::Text("a field name"), "the caller is in this field of the item", &[]),
        variant(
            "relation",
            Shape::Text("a relation"),
            "the relation holds",
            &[key(
                "with",
                Shape::Named("parameter", &Shape::Text("a parameter name")),
                "parameters of the relation's pattern that have another name here",
            )],
        ),
        variant("all", Shape::List(2, &ONE), "all of these rules hold", &[]),
    ]),
    others: None,
};
