//! Fields and their types.

use super::{Construct, Key, Shape, Variant, Variants, about, key, required, variant};

const COUNT_MAX: u64 = u32::MAX as u64;
const MAX_CHARACTERS: Key = key("max", Shape::Whole(0, COUNT_MAX), "most characters");
const MAX_ENTRIES: Key = key("max", Shape::Whole(1, COUNT_MAX), "most entries");
const MAX_BYTES: Key = key("max", Shape::Whole(1, COUNT_MAX), "most bytes");
const REF: Key = key(
    "ref",
    Shape::Text("an entity"),
    "the entity that it refers to; only `must_exist` checks that the item is there",
);
const MUST_EXIST: Key = key(
    "must_exist",
    Shape::Bool,
    "a write of the reference is refused unless the item is there; by default not",
);
const DEFAULT: Key = key("default", Shape::Constant, "the value of a new item that gives none");
const LEAST: Key = key("min", Shape::Number, "least");
const MOST: Key = key("max", Shape::Number, "most");
const MADE: Key = key(
    "made",
    Shape::Word(&[
        ("uuid7", "a UUID that sorts by time; the default"),
        ("uuid4", "a random UUID"),
        ("ulid", "a ULID: sorts by time, 26 characters"),
    ]),
    "how it is made",
);

/// The words for types, each with what it is.
pub(super) const TYPE_WORDS: &[(&str, &str)] = &[
    ("string", "text"),
    ("int", "whole number"),
    ("number", "number of up to 38 digits"),
    ("bool", "true or false"),
    ("binary", "bytes; base64 in JSON"),
    ("date", "a day: 2025-01-20"),
    ("time", "an instant, kept in UTC with milliseconds"),
    ("epoch", "an instant as seconds since 1970"),
    ("id", "an id that is made on creation unless given"),
    ("key", "an id that the caller gives, or that names another item"),
    ("secret", "a text that can't be guessed, made on creation"),
    ("created", "the time of creation"),
    ("updated", "the time of the last write"),
    ("list", "a list"),
    ("set", "a set of texts, numbers or bytes"),
    ("map", "values of one type under names that the data chooses"),
    ("object", "an object with fields of its own"),
    ("any", "any JSON"),
];

/// The types of fields, with the keys that go with each.
pub(super) static FIELD_TYPES: &[Variant] = &[
    variant(
        "string",
        Shape::Constant,
        "text",
        &[
            key("min", Shape::Whole(0, COUNT_MAX), "fewest characters"),
            MAX_CHARACTERS,
            key("enum", Shape::List(1, &Shape::Text("a value")), "the only values"),
            DEFAULT,
        ],
    ),
    variant("int", Shape::Constant, "whole number", &[LEAST, MOST, DEFAULT]),
    variant("number", Shape::Constant, "number of up to 38 digits", &[LEAST, MOST, DEFAULT]),
    variant("bool", Shape::Constant, "true or false", &[DEFAULT]),
    variant("binary", Shape::Constant, "bytes", &[MAX_BYTES, DEFAULT]),
    variant("date", Shape::Constant, "a day", &[DEFAULT]),
    variant("time", Shape::Constant, "an instant", &[DEFAULT]),
    variant("epoch", Shape::Constant, "seconds since 1970", &[DEFAULT]),
    variant("id", Shape::Constant, "made on creation unless given", &[MADE]),
    variant("key", Shape::Constant, "given by the caller", &[REF, MUST_EXIST, DEFAULT]),
    variant("secret", Shape::Constant, "can't be guessed", &[]),
    variant("created", Shape::Constant, "time of creation", &[]),
    variant("updated", Shape::Constant, "time of the last write", &[]),
    variant(
        "list",
        Shape::Constant,
        "a list",
        &[
            of(),
            MAX_ENTRIES,
            key(
                "key",
                Shape::Text("a field of the elements"),
                "the field that identifies an element: elements can then be changed one by one",
            ),
            REF,
            DEFAULT,
        ],
    ),
    variant("set", Shape::Constant, "a set", &[of(), MAX_ENTRIES, REF, DEFAULT]),
    variant("map", Shape::Constant, "a map", &[of(), MAX_ENTRIES, DEFAULT]),
    variant(
        "object",
        Shape::Constant,
        "an object",
        &[required("fields", Shape::Named("field", &FIELD_VALUE), "its fields"), DEFAULT],
    ),
    variant("any", Shape::Constant, "any JSON", &[MAX_BYTES, DEFAULT]),
];

/// Statics and a function, since types hold types: constants can't refer to each other in a circle.
static FIELD_FORMS: [Shape; 2] = [Shape::Word(TYPE_WORDS), Shape::Table(&FIELD)];

/// A field: the word for its type, or a table that says more.
pub(super) static FIELD_VALUE: Shape = Shape::Either(&FIELD_FORMS);

const fn of() -> Key {
    required("of", Shape::Either(&FIELD_FORMS), "what its entries are: a type, or a table that says more")
}

/// A field.
pub(crate) static FIELD: Construct = Construct {
    name: "a field",
    id: "field",
    keys: &[
        about(),
        required("type", Shape::Word(TYPE_WORDS), "what values it takes"),
        key("optional", Shape::Bool, "whether it may be missing; by default not"),
        key(
            "internal",
            Shape::Bool,
            "never a parameter by itself: only a pattern that gives it a value writes it; by default not",
        ),
    ],
    variants: Variants::ByType(FIELD_TYPES),
    others: None,
};
