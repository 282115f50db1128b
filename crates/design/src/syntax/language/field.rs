//! Fields and their types.

use super::{Construct, Key, Shape, Variant, Variants, about, key, required, variant};

const COUNT_MAX: u64 = u32::MAX as u64;
const MAX_CHARACTERS: Key = key("max", Shape::Whole(0, COUNT_MAX), "the maximum number of characters");
const MAX_ENTRIES: Key = key("max", Shape::Whole(1, COUNT_MAX), "the maximum number of entries");
const MAX_BYTES: Key = key("max", Shape::Whole(1, COUNT_MAX), "the maximum number of bytes");
const REF: Key = key(
    "ref",
    Shape::Either(&[Shape::Text("an entity name"), Shape::List(1, &Shape::Text("an entity name"))]),
    "the entity that the field refers to, or several of which another field names one; not enforced without `must_exist`",
);
const MUST_EXIST: Key =
    key("must_exist", Shape::Bool, "whether writes check that the referenced item exists; default `false`");
const DEFAULT: Key = key("default", Shape::Constant, "the value of a new item that doesn't give one");
const LEAST: Key = key("min", Shape::Number, "the minimum");
const MOST: Key = key("max", Shape::Number, "the maximum");
const MADE: Key = key(
    "made",
    Shape::Word(&[
        ("uuid7", "a UUID that sorts by time; the default"),
        ("uuid4", "a random UUID"),
        ("ulid", "a ULID, which sorts by time and has 26 characters"),
    ]),
    "how the id is generated",
);

const SOURCES: Shape =
    Shape::Either(&[Shape::Text("an entity name"), Shape::List(1, &Shape::Text("an entity name"))]);
const VALUES: Shape = Shape::Either(&[
    Shape::Text("an entity and a field, such as `Rating.stars`"),
    Shape::List(1, &Shape::Text("an entity and a field, such as `Rating.stars`")),
]);
const COUNT: Key = key(
    "count",
    SOURCES,
    "the entity, or entities, whose items that belong to this one are counted; nobody else can set the field",
);
const SUM: Key = key(
    "sum",
    VALUES,
    "the field that is summed over the items that belong to this one; nobody else can set the field",
);
const AVERAGE: Key = key(
    "average",
    VALUES,
    "the field whose average over the items that belong to this one is kept; nobody else can set the field",
);
const EXISTS: Key = key(
    "exists",
    SOURCES,
    "the entity, or entities, of which an item that belongs to this one must exist for the field to be true",
);
const COPY: Key = key(
    "copy",
    Shape::Text("an entity and a field, such as `User.name`"),
    "the field of the item that this one refers to whose value is repeated here, and follows it; nobody else can set \
     the field",
);
const HIGHEST: Key = key(
    "highest",
    VALUES,
    "the field whose highest value among the items that belong to this one is kept; nobody else can set the field",
);
const LOWEST: Key = key(
    "lowest",
    VALUES,
    "the field whose lowest value among the items that belong to this one is kept; nobody else can set the field",
);
const LATEST: Key = key(
    "latest",
    Shape::Text("an entity and a field, such as `Message.text`"),
    "the field whose value in the newest of the items that belong to this one is kept; nobody else can set the field",
);
const VIA: Key = key(
    "via",
    Shape::Either(&[Shape::Text("a field name"), Shape::List(1, &Shape::Text("a field name"))]),
    "the fields that name the item on the other side, in the order of its key: fields of this entity for `copy`, of the \
     other one for the rest; default: fields of the same names, or else the only field that refers to it",
);
const DERIVED_FILTER: Key =
    key("filter", Shape::Text("a condition"), "a condition on the fields of the other entity's items");
const DECIMALS: Key =
    key("decimals", Shape::Whole(0, 10), "the number of decimals of an average; default: 2");

/// The types of fields, each with its description.
pub(super) const TYPE_WORDS: &[(&str, &str)] = &[
    ("string", "a string"),
    ("int", "an integer"),
    ("number", "a number of up to 38 digits"),
    ("bool", "a boolean"),
    ("binary", "bytes; base64 in JSON"),
    ("date", "a date such as 2025-01-20"),
    ("time", "an instant, stored in UTC with milliseconds"),
    ("epoch", "an instant in seconds since 1970"),
    ("id", "an id, generated on creation unless given"),
    ("key", "an id that the caller gives, or a reference to another item"),
    ("secret", "an unguessable string, generated on creation"),
    ("created", "the time of creation"),
    ("updated", "the time of the last write"),
    ("list", "a list"),
    ("set", "a set of strings, numbers or bytes"),
    ("map", "values of one type under arbitrary names"),
    ("object", "an object with its own fields"),
    ("any", "any JSON value"),
];

/// The types of fields, with the keys of each.
pub(super) static FIELD_TYPES: &[Variant] = &[
    variant(
        "string",
        Shape::Constant,
        "a string",
        &[
            key("min", Shape::Whole(0, COUNT_MAX), "the minimum number of characters"),
            MAX_CHARACTERS,
            key("enum", Shape::List(1, &Shape::Text("a value")), "the allowed values"),
            DEFAULT,
            LATEST,
            COPY,
            VIA,
            DERIVED_FILTER,
        ],
    ),
    variant(
        "int",
        Shape::Constant,
        "an integer",
        &[LEAST, MOST, DEFAULT, COUNT, SUM, HIGHEST, LOWEST, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant(
        "number",
        Shape::Constant,
        "a number of up to 38 digits",
        &[LEAST, MOST, DEFAULT, SUM, AVERAGE, DECIMALS, HIGHEST, LOWEST, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant("bool", Shape::Constant, "a boolean", &[DEFAULT, EXISTS, LATEST, COPY, VIA, DERIVED_FILTER]),
    variant("binary", Shape::Constant, "bytes", &[MAX_BYTES, DEFAULT, LATEST, COPY, VIA, DERIVED_FILTER]),
    variant(
        "date",
        Shape::Constant,
        "a date",
        &[DEFAULT, HIGHEST, LOWEST, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant(
        "time",
        Shape::Constant,
        "an instant",
        &[DEFAULT, HIGHEST, LOWEST, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant(
        "epoch",
        Shape::Constant,
        "an instant in seconds since 1970",
        &[DEFAULT, HIGHEST, LOWEST, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant("id", Shape::Constant, "an id, generated on creation unless given", &[MADE]),
    variant(
        "key",
        Shape::Constant,
        "an id that the caller gives",
        &[REF, MUST_EXIST, DEFAULT, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant("secret", Shape::Constant, "an unguessable string", &[]),
    variant("created", Shape::Constant, "the time of creation", &[]),
    variant("updated", Shape::Constant, "the time of the last write", &[]),
    variant(
        "list",
        Shape::Constant,
        "a list",
        &[
            of(),
            MAX_ENTRIES,
            key(
                "unique",
                Shape::Text("a field of the elements"),
                "the field whose values no two elements share, so that patterns can change single elements",
            ),
            REF,
            DEFAULT,
            LATEST,
            COPY,
            VIA,
            DERIVED_FILTER,
        ],
    ),
    variant(
        "set",
        Shape::Constant,
        "a set",
        &[of(), MAX_ENTRIES, REF, DEFAULT, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant(
        "map",
        Shape::Constant,
        "a map",
        &[of(), MAX_ENTRIES, DEFAULT, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
    variant(
        "object",
        Shape::Constant,
        "an object",
        &[
            required("fields", Shape::Named("field", &FIELD_VALUE), "the fields, by name"),
            DEFAULT,
            LATEST,
            COPY,
            VIA,
            DERIVED_FILTER,
        ],
    ),
    variant(
        "any",
        Shape::Constant,
        "any JSON value",
        &[MAX_BYTES, DEFAULT, LATEST, COPY, VIA, DERIVED_FILTER],
    ),
];

/// The two forms of a field. This is a static because types contain types, and constants can't be recursive.
static FIELD_FORMS: [Shape; 2] = [Shape::Word(TYPE_WORDS), Shape::Table(&FIELD)];

/// A field: its type, or a table with more.
pub(super) static FIELD_VALUE: Shape = Shape::Either(&FIELD_FORMS);

const fn of() -> Key {
    required("of", Shape::Either(&FIELD_FORMS), "the type of the entries, or a table with more")
}

/// A field.
pub(crate) static FIELD: Construct = Construct {
    id: "field",
    keys: &[
        about(),
        required(
            "type",
            Shape::Word(TYPE_WORDS),
            "the type of its values; not needed beside `ref`, which makes it a `key`",
        ),
        key("optional", Shape::Bool, "whether the field may be missing; default `false`"),
        key(
            "value",
            Shape::Text("text with fields in braces"),
            "the value, computed from other fields of the same item; nobody can give it",
        ),
        key(
            "internal",
            Shape::Bool,
            "whether callers can't give the field: only patterns that set it write it; default `false`",
        ),
    ],
    variants: Variants::ByType(FIELD_TYPES),
    others: None,
};
