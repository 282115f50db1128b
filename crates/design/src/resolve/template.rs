//! Resolves key templates and checks them against the fields of their entity.

use std::collections::BTreeSet;

use super::Context;
use super::field::kind_name;
use super::name;
use singlet_values::Number;

use crate::model::{Field, FieldType};
use crate::report::Span;
use crate::syntax::Node;
use crate::template::{Format, Part, Template};

/// The role of a template in a key, which decides what it can contain.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyRole {
    /// Whether it is in the table's key, so that no part of it can be missing.
    pub(super) own: bool,
    /// Whether it is a partition key, which can have a shard.
    pub(super) partition: bool,
    /// The separator of its table.
    pub(super) separator: char,
}

/// Resolves a template; `None` after a mistake.
pub(super) fn template(
    context: &Context<'_>,
    node: &Node,
    entity: &str,
    fields: &[Field],
    vague_fields: &BTreeSet<String>,
    place: KeyRole,
) -> Option<Template> {
    let text = node.text()?;
    let template = match Template::parse(text) {
        Ok(template) => template,
        Err(error) => {
            context.mistakes.add_with(context.inside(node, error.range), error.message, error.help);
            return None;
        }
    };
    let before = context.mistakes.count();
    let mut vague = false;
    for part in &template.parts {
        let Some(path) = part.path() else { continue };
        let span = placeholder(context, node, text, path);
        if path.split('.').next().is_some_and(|first| vague_fields.contains(first)) {
            vague = true;
            continue;
        }
        match find(fields, path) {
            None if path == "now" => context.mistakes.add_with_help(
                span,
                "`{now}` can't be used in a key",
                "use a field of type `time` that the pattern sets: `set = { noted_at = \"{now}\" }`",
            ),
            None => {
                let message = format!("`{entity}` has no field `{path}`");
                context.mistakes.add_with(span, message, help(fields, path));
            }
            Some(found) => check(context, span, part, path, &found, place, text),
        }
    }
    shards(context, node, &template);
    if context.mistakes.count() == before && !vague {
        kept_apart(context, node, fields, &template, place.separator);
    }
    (context.mistakes.count() == before && !vague).then_some(template)
}

/// The field at a path.
#[derive(Debug)]
pub(super) struct FoundField<'a> {
    /// Its type.
    pub(super) kind: &'a FieldType,
    /// Whether it, or an object that contains it, may be missing.
    pub(super) optional: bool,
}

/// Returns the field at a path such as `address.city`.
pub(super) fn find<'a>(fields: &'a [Field], path: &str) -> Option<FoundField<'a>> {
    let mut names = path.split('.');
    let first = names.next()?;
    let field = fields.iter().find(|field| field.name == first)?;
    let mut found = FoundField { kind: &field.kind, optional: field.optional };
    for name in names {
        match found.kind {
            FieldType::Object(fields) => {
                let field = fields.iter().find(|field| field.name == name)?;
                found = FoundField { kind: &field.kind, optional: found.optional || field.optional };
            }
            FieldType::Map { of, .. } => found = FoundField { kind: of, optional: true },
            _ => return None,
        }
    }
    Some(found)
}

/// Suggests a known path for an unknown one.
pub(super) fn help(fields: &[Field], path: &str) -> Option<String> {
    let mut paths = Vec::new();
    gather(fields, "", &mut paths);
    let direct = paths.iter().filter(|known| path.contains('.') || !known.contains('.'));
    name::help(path, "field", direct.map(String::as_str))
}

fn gather(fields: &[Field], before: &str, paths: &mut Vec<String>) {
    for field in fields {
        let path = format!("{before}{}", field.name);
        if let FieldType::Object(inner) = &field.kind {
            gather(inner, &format!("{path}."), paths);
        }
        paths.push(path);
    }
}

/// Returns the position of a placeholder's field.
pub(super) fn placeholder(context: &Context<'_>, node: &Node, text: &str, path: &str) -> Span {
    let start = [format!("{{{path}"), format!(":{path}/")].iter().find_map(|sought| text.find(sought));
    match start {
        Some(start) => context.inside(node, start + 1..start + 1 + path.len()),
        None => node.span,
    }
}

/// Checks that a field can be used in a placeholder with that format.
fn check(
    context: &Context<'_>,
    span: Span,
    part: &Part,
    path: &str,
    found: &FoundField<'_>,
    place: KeyRole,
    text: &str,
) {
    if place.own && found.optional {
        context.mistakes.add_with_help(
            span,
            format!("`{path}` is optional and can't be part of the table's key"),
            "every item must have a complete key: remove `optional`",
        );
        return;
    }
    let kind = found.kind;
    let alone = text.len() == path.len() + 2;
    use FieldType::{Any, Binary, Bool, List, Map, Object, Set};
    let (fits, needs) = match part {
        Part::Literal(_) => (true, ""),
        _ if matches!(kind, List { .. } | Set { .. } | Map { .. } | Object(_) | Any { .. }) => {
            (false, "keys can contain strings, numbers, times and ids")
        }
        Part::Field { format: Format::Plain, .. } if alone => {
            (!matches!(kind, Bool), "a key must be a string, a number or bytes: add text, such as `FLAG#{…}`")
        }
        Part::Shard { .. } => (true, ""),
        _ if matches!(kind, Binary { .. }) => (false, "bytes can't be a part of a key, only a whole key"),
        Part::Field { format, .. } => takes(*format, kind),
    };
    if !fits {
        let message = format!("`{path}` is of type `{}`, which can't be used here", kind_name(kind));
        context.mistakes.add_with_help(span, message, needs);
    } else if let Part::Field { format, .. } = part
        && let Some((message, help)) = too_narrow(path, kind, *format)
    {
        context.mistakes.add_with_help(span, message, help);
    } else if matches!(part, Part::Shard { .. }) && !place.partition {
        context.mistakes.add_with_help(
            span,
            "a sort key can't have a shard",
            "move the shard to the template of the partition key",
        );
    }
}

/// Returns whether a format can be used with a type, and what it can be used with.
fn takes(format: Format, kind: &FieldType) -> (bool, &'static str) {
    use FieldType::{Choice, Date, Epoch, Id, Int, Number, Text, Time};
    match format {
        Format::Plain => (true, ""),
        Format::Padded { .. } => (
            matches!(kind, Int { .. } | Number { .. } | Epoch),
            "a width can be used with `int`, `number` and `epoch`",
        ),
        Format::Descending => (
            matches!(kind, Time | Date),
            "without a width, `desc` can be used with `time` and `date`; numbers need one, such as `{rating:05.2:desc}`",
        ),
        Format::First(_) => (
            matches!(kind, Text { .. } | Choice(_) | Id),
            "a number of characters can be used with strings; a width begins with a zero, such as `05`",
        ),
        Format::Fold | Format::Lower | Format::Upper => (
            matches!(kind, Text { .. } | Choice(_) | Id),
            "`fold`, `lower` and `upper` can be used with strings",
        ),
        Format::Hour | Format::Minute => {
            (matches!(kind, Time | Epoch), "`hour` and `minute` can be used with `time` and `epoch`")
        }
        _ => (matches!(kind, Time | Date | Epoch), "this format can be used with `time`, `date` and `epoch`"),
    }
}

/// Returns a message and help if the range of a field exceeds the width of its placeholder.
fn too_narrow(path: &str, kind: &FieldType, format: Format) -> Option<(String, String)> {
    let (FieldType::Int { min, max } | FieldType::Number { min, max }) = kind else { return None };
    let Format::Padded { width, decimals, signed, descending } = format else { return None };
    let largest = format.largest()?;
    let has_negative = min.as_ref().is_some_and(Number::is_negative);
    let too_high = max.as_ref().filter(|max| **max > largest);
    let too_low =
        min.as_ref().filter(|min| if signed { **min < largest.negated() } else { min.is_negative() });
    let (bound, way) = match (too_low, too_high) {
        (Some(min), _) => (min, "low"),
        (None, Some(max)) => (max, "high"),
        (None, None) => return None,
    };
    let place = |format: Format| Part::Field { path: path.to_owned(), format };
    let digits = |number: &Number| {
        let text = number.to_string();
        text.trim_start_matches('-').split('.').next().map_or(0, str::len)
    };
    let others = usize::from(decimals) + usize::from(decimals > 0);
    let have = usize::from(width).saturating_sub(others + usize::from(signed));
    let bounds = [min, max].into_iter().flatten().map(digits);
    let sign = usize::from(signed || has_negative);
    let width = u8::try_from(bounds.chain([have]).max()? + others + sign).ok()?;
    let message = format!("`{path}` can be as {way} as {bound}, which doesn't fit `{}`", place(format));
    let fitting = Format::Padded { width, decimals, signed: signed || has_negative, descending };
    let help = match has_negative && !signed {
        true => format!("write `{}`, with a sign for negative numbers", place(fitting)),
        false => format!("write `{}`", place(fitting)),
    };
    Some((message, help))
}

/// Checks that the text of every placeholder has an end, so that different values make different keys.
fn kept_apart(context: &Context<'_>, node: &Node, fields: &[Field], template: &Template, separator: char) {
    for (position, part) in template.parts.iter().enumerate() {
        let Some(path) = part.path() else { continue };
        let kind = find(fields, path).map(|found| found.kind);
        if template.ending(position, separator, kind).is_some() {
            continue;
        }
        let next = template.parts.iter().skip(position + 1).find(|part| part.path().is_some());
        let next = next.map(ToString::to_string).unwrap_or_default();
        context.mistakes.add_with_help(
            placeholder(context, node, &template.source, path),
            format!("`{part}` and `{next}` can't be told apart, so different values can make the same key"),
            format!("put the separator between them: `{}`", separated(template, position, separator)),
        );
    }
}

/// Returns a template with the separator after a placeholder, in the place of punctuation.
fn separated(template: &Template, position: usize, separator: char) -> String {
    let mut text = String::new();
    for (at, part) in template.parts.iter().enumerate() {
        match part {
            Part::Literal(literal) if at == position + 1 => {
                let rest = literal.trim_start_matches(|first: char| !first.is_alphanumeric());
                text.push(separator);
                text.push_str(&Part::Literal(rest.to_owned()).to_string());
            }
            part => {
                if at == position + 1 {
                    text.push(separator);
                }
                text.push_str(&part.to_string());
            }
        }
    }
    text
}

fn shards(context: &Context<'_>, node: &Node, template: &Template) {
    let count = template.parts.iter().filter(|part| matches!(part, Part::Shard { .. })).count();
    if count > 1 {
        context.mistakes.add(node.span, "a key can have only one shard");
    }
}
