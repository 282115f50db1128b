//! Entities, their index entries and relations.

use super::field::FIELD_VALUE;
use super::{Construct, Shape, Variants, about, allow, key, required, variant};

const TEMPLATE: Shape = Shape::Text("a template");
const TEMPLATE_LIST: Shape = Shape::List(1, &Shape::Either(&[TEMPLATE, Shape::List(1, &TEMPLATE)]));
/// A template for each attribute of a key.
pub(super) const TEMPLATES: Shape = Shape::Either(&[TEMPLATE, TEMPLATE_LIST]);

/// A kind of item.
pub(crate) static ENTITY: Construct = Construct {
    name: "an entity",
    id: "entity",
    keys: &[
        about(),
        key("table", Shape::Text("a table"), "its table, if there are several"),
        key("type", Shape::Text("a text"), "what the type attribute holds; by default the entity's name"),
        key(
            "key",
            TEMPLATES,
            "the templates of the table's key; not needed where a key attribute is a field",
        ),
        key(
            "unique",
            Shape::List(
                1,
                &Shape::Either(&[Shape::Text("a field"), Shape::List(1, &Shape::Text("a field"))]),
            ),
            "fields, or groups of fields, that no two items share",
        ),
        key(
            "ttl",
            Shape::Form("a field, or a time after one", "^([0-9]+ [a-z]+ after )?[A-Za-z_][A-Za-z0-9_]*$"),
            "when its items expire: `90 days after created_at`, or a field with the time itself",
        ),
        required("fields", Shape::Named("field", &FIELD_VALUE), "its fields"),
        key(
            "relations",
            Shape::Named("relation", &Shape::Table(&RELATION)),
            "how it relates to other entities",
        ),
        allow(),
    ],
    variants: Variants::None,
    others: Some(&Shape::Either(&[TEMPLATE, TEMPLATE_LIST, Shape::Table(&INDEX_ENTRY)])),
};

/// How an entity is in an index, with a condition.
pub(crate) static INDEX_ENTRY: Construct = Construct {
    name: "an index entry",
    id: "index_entry",
    keys: &[
        key("key", TEMPLATES, "the templates of the index's key"),
        key(
            "when",
            Shape::Either(&[Shape::Text("a field of type bool"), Shape::Named("field", &Shape::Constant)]),
            "in the index only while the flag is true, or while each field has one of the given values",
        ),
        key("sparse", Shape::Bool, "it is meant that items without its optional fields are not in the index"),
    ],
    variants: Variants::None,
    others: None,
};

/// How items of another entity belong to one of this.
pub(crate) static RELATION: Construct = Construct {
    name: "a relation",
    id: "relation",
    keys: &[about(), key("by", Shape::Text("a field"), "the other entity's field that names this one")],
    variants: Variants::ByKey(&[
        variant("one", Shape::Text("an entity"), "at most one", &[]),
        variant(
            "few",
            Shape::Text("an entity"),
            "a bounded number",
            &[required("max", Shape::Whole(1, u32::MAX as u64), "how many at most")],
        ),
        variant(
            "many",
            Shape::Text("an entity"),
            "any number",
            &[
                key("usual", Shape::Whole(0, u32::MAX as u64), "how many there usually are"),
                key("max", Shape::Whole(1, u32::MAX as u64), "how many at most, if known"),
            ],
        ),
    ]),
    others: None,
};
