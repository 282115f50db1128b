//! Resolves the fields of entities and of nested objects.

use std::collections::BTreeSet;

use super::Context;
use super::name;
use crate::expression::Composed;
use crate::json::Json;
use crate::model::{Field, FieldType, Made};
use crate::syntax::{Entry, Node};
use crate::value;

/// The words by which a field is derived from items of other entities.
pub(super) const DERIVED_WORDS: [&str; 8] =
    ["count", "sum", "average", "exists", "copy", "highest", "lowest", "latest"];

/// Fields, and which of them have mistakes, so that their uses aren't checked.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// The fields in the order of the file; a field with mistakes may have the type `any`.
    pub(super) list: Vec<Field>,
    /// The names of the fields with mistakes.
    pub(super) vague: BTreeSet<String>,
    /// The computed fields, with their values.
    pub(super) computed: Vec<(String, Composed)>,
}

/// Resolves a table of fields.
pub(super) fn fields(context: &Context<'_>, entries: &[Entry]) -> Fields {
    let mut fields = Fields::default();
    for entry in entries {
        if context.mistakes.is_full() {
            break;
        }
        name::check_word(context, "a field", &entry.name, entry.span);
        if entry.name == "now" {
            context.mistakes.add_with_help(
                entry.span,
                "`now` can't be the name of a field",
                "`{now}` is the time of the call; use another name, such as `noted_at`",
            );
        }
        let before = context.mistakes.count();
        let field = field(context, entry);
        if field.is_none() || context.mistakes.count() > before {
            fields.vague.insert(entry.name.clone());
        }
        fields.list.push(field.unwrap_or_else(|| Field {
            name: entry.name.clone(),
            about: None,
            kind: FieldType::Any { max_bytes: None },
            optional: false,
            default: None,
            internal: false,
            made: None,
            computed: false,
            derived: false,
            refers_to: None,
            refers_to_one_of: Vec::new(),
            must_exist: false,
            span: entry.span,
        }));
    }
    fields
}

/// Resolves a field; `None` if its type is unknown, which the syntax check has reported.
fn field(context: &Context<'_>, entry: &Entry) -> Option<Field> {
    let node = &entry.node;
    let (kind, made) = kind(context, node)?;
    let optional = node.get("optional").and_then(Node::truth).unwrap_or(false);
    let rule = derived_word(node);
    let default = node.get("default").map(|default| {
        let json = default.json();
        if made.is_some() {
            // The syntax check has reported that such a field can't have a default.
        } else if let Err(error) = value::to_attribute(&kind, &json) {
            let message = format!("the default of `{}` doesn't fit its type: {error}", entry.name);
            context.mistakes.add(default.span, message);
        }
        json
    });
    if let (true, Some(_), Some(place)) = (optional, made, node.entry("optional")) {
        context.mistakes.add_with_help(
            place.span,
            format!("`{}` can't be optional, because Singlet generates its value", entry.name),
            "remove `optional`",
        );
    }
    let default = default.or_else(|| rule.and_then(value_of_nothing));
    let must_exist = must_exist(context, entry, &kind);
    let (refers_to, refers_to_one_of) = referred(node);
    Some(Field {
        name: entry.name.clone(),
        about: node.text_of("about").map(str::to_owned),
        kind,
        optional,
        default,
        internal: node.get("internal").and_then(Node::truth).unwrap_or(false)
            || node.get("value").is_some()
            || rule.is_some(),
        made,
        computed: node.get("value").is_some(),
        derived: rule.is_some(),
        refers_to,
        refers_to_one_of,
        must_exist,
        span: entry.span,
    })
}

/// Returns the word by which a field is derived from items of other entities.
pub(super) fn derived_word(node: &Node) -> Option<&'static str> {
    DERIVED_WORDS.into_iter().find(|word| node.get(word).is_some())
}

/// Returns the derived value of an item to which no other item belongs. Others have none.
fn value_of_nothing(word: &str) -> Option<Json> {
    match word {
        "exists" => Some(Json::from(false)),
        "count" | "sum" => Some(Json::Number(0.into())),
        _ => None,
    }
}

/// Returns whether writes check that the referenced item exists.
fn must_exist(context: &Context<'_>, entry: &Entry, kind: &FieldType) -> bool {
    let place = entry.node.entry("must_exist").filter(|place| place.node.truth() == Some(true));
    // The syntax check has reported types that can't have it.
    let Some(place) = place.filter(|_| *kind == FieldType::Id) else { return false };
    if entry.node.get("ref").is_none() {
        let name = &entry.name;
        context.mistakes.add_with_help(
            place.span,
            format!("`{name}` has `must_exist` but no `ref`"),
            format!("write `{name} = {{ type = \"key\", ref = \"…\", must_exist = true }}`"),
        );
    }
    true
}

/// Returns the `ref` of a field, or of the elements of a list or set.
pub(super) fn refers_to(node: &Node) -> Option<&Node> {
    node.get("ref").or_else(|| node.get("of")?.get("ref"))
}

/// Returns the entity of a `ref`, or the entities of one that lists several.
fn referred(node: &Node) -> (Option<String>, Vec<String>) {
    let place = refers_to(node);
    let names = place.and_then(Node::list).unwrap_or_default();
    let names: Vec<String> = names.iter().filter_map(Node::text).map(str::to_owned).collect();
    match names.as_slice() {
        [] => (place.and_then(Node::text).map(str::to_owned), Vec::new()),
        [only] => (Some(only.clone()), Vec::new()),
        _ => (None, names),
    }
}

/// Resolves a type, given as a word or as a table.
fn kind(context: &Context<'_>, node: &Node) -> Option<(FieldType, Option<Made>)> {
    let word = node.text().or_else(|| node.text_of("type"))?;
    let count = |key: &str| node.get(key).and_then(Node::whole).and_then(|count| u32::try_from(count).ok());
    let bound = |key: &str| node.get(key).and_then(Node::number).copied();
    let kind = match word {
        "string" => text(context, node),
        "int" => FieldType::Int { min: bound("min"), max: bound("max") },
        "number" => FieldType::Number { min: bound("min"), max: bound("max") },
        "bool" => FieldType::Bool,
        "binary" => FieldType::Binary { max: count("max") },
        "date" => FieldType::Date,
        "time" => FieldType::Time,
        "epoch" => FieldType::Epoch,
        "key" => FieldType::Id,
        "id" => {
            let made = match node.text_of("made") {
                Some("uuid4") => Made::Uuid4,
                Some("ulid") => Made::Ulid,
                _ => Made::Uuid7,
            };
            return Some((FieldType::Id, Some(made)));
        }
        "secret" => return Some((FieldType::Id, Some(Made::Secret))),
        "created" => return Some((FieldType::Time, Some(Made::Created))),
        "updated" => return Some((FieldType::Time, Some(Made::Updated))),
        "list" => list(context, node)?,
        "set" => set(context, node)?,
        "map" => FieldType::Map { of: Box::new(entries_kind(context, node)?), max: count("max") },
        "object" => FieldType::Object(object(context, node)?),
        "any" => FieldType::Any { max_bytes: count("max") },
        _ => return None,
    };
    bounds(context, node);
    Some((kind, None))
}

fn text(context: &Context<'_>, node: &Node) -> FieldType {
    let count = |key: &str| node.get(key).and_then(Node::whole).and_then(|count| u32::try_from(count).ok());
    let Some(choices) = node.get("enum").and_then(Node::list) else {
        return FieldType::Text { min: count("min"), max: count("max") };
    };
    for bound in ["min", "max"].iter().filter_map(|key| node.entry(key)) {
        let message = format!("`{}` can't be used with `enum`", bound.name);
        context.mistakes.add_with_help(bound.span, message, format!("remove `{}` or `enum`", bound.name));
    }
    let mut values: Vec<String> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for choice in choices {
        let Some(text) = choice.text() else { continue };
        if !known.insert(text) {
            context.mistakes.add(choice.span, format!("`{text}` appears twice in this enum"));
        }
        values.push(text.to_owned());
    }
    FieldType::Choice(values)
}

/// Checks that the minimum isn't above the maximum.
fn bounds(context: &Context<'_>, node: &Node) {
    let (Some(least), Some(most)) = (node.get("min").and_then(Node::number), node.get("max")) else { return };
    if most.number().is_some_and(|most| most < least) {
        context.mistakes.add(most.span, format!("`max` must be at least `min`, which is {least}"));
    }
}

/// Keys of fields that make no sense for the entries of a list, set or map.
const ENTRIES_NEVER_HAVE: [&str; 16] = [
    "optional",
    "default",
    "internal",
    "must_exist",
    "value",
    "count",
    "sum",
    "average",
    "exists",
    "copy",
    "highest",
    "lowest",
    "latest",
    "via",
    "filter",
    "decimals",
];

/// Resolves the type of the entries of a list, set or map.
fn entries_kind(context: &Context<'_>, node: &Node) -> Option<FieldType> {
    let of = node.get("of")?;
    let (kind, made) = kind(context, of)?;
    if let Some(made) = made.filter(|made| !matches!(made, Made::Uuid7 | Made::Uuid4 | Made::Ulid)) {
        let word = match made {
            Made::Secret => "secret",
            Made::Created => "created",
            _ => "updated",
        };
        context.mistakes.add_with_help(
            of.span,
            format!("entries can't be of type `{word}`, because Singlet generates values only for fields"),
            "use `string` or `time`",
        );
    }
    for key in ENTRIES_NEVER_HAVE.iter().filter_map(|key| of.entry(key)) {
        let message = format!("`{}` can't be used for the entries of a list, set or map", key.name);
        context.mistakes.add_with_help(key.span, message, format!("remove `{}`", key.name));
    }
    Some(kind)
}

fn list(context: &Context<'_>, node: &Node) -> Option<FieldType> {
    let of = entries_kind(context, node)?;
    let key = node.get("unique").and_then(|key| Some((key, key.text()?)));
    if let Some((place, name)) = key {
        match &of {
            FieldType::Object(fields) => match fields.iter().find(|field| field.name == name) {
                None => context.mistakes.add_with(
                    place.span,
                    format!("the elements have no field `{name}`"),
                    name::help(name, "field", fields.iter().map(|field| field.name.as_str())),
                ),
                Some(field) if field.optional || !is_scalar(&field.kind) => context.mistakes.add_with_help(
                    place.span,
                    format!("`{name}` can't identify the elements"),
                    "use a required field of the elements that is a string, a number, an id or a time",
                ),
                Some(_) => {}
            },
            _ => context.mistakes.add_with_help(
                place.span,
                "only a list of objects can have `unique`",
                "write `of = { type = \"object\", fields = { … } }`",
            ),
        }
    }
    let max = node.get("max").and_then(Node::whole).and_then(|max| u32::try_from(max).ok());
    Some(FieldType::List { of: Box::new(of), max, key: key.map(|(_, name)| name.to_owned()) })
}

fn set(context: &Context<'_>, node: &Node) -> Option<FieldType> {
    let of = entries_kind(context, node)?;
    use FieldType::{Any, Binary, Choice, Date, Epoch, Id, Int, Number, Text, Time};
    match of {
        Text { .. } | Choice(_) | Id | Date | Time | Int { .. } | Number { .. } | Epoch | Binary { .. } => {}
        // The syntax check has reported unknown types.
        Any { .. } if node.get("of").and_then(|of| of.text().or(of.text_of("type"))) != Some("any") => {}
        _ => context.mistakes.add_with_help(
            node.get("of").map_or(node.span, |of| of.span),
            "a set can only hold strings, numbers or bytes",
            "use `list` for other entries",
        ),
    }
    let max = node.get("max").and_then(Node::whole).and_then(|max| u32::try_from(max).ok());
    Some(FieldType::Set { of: Box::new(of), max })
}

fn object(context: &Context<'_>, node: &Node) -> Option<Vec<Field>> {
    let entries = node.get("fields")?.table()?;
    for internal in entries.iter().filter_map(|entry| entry.node.entry("internal")) {
        context.mistakes.add_with_help(
            internal.span,
            "a field inside an object can't be internal",
            "callers give an object as a whole: make the object internal, or move the field out of it",
        );
    }
    for value in entries.iter().filter_map(|entry| entry.node.entry("value")) {
        context.mistakes.add_with_help(
            value.span,
            "a field inside an object can't be computed",
            "move the field out of the object",
        );
    }
    for word in
        entries.iter().flat_map(|entry| DERIVED_WORDS.iter().filter_map(|word| entry.node.entry(word)))
    {
        context.mistakes.add_with_help(
            word.span,
            "a field inside an object can't be derived from other items",
            "move the field out of the object",
        );
    }
    for must_exist in entries.iter().filter_map(|entry| entry.node.entry("must_exist")) {
        context.mistakes.add_with_help(
            must_exist.span,
            "a reference inside an object can't be checked",
            "move the field out of the object",
        );
    }
    Some(fields(context, entries).list)
}

/// Returns whether values of the type are a single string or number.
pub(super) fn is_scalar(kind: &FieldType) -> bool {
    use FieldType::{Choice, Date, Epoch, Id, Int, Number, Text, Time};
    matches!(kind, Text { .. } | Choice(_) | Id | Date | Time | Int { .. } | Number { .. } | Epoch)
}

/// Returns the name of a type in designs.
pub(super) fn kind_name(kind: &FieldType) -> &'static str {
    kind.word()
}
