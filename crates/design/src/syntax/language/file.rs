//! The file, environments, tables and indexes.

use super::caller::CALLER;
use super::derivation::DERIVATION;
use super::entity::ENTITY;
use super::pattern::PATTERN;
use super::{Construct, Key, Shape, Variants, about, allow, key, required};

/// The whole file.
pub(crate) static DESIGN: Construct = Construct {
    id: "design",
    keys: &[
        required(
            "design",
            Shape::Form("lower-case letters, digits and hyphens", "^[a-z0-9-]+$"),
            "the name of the design",
        ),
        about(),
        key(
            "environment",
            Shape::Named("environment", &Shape::Table(&ENVIRONMENT)),
            "the environments that the design can be applied to, by name",
        ),
        required(
            "table",
            Shape::Either(&[Shape::Table(&TABLE), TABLES]),
            "the table, or several tables by name",
        ),
        key(
            "index",
            INDEXES,
            "the indexes, by name; with several tables, they belong to `[table.NAME.index]`",
        ),
        key("caller", Shape::Table(&CALLER), "who calls the API"),
        key("entity", Shape::Named("entity", &Shape::Table(&ENTITY)), "the entities, by name"),
        key(
            "derive",
            Shape::Named("derivation", &Shape::Table(&DERIVATION)),
            "the derivations that aren't declared at a field, by name",
        ),
        key("pattern", Shape::Named("pattern", &Shape::Table(&PATTERN)), "the access patterns, by name"),
    ],
    variants: Variants::None,
    others: None,
};

/// An environment.
pub(crate) static ENVIRONMENT: Construct = Construct {
    id: "environment",
    keys: &[
        about(),
        key(
            "default",
            Shape::Bool,
            "whether it is used when the caller names no environment; default `false`",
        ),
        REMOVAL,
        STREAM_HERE,
        RECOVERY_HERE,
        BACKUP_HERE,
        CAPACITY_HERE,
        key(
            "table",
            Shape::Named("table", &Shape::Table(&TABLE_HERE)),
            "settings of single tables, by name, which take precedence over the others here",
        ),
    ],
    variants: Variants::None,
    others: None,
};

/// The settings of one of several tables in an environment.
static TABLE_HERE: Construct = Construct {
    id: "environment_table",
    keys: &[about(), REMOVAL, STREAM_HERE, RECOVERY_HERE, BACKUP_HERE, CAPACITY_HERE],
    variants: Variants::None,
    others: None,
};

const REMOVAL: Key = key(
    "removal",
    Shape::Word(&[
        ("keep", "the tables stay and are protected from deletion; the default except in `dev`"),
        ("delete", "the tables are deleted; the default in `dev`"),
    ]),
    "what `singlet apply --remove` does with the tables",
);
const STREAM_HERE: Key = key("stream", Shape::Bool, "whether the tables have a stream here");
const BACKUP_HERE: Key =
    key("backup", SCHEDULE, "the schedule and retention period of automatic backups here");
const CAPACITY_HERE: Key =
    key("capacity", CAPACITIES, "the provisioned capacity of tables and indexes here, or `on demand`");
const RECOVERY_HERE: Key = key("recovery", PERIOD, "the retention period of point-in-time recovery here");

const KEY: Key = required("key", KEY_NAMES, "the key attributes: the partition key, then the sort key");
const TYPE: Key = key(
    "type",
    Shape::Text("an attribute name"),
    "the attribute that holds the type of an item; default `type`",
);
const TTL: Key =
    key("ttl", Shape::Text("an attribute name"), "the attribute that holds the expiry time in epoch seconds");
const STREAM: Key = key("stream", Shape::Bool, "whether the table has a stream; default `false`");
const BACKUP: Key = key(
    "backup",
    SCHEDULE,
    "the schedule and retention period of automatic backups; by default, none are taken",
);
const RECOVERY: Key = key(
    "recovery",
    PERIOD,
    "the retention period of point-in-time recovery; by default, recovery stays as it is, and is off in a new table",
);
const CAPACITY: Key = key(
    "capacity",
    CAPACITIES,
    "the provisioned capacity of the table and its indexes, or `on demand`; by default, it stays as it is, and a new \
     table is on demand",
);
const CAPACITIES: Shape = Shape::Either(&[
    Shape::Form(
        "read and write units, such as `100/50`, or `on demand`",
        "^([0-9]+/[0-9]+( to [0-9]+/[0-9]+)?|on demand)$",
    ),
    Shape::Named(
        "the capacity of",
        &Shape::Form("read and write units, such as `100/50`", "^[0-9]+/[0-9]+( to [0-9]+/[0-9]+)?$"),
    ),
]);
const SCHEDULE: Shape = Shape::Text("a schedule, such as `weekly, keep 3 months`, or `off`");
const PERIOD: Shape =
    Shape::Form("1 to 35 days, such as `35 days`, or `off`", "^(([1-9]|[12][0-9]|3[0-5]) days?|off)$");
const SEPARATOR: Key = key(
    "separator",
    Shape::Form("one punctuation character", "^[!-,/;-@\\[-^`|~]$"),
    "the character between the parts of a key, which values can't contain; default `#`",
);
const NAME: Shape = Shape::Text("a table name; may contain `{environment}`");

/// The only table of a design.
pub(crate) static TABLE: Construct = Construct {
    id: "table",
    keys: &[
        about(),
        key("name", NAME, "the name of the table; default: the name of the design"),
        KEY,
        TYPE,
        TTL,
        STREAM,
        RECOVERY,
        BACKUP,
        CAPACITY,
        SEPARATOR,
        allow(),
    ],
    variants: Variants::None,
    others: None,
};

/// One of several tables, with its indexes.
static NAMED_TABLE: Construct = Construct {
    id: "named_table",
    keys: &[
        about(),
        key(
            "name",
            NAME,
            "the name of the table; default: the name of the design, a hyphen, and the word after `table.`",
        ),
        KEY,
        TYPE,
        TTL,
        STREAM,
        RECOVERY,
        BACKUP,
        CAPACITY,
        SEPARATOR,
        key("index", INDEXES, "the indexes, by name"),
        allow(),
    ],
    variants: Variants::None,
    others: None,
};

/// Several tables, by name.
pub(crate) const TABLES: Shape = Shape::Named("table", &Shape::Table(&NAMED_TABLE));

const INDEXES: Shape =
    Shape::Named("index", &Shape::Either(&[KEY_NAME, KEY_NAME_LIST, Shape::Table(&INDEX)]));

/// An index with more than its key.
pub(crate) static INDEX: Construct = Construct {
    id: "index",
    keys: &[
        about(),
        KEY,
        key(
            "project",
            Shape::Either(&[
                Shape::Word(&[("all", "every attribute; the default"), ("keys", "key attributes only")]),
                Shape::List(1, &Shape::Text("an attribute name")),
            ]),
            "the attributes that the index contains: `all` (the default), `keys`, or a list of attributes",
        ),
        key(
            "local",
            Shape::Bool,
            "whether it is a local index, with the table's partition key; default `false`",
        ),
        allow(),
    ],
    variants: Variants::None,
    others: None,
};

const KEY_NAME: Shape = Shape::Text("an attribute name");
const KEY_NAME_LIST: Shape =
    Shape::List(1, &Shape::Either(&[KEY_NAME, Shape::List(1, &Shape::Text("an attribute name"))]));
/// A partition key, or a partition key and a sort key; each may consist of several attributes.
const KEY_NAMES: Shape = Shape::Either(&[KEY_NAME, KEY_NAME_LIST]);
