//! Entities, their index entries and relations.

use super::field::FIELD_VALUE;
use super::{Construct, Shape, Variants, about, allow, key, required, variant};

const TEMPLATE: Shape = Shape::Text("a template");
const TEMPLATE_LIST: Shape = Shape::List(1, &Shape::Either(&[TEMPLATE, Shape::List(1, &TEMPLATE)]));
/// A template for each attribute of a key.
pub(super) const TEMPLATES: Shape = Shape::Either(&[TEMPLATE, TEMPLATE_LIST]);

/// A kind of item.
pub(crate) static ENTITY: Construct = Construct {
    id: "entity",
    keys: &[
        about(),
        key("table", Shape::Text("a table name"), "the table of the entity; required if there are several"),
        key(
            "type",
            Shape::Text("any text"),
            "the value of the type attribute; default: the name of the entity",
        ),
        key(
            "key",
            TEMPLATES,
            "the templates of the table's key; not needed for key attributes that are fields",
        ),
        key(
            "unique",
            Shape::List(
                1,
                &Shape::Either(&[
                    Shape::Text("a field name, or text with fields in braces"),
                    Shape::List(1, &Shape::Text("a field name, or text with fields in braces")),
                ]),
            ),
            "the fields, texts such as `{email:lower}`, or groups of both, whose values no two items share",
        ),
        key(
            "ttl",
            Shape::Form(
                "a field name, or a period after a field",
                "^([0-9]+ [a-z]+ after )?[A-Za-z_][A-Za-z0-9_]*$",
            ),
            "when items expire: a period after a field, such as `90 days after created_at`, or a field that holds the time",
        ),
        key(
            "counted",
            Shape::Bool,
            "whether its items exist exactly as long as other items count for them: Singlet makes and deletes them, and \
             nobody else writes them; default `false`",
        ),
        required("fields", Shape::Named("field", &FIELD_VALUE), "the fields, by name"),
        key(
            "relations",
            Shape::Named("relation", &Shape::Table(&RELATION)),
            "the relations to other entities, by name",
        ),
        allow(),
    ],
    variants: Variants::None,
    others: Some(&Shape::Either(&[TEMPLATE, TEMPLATE_LIST, Shape::Table(&INDEX_ENTRY)])),
};

/// The entry of an entity in an index, with a condition.
pub(crate) static INDEX_ENTRY: Construct = Construct {
    id: "index_entry",
    keys: &[
        key("key", TEMPLATES, "the templates of the index's key"),
        key(
            "when",
            Shape::Either(&[Shape::Text("a field of type `bool`"), Shape::Named("field", &Shape::Constant)]),
            "when an item is in the index: while the flag is true, or while each field has one of the given values",
        ),
        key(
            "optional",
            Shape::Bool,
            "declares that items without the optional fields of the key are meant to be missing from the index",
        ),
    ],
    variants: Variants::None,
    others: None,
};

/// A relation to the items of another entity.
pub(crate) static RELATION: Construct = Construct {
    id: "relation",
    keys: &[
        about(),
        key("via", Shape::Text("a field name"), "the field of the other entity that refers to this one"),
    ],
    variants: Variants::ByKey(&[
        variant("one", Shape::Text("an entity name"), "the other entity, with at most one item", &[]),
        variant(
            "many",
            Shape::Text("an entity name"),
            "the other entity, with any number of items up to `max`",
            &[
                key("usual", Shape::Whole(0, u32::MAX as u64), "the usual number of items"),
                key(
                    "max",
                    Shape::Whole(1, u32::MAX as u64),
                    "the maximum number of items; default: no maximum",
                ),
            ],
        ),
    ]),
    others: None,
};
