//! Access patterns.

use singlet_values::limits::TRANSACTION_ACTIONS_MAX;

use super::entity::TEMPLATES;
use super::{Construct, Key, Shape, Variants, about, allow, key, required, variant};
use crate::paging::{MERGE_EACH_MAX, PAGE_ITEMS_MAX};

const ENTITY: Shape = Shape::Text("an entity");
const ON: Key = key("on", Shape::Text("an index"), "the index that is read instead of the table");
const KEY: Key = key(
    "key",
    TEMPLATES,
    "the key that is asked for, if it isn't the entity's own; a sort key may end early and is then a beginning",
);
const BY: Key = key(
    "by",
    Shape::List(1, &Shape::Text("a field")),
    "what the caller knows: the review says if the key needs more",
);
const CONSISTENT: Key =
    key("consistent", Shape::Bool, "sees every write that came before; not on global indexes");
const SHOW: Key = key("show", Shape::List(1, &Shape::Text("a field")), "only these fields are in the answer");
const RESOLVE: Key = key(
    "resolve",
    Shape::Named("answer", &Shape::Text("a field with `ref`")),
    "references that are followed, in batches: name in the answer = field",
);
const EXPIRED: Key = key(
    "expired",
    Shape::Word(&[("hide", "left out; the default"), ("show", "shown until they are deleted")]),
    "what happens to items past their time to live",
);
const IF: Key = key("if", Shape::Text("a condition"), "must hold on the item that is there");
const SET_VALUES: Shape = Shape::Named("field", &Shape::Constant);
const GIVEN: Key =
    key("set", SET_VALUES, "values that the pattern gives itself: a constant, `{parameter}` or `{now}`");
const ORDER: Key = key(
    "order",
    Shape::Word(&[
        ("oldest", "ascending; the default"),
        ("newest", "descending"),
        ("lowest", "ascending"),
        ("highest", "descending"),
    ]),
    "the order of the sort key",
);
const LIMIT: Key = key(
    "limit",
    Shape::Whole(1, PAGE_ITEMS_MAX as u64),
    "items on a page, unless the caller asks for another number; by default 100",
);
const WITH: Key = key(
    "with",
    Shape::Named("parameter", &Shape::Constant),
    "parameters that come from somewhere else: a constant, `{parameter}`, `{now}` or a field of another step",
);

/// What can be asked of a design.
pub(crate) static PATTERN: Construct = Construct {
    name: "a pattern",
    id: "pattern",
    keys: &[
        about(),
        key("tags", Shape::List(0, &Shape::Text("a word")), "free words, such as ids of requirements"),
        key(
            "rate",
            Shape::Form("a rate such as `50/s`", "^[0-9.]+ ?/ ?(s|second|minute|hour|day)$"),
            "how often it is expected: a number `/s`, `/minute`, `/hour` or `/day`",
        ),
        key(
            "within",
            Shape::Form("a time such as `20ms`", "^[0-9.]+ ?(ms|s)$"),
            "how long it may take: `20ms`, `1.5s`",
        ),
        key(
            "busiest",
            Shape::Form("a share such as `10%`", "^[0-9.]+ ?%$"),
            "the share of its calls that falls on the busiest key: `10%`",
        ),
        key(
            "owner",
            Shape::Text("a field"),
            "whom its items belong to: the review says if its key doesn't hold that field",
        ),
        key(
            "internal",
            Shape::Bool,
            "a step of other patterns, which callers can't run by itself; by default not",
        ),
        allow(),
    ],
    variants: Variants::ByKey(&[
        variant("get", ENTITY, "reads one item", &[ON, KEY, BY, CONSISTENT, SHOW, RESOLVE, EXPIRED]),
        variant("exists", ENTITY, "tells whether an item is there", &[ON, KEY, BY, CONSISTENT, EXPIRED]),
        variant("batch_get", ENTITY, "reads several items by key", &[BY, CONSISTENT, SHOW, EXPIRED]),
        variant(
            "query",
            Shape::Either(&[ENTITY, Shape::List(1, &ENTITY)]),
            "reads a page of items in order",
            &[
                ON,
                KEY,
                BY,
                ORDER,
                key(
                    "match",
                    Shape::List(1, &Shape::Text("a field")),
                    "leading parts of the sort key that are parameters",
                ),
                key(
                    "range",
                    Shape::Text("a field"),
                    "the next part of the sort key: optional parameters `from` and `to`, both included",
                ),
                key(
                    "prefix",
                    Shape::Text("a field"),
                    "the next part of the sort key begins with the parameter of that name",
                ),
                key("filter", Shape::Text("a condition"), "only items for which it holds"),
                LIMIT,
                CONSISTENT,
                SHOW,
                RESOLVE,
                EXPIRED,
            ],
        ),
        variant(
            "scan",
            ENTITY,
            "reads everything, page by page, in no order",
            &[
                ON,
                key("filter", Shape::Text("a condition"), "only items for which it holds"),
                LIMIT,
                SHOW,
                EXPIRED,
                key("admin", Shape::Bool, "for looking after the data, not for what is served"),
            ],
        ),
        variant("create", ENTITY, "writes a new item; refused if it is there", &[GIVEN]),
        variant("put", ENTITY, "writes an item in place of what is there", &[GIVEN, IF]),
        variant(
            "update",
            ENTITY,
            "changes an item; refused if it isn't there",
            &[
                key(
                    "set",
                    Shape::Either(&[Shape::List(1, &Shape::Text("a field")), SET_VALUES]),
                    "fields that are optional parameters, at least one given; or fields with their values",
                ),
                key("add", SET_VALUES, "added to numbers; elements put into sets"),
                key("subtract", SET_VALUES, "elements taken out of sets"),
                key("remove", Shape::List(1, &Shape::Text("a field")), "optional fields that are taken away"),
                key(
                    "insert",
                    Shape::Text("a list with `key`"),
                    "one new element of a list; its fields are parameters",
                ),
                key(
                    "change",
                    Shape::Text("a list with `key`"),
                    "one element of a list; its fields are parameters",
                ),
                key(
                    "drop",
                    Shape::Text("a list with `key`"),
                    "takes one element out of a list; its key is a parameter",
                ),
                IF,
            ],
        ),
        variant("delete", ENTITY, "deletes an item", &[IF]),
        variant("check", ENTITY, "holds a condition against an item, in a transaction", &[IF]),
        variant(
            "transaction",
            Shape::Named("step", &Shape::Either(&[Shape::Text("a pattern"), Shape::Table(&STEP)])),
            "several writes, all or none",
            &[],
        ),
        variant(
            "parts",
            Shape::Named("part", &Shape::Either(&[Shape::Text("a pattern"), Shape::Table(&PART)])),
            "several reads at once",
            &[key("together", Shape::Bool, "gets only: at one point of the commit order")],
        ),
        variant(
            "merge",
            Shape::Table(&MERGE),
            "a list, then a query for each of its items, merged into one order",
            &[],
        ),
    ]),
    others: None,
};

/// A step of a transaction.
pub(crate) static STEP: Construct = Construct {
    name: "a step",
    id: "step",
    keys: &[
        required("run", Shape::Text("a pattern"), "the pattern that is run"),
        WITH,
        key(
            "each",
            Shape::Named("parameter", &Shape::Text("a parameter")),
            "runs once for each element of a list: parameter of the step = parameter with the list",
        ),
        key(
            "max",
            Shape::Whole(1, TRANSACTION_ACTIONS_MAX as u64),
            "most elements of that list: a longer one is refused",
        ),
    ],
    variants: Variants::None,
    others: None,
};

/// A part of a composed read.
pub(crate) static PART: Construct = Construct {
    name: "a part",
    id: "part",
    keys: &[required("run", Shape::Text("a pattern"), "the pattern that is run"), WITH],
    variants: Variants::None,
    others: None,
};

/// A merged read.
pub(crate) static MERGE: Construct = Construct {
    name: "a merge",
    id: "merge",
    keys: &[
        required("each", Shape::Text("a pattern"), "the query that gives the list"),
        required("run", Shape::Text("a pattern"), "the query that is run for each item of the list"),
        WITH,
        required("by", Shape::Text("a field"), "the field that orders the merged items"),
        ORDER,
        key(
            "limit",
            Shape::Whole(1, PAGE_ITEMS_MAX as u64),
            "items on a page, unless the caller asks for another number; by default as the query, or 20",
        ),
        key(
            "max",
            Shape::Whole(1, MERGE_EACH_MAX as u64),
            "most items of the list that are followed; by default 100",
        ),
    ],
    variants: Variants::None,
    others: None,
};
