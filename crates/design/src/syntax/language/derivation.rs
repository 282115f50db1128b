//! Derivations that stand on their own.

use super::{Construct, Shape, Variants, about, key, required, variant};

/// A rule by which items follow from others.
pub(crate) static DERIVATION: Construct = Construct {
    id: "derivation",
    keys: &[about()],
    variants: Variants::ByKey(&[variant(
        "set",
        Shape::Named("field", &Shape::Constant),
        "the fields that are set while a condition on the same item holds: constants, or text with fields in braces; \
         `{now}` is the time at which they are set",
        &[
            required("of", Shape::Text("an entity name"), "the entity"),
            required("when", Shape::Text("a condition"), "the condition on the fields of an item"),
            key(
                "unset",
                Shape::Bool,
                "whether the fields go back to their defaults, or are removed, while the condition doesn't hold; \
                 default `false`",
            ),
        ],
    )]),
    others: None,
};
