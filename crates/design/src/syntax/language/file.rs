//! The file, environments, tables and indexes.

use super::entity::ENTITY;
use super::pattern::PATTERN;
use super::{Construct, Key, Shape, Variants, about, allow, key, required};

/// The whole file.
pub(crate) static DESIGN: Construct = Construct {
    name: "a design",
    id: "design",
    keys: &[
        required(
            "design",
            Shape::Form("small letters, digits, hyphens", "^[a-z0-9-]+$"),
            "the design's name",
        ),
        about(),
        key(
            "environment",
            Shape::Named("environment", &Shape::Table(&ENVIRONMENT)),
            "the places that the design is applied to",
        ),
        required(
            "table",
            Shape::Either(&[Shape::Table(&TABLE), TABLES]),
            "the table, or several under names",
        ),
        key("index", INDEXES, "the indexes of the only table"),
        key("entity", Shape::Named("entity", &Shape::Table(&ENTITY)), "the kinds of items"),
        key("pattern", Shape::Named("pattern", &Shape::Table(&PATTERN)), "what can be asked"),
    ],
    variants: Variants::None,
    others: None,
};

/// An environment.
pub(crate) static ENVIRONMENT: Construct = Construct {
    name: "an environment",
    id: "environment",
    keys: &[
        about(),
        key(
            "removal",
            Shape::Word(&[
                ("keep", "the tables stay and are protected from deletion; the default except in `dev`"),
                ("delete", "the tables are deleted with the design; the default in `dev`"),
            ]),
            "what happens to the tables when the design is taken away",
        ),
        key("default", Shape::Bool, "used when the caller names none"),
    ],
    variants: Variants::None,
    others: None,
};

const KEY: Key = required("key", KEY_NAMES, "the attributes of its key");
const TYPE: Key =
    key("type", Shape::Text("an attribute"), "the attribute that tells what an item is; by default `type`");
const TTL: Key = key("ttl", Shape::Text("an attribute"), "the attribute with the epoch second of expiry");
const STREAM: Key = key("stream", Shape::Bool, "whether it has a change stream; by default not");
const BACKUP: Key = key(
    "backup",
    Shape::Text("a schedule, such as `weekly, keep 3 months`"),
    "when backups are taken by themselves, and how long each is kept; by default none are",
);
const RECOVERY: Key = key(
    "recovery",
    Shape::Form("1 to 35 days, such as `35 days`", "^([1-9]|[12][0-9]|3[0-5]) days?$"),
    "for how long the table can be had back as it was at any moment; by default not at all",
);
const SEPARATOR: Key = key(
    "separator",
    Shape::Form("one sign", "^[!-,/;-@\\[-^`|~]$"),
    "stands between the parts of a key, which may not contain it; by default `#`",
);
const NAME: Shape = Shape::Text("a name; `{environment}` may stand in it");

/// The only table of a design.
pub(crate) static TABLE: Construct = Construct {
    name: "a table",
    id: "table",
    keys: &[
        about(),
        key("name", NAME, "its name; by default the design's"),
        KEY,
        TYPE,
        TTL,
        STREAM,
        RECOVERY,
        BACKUP,
        SEPARATOR,
        allow(),
    ],
    variants: Variants::None,
    others: None,
};

/// One of several tables: it carries its indexes.
static NAMED_TABLE: Construct = Construct {
    name: "a table",
    id: "named_table",
    keys: &[
        about(),
        key("name", NAME, "its name; by default the design's and the word after `table.`"),
        KEY,
        TYPE,
        TTL,
        STREAM,
        RECOVERY,
        BACKUP,
        SEPARATOR,
        key("index", INDEXES, "its indexes"),
        allow(),
    ],
    variants: Variants::None,
    others: None,
};

/// Several tables, each under its name.
pub(crate) const TABLES: Shape = Shape::Named("table", &Shape::Table(&NAMED_TABLE));

const INDEXES: Shape =
    Shape::Named("index", &Shape::Either(&[KEY_NAME, KEY_NAME_LIST, Shape::Table(&INDEX)]));

/// An index that says more than its key.
pub(crate) static INDEX: Construct = Construct {
    name: "an index",
    id: "index",
    keys: &[
        about(),
        KEY,
        key(
            "project",
            Shape::Either(&[
                Shape::Word(&[("all", "everything; the default"), ("keys", "the keys only")]),
                Shape::List(1, &Shape::Text("an attribute")),
            ]),
            "what its entries carry: `all`, `keys`, or a list of attributes",
        ),
        key("local", Shape::Bool, "shares the table's partition key; by default not"),
        allow(),
    ],
    variants: Variants::None,
    others: None,
};

const KEY_NAME: Shape = Shape::Text("an attribute");
const KEY_NAME_LIST: Shape =
    Shape::List(1, &Shape::Either(&[KEY_NAME, Shape::List(1, &Shape::Text("an attribute"))]));
/// A partition attribute, or partition and sort; each may be several attributes.
const KEY_NAMES: Shape = Shape::Either(&[KEY_NAME, KEY_NAME_LIST]);
