//! Access patterns.

use singlet_values::limits::TRANSACTION_ACTIONS_MAX;

use super::caller::WHO;
use super::entity::TEMPLATES;
use super::{Construct, Key, Shape, Variants, about, allow, key, required, variant};
use crate::paging::{BUCKETS_EMPTY_MAX, COUNT_ITEMS_MAX, PAGE_ITEMS_MAX, WALK_MAX};

const ENTITY: Shape = Shape::Text("an entity name");
const ON: Key = key("on", Shape::Text("an index name"), "the index to read instead of the table");
const KEY: Key = key(
    "key",
    TEMPLATES,
    "the key to read, if it differs from the entity's templates; a partial sort key is a prefix",
);
const KNOWS: Key = key(
    "knows",
    Shape::List(1, &Shape::Text("a field name")),
    "the fields that the caller knows; the review reports a key that needs others",
);
const CONSISTENT: Key = key(
    "consistent",
    Shape::Bool,
    "whether the read is strongly consistent; not on global indexes; default `false`",
);
const SHOW: Key =
    key("show", Shape::List(1, &Shape::Text("a field name")), "the fields to return; default: all");
const RESOLVE: Key = key(
    "resolve",
    Shape::Named("answer", &Shape::Text("a field with `ref`")),
    "references to follow, in batches: name in the answer = field",
);
const EXPIRED: Key = key(
    "expired",
    Shape::Word(&[("hide", "leave them out; the default"), ("show", "return them until they are deleted")]),
    "what to do with expired items that aren't deleted yet",
);
const IF: Key = key("if", Shape::Text("a condition"), "the condition that the existing item must satisfy");
const SET_VALUES: Shape = Shape::Named("field", &Shape::Constant);
const GIVEN: Key = key(
    "set",
    SET_VALUES,
    "values that the pattern gives to fields: constants, or text with holes such as `{parameter}`",
);
const ORDER_WORD: Shape = Shape::Word(&[
    ("oldest", "ascending; the default"),
    ("newest", "descending"),
    ("lowest", "ascending"),
    ("highest", "descending"),
]);
const ORDER: Key = key("order", ORDER_WORD, "the order by sort key");
const LIMIT: Key = key(
    "limit",
    Shape::Whole(1, PAGE_ITEMS_MAX as u64),
    "the items on a page, unless the caller asks for another number; default 100",
);
const MATCH: Key = key(
    "match",
    Shape::List(1, &Shape::Text("a field name")),
    "the leading parts of the sort key that are parameters",
);
const RANGE: Key = key(
    "range",
    Shape::Text("a field name"),
    "the next part of the sort key, with the optional parameters `from` and `to`, both inclusive",
);
const PREFIX: Key = key(
    "prefix",
    Shape::Text("a field name"),
    "the next part of the sort key, which must begin with the parameter of that name",
);
const FILTER: Key = key("filter", Shape::Text("a condition"), "the condition that returned items satisfy");
const EMPTY: Key = key(
    "empty",
    Shape::Whole(1, BUCKETS_EMPTY_MAX as u64),
    "with a `range` over buckets: the empty ones in a row after which a call ends; default 31",
);
const WITH: Key = key(
    "with",
    Shape::Named("parameter", &Shape::Constant),
    "values for parameters of the pattern: constants, or text with holes such as `{parameter}`, `{step.field}` and `{element}`",
);
static RUN: [Shape; 2] = [Shape::Text("a pattern name"), Shape::Table(&INLINE)];

const EACH: Key = required(
    "each",
    Shape::Text("a name, `in`, and a query or a list: `x in friends`"),
    "the list: `x in SOURCE`, where the source is a query pattern or a parameter with a list, and `x` names its element",
);
const WALK_WITH: Key = key(
    "with",
    Shape::Named("parameter", &Shape::Constant),
    "values for parameters of `run`: `{x}`, `{x.field}`, a constant, `{parameter}` or `{now}`",
);
const PAGE: Key = key(
    "limit",
    Shape::Whole(1, PAGE_ITEMS_MAX as u64),
    "the items on a page, unless the caller asks for another number; default: as for `run`, or 20",
);
const MAX: Key = key(
    "max",
    Shape::Whole(1, WALK_MAX as u64),
    "the maximum number of elements: of a query, the first ones are taken, and a longer list is refused; default 100",
);

/// An access pattern.
pub(crate) static PATTERN: Construct = Construct {
    id: "pattern",
    keys: &[
        about(),
        key("tags", Shape::List(0, &Shape::Text("a word")), "free-form labels, such as requirement ids"),
        key(
            "rate",
            Shape::Form("a rate such as `50/s`", "^[0-9.]+ ?/ ?(s|second|minute|hour|day)$"),
            "the expected rate of calls: a number with `/s`, `/minute`, `/hour` or `/day`",
        ),
        key(
            "within",
            Shape::Form("a duration such as `20ms`", "^[0-9.]+ ?(ms|s)$"),
            "the latency target, in `ms` or `s`",
        ),
        key(
            "busiest",
            Shape::Form("a percentage such as `10%`", "^[0-9.]+ ?%$"),
            "the share of calls that use the busiest key",
        ),
        key(
            "owner",
            Shape::Text("a field name"),
            "the field that identifies the owner of the items; the review reports a key without it",
        ),
        key(
            "who",
            WHO,
            "the callers who may run it; several in a list: any of them; required with `[caller]`",
        ),
        key(
            "path",
            Shape::Text("a path such as `/posts/{post_id}`"),
            "its path in the API, below the name of the design; default: derived from entity and key",
        ),
        key(
            "internal",
            Shape::Bool,
            "whether only other patterns can run it, as a step or part; default `false`",
        ),
        allow(),
    ],
    variants: Variants::ByKey(&[
        variant("get", ENTITY, "reads one item", &[ON, KEY, KNOWS, CONSISTENT, SHOW, RESOLVE, EXPIRED]),
        variant("exists", ENTITY, "checks whether an item exists", &[ON, KEY, KNOWS, CONSISTENT, EXPIRED]),
        variant("batch_get", ENTITY, "reads several items by key", &[KNOWS, CONSISTENT, SHOW, EXPIRED]),
        variant(
            "query",
            Shape::Either(&[ENTITY, Shape::List(1, &ENTITY)]),
            "reads a page of items in order",
            &[
                ON,
                KEY,
                KNOWS,
                key(
                    "order",
                    Shape::Either(&[ORDER_WORD, Shape::List(2, &ORDER_WORD)]),
                    "the order by sort key; of two in a list, callers choose by the parameter `order`, and the first is the default",
                ),
                MATCH,
                RANGE,
                PREFIX,
                EMPTY,
                FILTER,
                LIMIT,
                CONSISTENT,
                SHOW,
                RESOLVE,
                EXPIRED,
            ],
        ),
        variant(
            "count",
            Shape::Either(&[ENTITY, Shape::List(1, &ENTITY)]),
            "counts the items of a query",
            &[
                ON,
                KEY,
                KNOWS,
                MATCH,
                RANGE,
                PREFIX,
                EMPTY,
                FILTER,
                key(
                    "max",
                    Shape::Whole(1, COUNT_ITEMS_MAX as u64),
                    "the items to read at most; if there are more, the answer says so; default 10000",
                ),
                CONSISTENT,
                EXPIRED,
            ],
        ),
        variant(
            "scan",
            ENTITY,
            "reads the whole table or index, page by page, in no order",
            &[
                ON,
                FILTER,
                LIMIT,
                SHOW,
                EXPIRED,
                key(
                    "admin",
                    Shape::Bool,
                    "whether it is for administration and not for serving users; default `false`",
                ),
            ],
        ),
        variant("create", ENTITY, "writes a new item; refused if it exists", &[GIVEN]),
        variant("put", ENTITY, "writes an item and replaces an existing one", &[GIVEN, IF]),
        variant(
            "update",
            ENTITY,
            "changes an item; refused if it doesn't exist",
            &[
                key(
                    "set",
                    Shape::Either(&[Shape::List(1, &Shape::Text("a field name")), SET_VALUES]),
                    "a list of fields that are optional parameters, of which callers give at least one; or fields with their values",
                ),
                key(
                    "add",
                    SET_VALUES,
                    "amounts to add to numbers; elements to add to sets, or to the end of lists",
                ),
                key("subtract", SET_VALUES, "elements to remove from sets and lists"),
                key("remove", Shape::List(1, &Shape::Text("a field name")), "optional fields to remove"),
                key(
                    "insert",
                    Shape::Text("a list field with `unique`"),
                    "the list that gets a new element; the fields of the element are parameters",
                ),
                key(
                    "change",
                    Shape::Text("a list field with `unique`"),
                    "the list of which one element changes; the fields of the element are parameters",
                ),
                key(
                    "drop",
                    Shape::Text("a list field with `unique`"),
                    "the list that loses an element; its `unique` field is a parameter",
                ),
                IF,
            ],
        ),
        variant(
            "upsert",
            ENTITY,
            "changes an item; creates it if it doesn't exist",
            &[
                key(
                    "set",
                    Shape::Either(&[Shape::List(1, &Shape::Text("a field name")), SET_VALUES]),
                    "a list of fields that are parameters; or fields with their values",
                ),
                key(
                    "add",
                    SET_VALUES,
                    "amounts to add to numbers, which begin with 0 or the default; elements to add",
                ),
                key("subtract", SET_VALUES, "elements to remove from sets and lists"),
                key("remove", Shape::List(1, &Shape::Text("a field name")), "optional fields to remove"),
                key("first", SET_VALUES, "values that only a new item gets"),
                key("if", Shape::Text("a condition"), "the condition that an existing item must satisfy"),
            ],
        ),
        variant("delete", ENTITY, "deletes an item", &[IF]),
        variant("check", ENTITY, "checks a condition on an item, in a transaction", &[IF]),
        variant(
            "transaction",
            Shape::Named(
                "step",
                &Shape::Either(&[Shape::Text("a pattern name"), Shape::Table(&INLINE), Shape::Table(&STEP)]),
            ),
            "runs several writes, all or none",
            &[],
        ),
        variant(
            "parts",
            Shape::Named(
                "part",
                &Shape::Either(&[Shape::Text("a pattern name"), Shape::Table(&INLINE), Shape::Table(&PART)]),
            ),
            "runs several reads at once",
            &[key(
                "together",
                Shape::Bool,
                "whether all parts read the same state; every part must be a `get`; default `false`",
            )],
        ),
        variant(
            "merge",
            Shape::Table(&MERGE),
            "runs a query for each element of a list, and merges the results in order",
            &[],
        ),
        variant(
            "gather",
            Shape::Table(&GATHER),
            "runs a query for each element of a list, and groups the results by a field, those with the most hits first",
            &[],
        ),
        variant(
            "claim",
            Shape::Table(&CLAIM),
            "changes or deletes the first item of a list that `run` can change, and returns it",
            &[],
        ),
        variant("bulk", Shape::Table(&BULK), "runs a write for each element of a list, in batches", &[]),
    ]),
    others: None,
};

/// A pattern that is written where it is used.
pub(crate) static INLINE: Construct =
    Construct { id: "inline", keys: &[about(), allow()], variants: PATTERN.variants, others: None };

/// A step of a transaction.
pub(crate) static STEP: Construct = Construct {
    id: "step",
    keys: &[
        required("run", Shape::Either(&RUN), "the pattern to run"),
        WITH,
        key(
            "each",
            Shape::Either(&[
                Shape::Text("an element and its list, such as `line in lines`"),
                Shape::Named("parameter", &Shape::Text("a parameter name")),
            ]),
            "runs the step once for each element of a list: a parameter, or a field of an earlier step",
        ),
        key(
            "max",
            Shape::Whole(1, TRANSACTION_ACTIONS_MAX as u64),
            "the maximum length of that list; a longer one is refused",
        ),
    ],
    variants: Variants::None,
    others: None,
};

/// A part of a composed read.
pub(crate) static PART: Construct = Construct {
    id: "part",
    keys: &[required("run", Shape::Either(&RUN), "the pattern to run"), WITH],
    variants: Variants::None,
    others: None,
};

/// A merged read.
pub(crate) static MERGE: Construct = Construct {
    id: "merge",
    keys: &[
        EACH,
        required("run", Shape::Either(&RUN), "the query to run for each element"),
        WALK_WITH,
        required("by", Shape::Text("a field name"), "the field that orders the merged items"),
        ORDER,
        PAGE,
        MAX,
    ],
    variants: Variants::None,
    others: None,
};

/// A read whose hits are grouped.
pub(crate) static GATHER: Construct = Construct {
    id: "gather",
    keys: &[
        EACH,
        required("run", Shape::Either(&RUN), "the query to run for each element"),
        WALK_WITH,
        required("group", Shape::Text("a field name"), "the field by which the items are grouped"),
        PAGE,
        MAX,
    ],
    variants: Variants::None,
    others: None,
};

/// A write of the first item that can be written.
pub(crate) static CLAIM: Construct = Construct {
    id: "claim",
    keys: &[
        EACH,
        required("run", Shape::Either(&RUN), "the `update` or `delete` to try on each element"),
        WALK_WITH,
        MAX,
    ],
    variants: Variants::None,
    others: None,
};

/// A write of many items.
pub(crate) static BULK: Construct = Construct {
    id: "bulk",
    keys: &[
        EACH,
        required("run", Shape::Either(&RUN), "the write or transaction to run for each element"),
        WALK_WITH,
    ],
    variants: Variants::None,
    others: None,
};
