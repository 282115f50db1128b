//! Resolves the expiry of items: `90 days after created_at`, or a field that holds the time.

use super::{Context, EntityDraft};
use crate::model::{FieldType, Table, TimeToLive};
use crate::resolve::field::kind_name;
use crate::resolve::name;
use crate::resolve::table::TableDraft;

/// Units of time, in seconds.
const UNITS: &[(&str, u64)] =
    &[("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400), ("week", 604_800)];

/// Resolves `ttl` of an entity. A field that is the table's ttl attribute doesn't need it.
pub(super) fn time_to_live(
    context: &Context<'_>,
    draft: &EntityDraft<'_>,
    table: Option<&Table>,
) -> Option<TimeToLive> {
    let attribute = table.and_then(|table| table.ttl.as_deref());
    let itself = attribute.filter(|attribute| draft.fields.list.iter().any(|field| field.name == *attribute));
    let Some(node) = draft.node.get("ttl") else {
        return itself.map(|field| TimeToLive { after_seconds: 0, field: field.to_owned() });
    };
    let text = node.text()?;
    let Some((after_seconds, field)) = parse(text) else {
        context.mistakes.add_with_help(
            node.span,
            format!("`{text}` isn't an expiry time"),
            "write `90 days after created_at`, or a field that holds the time; units are seconds, minutes, hours, days and weeks",
        );
        return None;
    };
    if table.is_some() && attribute.is_none() {
        context.mistakes.add_with_help(
            node.span,
            format!("items of `{}` expire, but the table has no ttl attribute", draft.name),
            "add one to the table: `ttl = \"expires_at\"`",
        );
    }
    if let Some(itself) = itself.filter(|itself| *itself != field || after_seconds != 0) {
        context.mistakes.add_with_help(
            node.span,
            format!(
                "`{itself}` is a field of `{}` and the table's ttl attribute, so it already holds the expiry time",
                draft.name
            ),
            "remove `ttl` from the entity, or rename the field",
        );
    }
    check_field(context, draft, field, context.inside(node, text.len() - field.len()..text.len()));
    Some(TimeToLive { after_seconds, field: field.to_owned() })
}

fn check_field(context: &Context<'_>, draft: &EntityDraft<'_>, field: &str, span: crate::report::Span) {
    let names = || draft.fields.list.iter().map(|field| field.name.as_str());
    match draft.fields.list.iter().find(|known| known.name == field) {
        None => {
            let message = format!("`{}` has no field `{field}`", draft.name);
            context.mistakes.add_with(span, message, name::help(field, "field", names()));
        }
        Some(known) if draft.fields.vague.contains(&known.name) => {}
        Some(known) if !matches!(known.kind, FieldType::Time | FieldType::Date | FieldType::Epoch) => {
            let message = format!("`{field}` is of type `{}`, not a time", kind_name(&known.kind));
            context.mistakes.add_with_help(
                span,
                message,
                "use a field of type `time`, `date`, `epoch`, `created` or `updated`",
            );
        }
        Some(_) => {}
    }
}

/// Parses the seconds and the field.
fn parse(text: &str) -> Option<(u64, &str)> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    match words.as_slice() {
        [field] => Some((0, field)),
        [count, unit, "after", field] => {
            let singular = unit.strip_suffix('s').unwrap_or(unit);
            let (_, seconds) = UNITS.iter().find(|(name, _)| *name == singular)?;
            Some((count.parse::<u64>().ok()?.checked_mul(*seconds)?, field))
        }
        _ => None,
    }
}

/// Adds the ttl attribute to the projection of indexes with items that expire, because reads must recognize expired items.
pub(in crate::resolve) fn carry_expiry(tables: &mut [TableDraft], entities: &[EntityDraft<'_>]) {
    for (position, draft) in tables.iter_mut().enumerate() {
        let Some(ttl) = draft.table.ttl.clone() else { continue };
        let expires = |entity: &&EntityDraft<'_>| {
            let has_it = entity.fields.list.iter().any(|field| field.name == ttl);
            entity.table == Some(position) && (has_it || entity.node.get("ttl").is_some())
        };
        let expiring: Vec<&EntityDraft<'_>> = entities.iter().filter(expires).collect();
        for index in &mut draft.indexes {
            let is_in =
                |entity: &EntityDraft<'_>| entity.entries.iter().any(|entry| entry.index == index.name);
            if expiring.iter().any(|entity| is_in(entity)) {
                index.projection.include(&ttl);
            }
        }
    }
}
