//! Derivations that stand on their own.

use super::{Construct, Shape, Variants, about, key, required, variant};
use crate::model::{FAN_BACKFILL_MAX, FAN_MAX_LIMIT};

/// A query for the matches of an item, with its parameters.
pub(crate) static MATCHES: Construct = Construct {
    id: "matches",
    keys: &[
        required("run", Shape::Text("a pattern name"), "the query that finds the matches"),
        key(
            "with",
            Shape::Named("parameter", &Shape::Constant),
            "the fields of the item that are its parameters, in braces; default: fields of the same names",
        ),
    ],
    variants: Variants::None,
    others: None,
};

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
                key(
                    "for",
                    Shape::Either(&[Shape::Text("a pattern name"), Shape::Table(&MATCHES)]),
                    "a query: one is made for each of its items, the matches, such as the followers of a post's author. \
                     `{Follow.user_id}` in `with` is a field of the match. They are deleted with the item and with the match",
                ),
                key(
                    "max",
                    Shape::Whole(1, FAN_MAX_LIMIT as u64),
                    "with `for`, where it is required: with more matches than this, none are made, and patterns merge the \
                     items when they read",
                ),
                key(
                    "backfill",
                    Shape::Whole(0, FAN_BACKFILL_MAX as u64),
                    "with `for`: the newest items for which a new match gets some; default 50",
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
