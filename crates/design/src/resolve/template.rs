//! Key templates, read and held against the fields of their entity.

use std::collections::BTreeSet;

use super::context::Context;
use super::field::kind_name;
use super::name;
use singlet_values::Number;

use crate::model::{Field, FieldType};
use crate::report::Span;
use crate::syntax::Node;
use crate::template::{Format, Part, Template};

/// What a template may hold, by where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Of the table's own key: every part must always be there.
    pub(super) own: bool,
    /// Of a partition key: a shard may stand in it.
    pub(super) partition: bool,
}

/// Reads a template; `None` if it is none or doesn't fit the fields.
pub(super) fn template(
    context: &Context<'_>,
    node: &Node,
    entity: &str,
    fields: &[Field],
    vague_fields: &BTreeSet<String>,
    place: Place,
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
                "`{now}` can't stand in a key, which is made of fields",
                "name a field of type `time`, and let the pattern set it: `set = { noted_at = \"{now}\" }`",
            ),
            None => {
                let message = format!("`{entity}` has no field `{path}`");
                context.mistakes.add_with(span, message, help(fields, path));
            }
            Some(found) => check(context, span, part, path, &found, place, text),
        }
    }
    shards(context, node, &template);
    (context.mistakes.count() == before && !vague).then_some(template)
}

/// A field that a path leads to.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// What values it takes.
    pub(super) kind: &'a FieldType,
    /// Whether it, or something on the way to it, may be missing.
    pub(super) optional: bool,
}

/// What a path such as `address.city` leads to.
pub(super) fn find<'a>(fields: &'a [Field], path: &str) -> Option<Found<'a>> {
    let mut names = path.split('.');
    let first = names.next()?;
    let field = fields.iter().find(|field| field.name == first)?;
    let mut found = Found { kind: &field.kind, optional: field.optional };
    for name in names {
        match found.kind {
            FieldType::Object(fields) => {
                let field = fields.iter().find(|field| field.name == name)?;
                found = Found { kind: &field.kind, optional: found.optional || field.optional };
            }
            FieldType::Map { of, .. } => found = Found { kind: of, optional: true },
            _ => return None,
        }
    }
    Some(found)
}

/// The nearest path to one that leads nowhere.
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

/// Where a placeholder's field stands in a text.
pub(super) fn placeholder(context: &Context<'_>, node: &Node, text: &str, path: &str) -> Span {
    let start = [format!("{{{path}"), format!(":{path}/")].iter().find_map(|sought| text.find(sought));
    match start {
        Some(start) => context.inside(node, start + 1..start + 1 + path.len()),
        None => node.span,
    }
}

/// Whether what a placeholder names can stand there in that form.
fn check(
    context: &Context<'_>,
    span: Span,
    part: &Part,
    path: &str,
    found: &Found<'_>,
    place: Place,
    text: &str,
) {
    if place.own && found.optional {
        context.mistakes.add_with_help(
            span,
            format!("`{path}` may be missing, so it can't stand in the table's own key"),
            "every item needs its whole key: make the field required, or give it a default",
        );
        return;
    }
    let kind = found.kind;
    let alone = text.len() == path.len() + 2;
    use FieldType::{
        Any, Binary, Bool, Choice, Date, Epoch, Id, Int, List, Map, Number, Object, Set, Text, Time,
    };
    let (fits, needs) = match part {
        Part::Literal(_) => (true, ""),
        _ if matches!(kind, List { .. } | Set { .. } | Map { .. } | Object(_) | Any { .. }) => {
            (false, "a key holds texts, numbers, times and ids")
        }
        Part::Field { format: Format::Plain, .. } if alone => (
            !matches!(kind, Bool),
            "a key is a text, a number or bytes; write more than the flag, such as `FLAG#{…}`",
        ),
        Part::Shard { .. } => (true, ""),
        _ if matches!(kind, Binary { .. }) => (false, "bytes can be a whole key only, not a part of one"),
        Part::Field { format, .. } => match format {
            Format::Plain => (true, ""),
            Format::Padded { .. } => (
                matches!(kind, Int { .. } | Number { .. } | Epoch),
                "a width is for `int`, `number` and `epoch`",
            ),
            Format::Fold | Format::Lower | Format::Upper => {
                (matches!(kind, Text { .. } | Choice(_) | Id), "`fold`, `lower` and `upper` are for texts")
            }
            Format::Hour | Format::Minute => {
                (matches!(kind, Time | Epoch), "hours and minutes are in `time` and `epoch`")
            }
            _ => (matches!(kind, Time | Date | Epoch), "times are cut: `time`, `date` and `epoch`"),
        },
    };
    if !fits {
        let message = format!("`{path}` is of type `{}`, which can't stand here", kind_name(kind));
        context.mistakes.add_with_help(span, message, needs);
    } else if let Part::Field { format, .. } = part
        && let Some((message, help)) = too_narrow(path, kind, *format)
    {
        context.mistakes.add_with_help(span, message, help);
    } else if matches!(part, Part::Shard { .. }) && !place.partition {
        context.mistakes.add_with_help(
            span,
            "a shard spreads partition keys; in a sort key it has no use",
            "put it into the partition's template",
        );
    }
}

/// What is wrong if the numbers that a field allows don't all fit its width, and the format that they fit.
fn too_narrow(path: &str, kind: &FieldType, format: Format) -> Option<(String, String)> {
    let (FieldType::Int { min, max } | FieldType::Number { min, max }) = kind else { return None };
    let Format::Padded { width, decimals, signed } = format else { return None };
    let largest = format.largest()?;
    let has_negative = min.as_ref().is_some_and(Number::is_negative);
    let too_high = max.as_ref().filter(|max| **max > largest);
    let too_low =
        min.as_ref().filter(|min| if signed { **min < largest.negated() } else { min.is_negative() });
    let (bound, way) = match (too_low, too_high) {
        (Some(min), _) => (min, "down"),
        (None, Some(max)) => (max, "up"),
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
    let message = format!("`{path}` goes {way} to {bound}, which doesn't fit `{}`", place(format));
    let fitting = Format::Padded { width, decimals, signed: signed || has_negative };
    let help = match has_negative && !signed {
        true => format!("write `{}`: the sign gives negative numbers their place", place(fitting)),
        false => format!("write `{}`", place(fitting)),
    };
    Some((message, help))
}

fn shards(context: &Context<'_>, node: &Node, template: &Template) {
    let count = template.parts.iter().filter(|part| matches!(part, Part::Shard { .. })).count();
    if count > 1 {
        context.mistakes.add(node.span, "a key is spread by one shard only");
    }
}
