//! The design language: entities, keys, indexes and access patterns in one file, read, checked and described.
//!
//! This crate knows the language and the model that a file becomes: fields, key templates, conditions, patterns. It
//! must not know databases: neither the engine nor a store, and neither HTTP, terminals nor files. Everything here is a
//! function of the text of a design.
//!
//! ```
//! let source = r#"
//! design = "notes"
//! [table]
//! key = ["PK", "SK"]
//! [entity.Note]
//! key = ["USER#{user_id}", "NOTE#{note_id}"]
//! fields = { user_id = "key", note_id = "id", text = "string" }
//! [pattern.notes]
//! query = "Note"
//! "#;
//! let design = singlet_design::load("notes.toml", source)?;
//! let parameters = &design.pattern("notes").expect("it is in the design").parameters;
//! assert_eq!(parameters[0].name, "user_id");
//!
//! let report = singlet_design::load("notes.toml", &source.replace("{user_id}", "{usr_id}")).unwrap_err();
//! assert_eq!(report.mistakes[0].help.as_deref(), Some("did you mean `user_id`?"));
//! # Ok::<(), singlet_design::Report>(())
//! ```

mod condition;
mod describe;
mod expression;
mod field;
mod holes;
mod instant;
mod json;
mod limits;
mod model;
mod names;
mod paging;
mod report;
mod resolve;
mod schema;
mod style;
mod syntax;
mod template;
mod value;

pub use condition::{
    Comparison, Condition, ConditionError, Operand, Tree, beginning_type, compared_type, contained_type,
};
pub use describe::{
    Access, Grid, access, describe_markdown, describe_text, entity_chart, er_diagram, index_table,
    pattern_table, settings_table,
};
pub use expression::{
    Composed, Expression, ExpressionError, Hole, Meaning, Name, Origin, Period, Quantity, TextPiece,
};
pub use field::{Field, FieldType, Made, ParameterType};
pub use json::{Json, JsonError};
pub use limits::FILE_BYTES_MAX;
pub use model::{
    Aggregate, AggregateKind, AggregateSource, Allowance, Archive, Argument, AskedKey, BatchGet, Binding,
    Buckets, CallerRelation, Callers, Capacity, CapacityRange, CapacityUnits, Cardinality, Cascade, Change,
    Check, Child, Chooser, ConditionalSet, Count, Delete, Derivation, DerivationKind, Design, Each, EachList,
    ElementChange, Entity, Environment, Event, Extreme, ExtremeKind, ExtremeSource, FAN_BACKFILL_DEFAULT,
    FAN_BACKFILL_MAX, FAN_MAX_LIMIT, FAN_MERGED_MAX, Fan, FieldCopy, Gather, Get, Index, IndexEntry, Insert,
    KeyAttribute, KeyKind, KeyTemplates, Layout, ListSource, ListWalk, Maker, Merge, Operation, Order,
    OrderWord, Parameter, Parts, PathSegment, Pattern, Places, Projection, Query, Rate, ReadPart, Reference,
    Referral, Relation, Removal, Resolve, Route, SUMS_ATTRIBUTE, Scan, Setting, ShardRead, SortRange, Step,
    Subject, Table, TableSettings, TimeToLive, Transaction, Trigger, Unique, UniquePart, Update, ValueSource,
    Verb, When, Who, WriteRequests,
};
pub use names::{is_design_name, nearest, similar};
pub use paging::{
    BUCKETS_EMPTY_DEFAULT, BUCKETS_EMPTY_MAX, BULK_BATCH_DEFAULT, BULK_GROUP_MAX, CLAIM_PAGE_ITEMS,
    COUNT_ITEMS_DEFAULT, COUNT_ITEMS_MAX, MERGED_PAGE_ITEMS_DEFAULT, PAGE_ITEMS_DEFAULT, PAGE_ITEMS_MAX,
    WALK_DEFAULT, WALK_MAX, first_request_items,
};
pub use report::{Lines, Mistake, Position, Report, Span};
pub use resolve::load;
pub use schema::schema;
pub use style::{Formatted, format, old_forms, upgrade};
pub use template::{
    Ending, Format, Part, RenderError, SHARDS_MAX, Split, Template, TemplateError, Values, fold, formatted,
    shard_of,
};
pub use value::{
    Bucket, ValueError, date_of_ms, default_of, epoch_second, fill, from_text, holds_instant, in_words,
    instant, instant_at, instant_for, instant_ms, is_empty_set, parameter_in_words, time_of_ms, to_attribute,
    to_json, to_text, type_name,
};
