//! Derivations that stand on their own.

use super::{Construct, Shape, Variants, about, key, required, variant};

const EVENT: Shape = Shape::Text("an event");
const EVENTS: Shape = Shape::Either(&[EVENT, Shape::List(1, &EVENT)]);

/// A rule by which items follow from others.
pub(crate) static DERIVATION: Construct = Construct {
    id: "derivation",
    keys: &[about()],
    variants: Variants::ByKey(&[
        variant(
            "archive",
            Shape::Text("a path with fields in braces"),
            "the file to which items are appended when they are gone, without its ending `.jsonl.zst`; slashes separate \
             folders",
            &[
                required("on", EVENTS, "the events with their entities: `expire Session`, `delete Session`"),
                key("when", Shape::Text("a condition"), "which items are archived"),
            ],
        ),
        variant(
            "delete",
            Shape::Either(&[Shape::Text("an entity name"), Shape::List(1, &Shape::Text("an entity name"))]),
            "the entity, or entities, whose items are deleted when the item that they refer to is deleted",
            &[
                required("of", Shape::Text("an entity name"), "the entity of the item that they refer to"),
                key(
                    "via",
                    Shape::Either(&[
                        Shape::Text("a field name"),
                        Shape::List(1, &Shape::Text("a field name")),
                    ]),
                    "the fields that name the deleted item, in the order of its key; default: fields of the same names, \
                     or else the only field that refers to it",
                ),
            ],
        ),
        variant(
            "make",
            Shape::Text("an entity name"),
            "the entity of which an item is made from each new item of another one",
            &[
                required("each", Shape::Text("an entity name"), "the entity whose new items cause it"),
                key(
                    "when",
                    Shape::Text("a condition"),
                    "for which new items one is made; `author_id.name` is a field of the item that `author_id` refers to",
                ),
                key(
                    "with",
                    Shape::Named("field", &Shape::Constant),
                    "the fields of the item that is made: constants, or text with fields of the new item in braces; default: \
                 fields of the same names",
                ),
            ],
        ),
        variant(
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
        ),
    ]),
    others: None,
};
