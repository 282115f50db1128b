//! Index keys of several attributes: each field of a key template as an attribute of its own. Nothing has to be padded,
//! no value can hold a separator, and negative numbers sort.

use std::sync::Arc;

use singlet_design::{Entity, FieldType, Format, Index, IndexEntry, Part, Subject, Template};

use crate::context::Context;
use crate::fix::{Edit, Fix};
use crate::reads::reads;

/// Attributes of one part of an index key at most.
const ATTRIBUTES_MAX: usize = 4;

/// Gives an index the fields themselves as its key; `None` if that isn't the same index any more.
pub(super) fn by_attributes(context: &Context<'_>, entity: &Arc<Entity>, index: &Index) -> Option<Fix> {
    let entry = entity.entry(&index.name)?;
    let partition = fields(entity, &entry.partition)?;
    let sort = fields(entity, &entry.sort)?;
    let all: Vec<&str> = partition.iter().chain(&sort).copied().collect();
    let repeated = all.iter().enumerate().any(|(at, field)| all.iter().take(at).any(|other| other == field));
    if partition.is_empty() || sort.is_empty() || repeated || !is_alone(context, entity, entry, &all) {
        return None;
    }
    let subject = Subject::index(&entity.table, index);
    let key =
        if context.has(&subject, "key") { context.place(&subject, "key") } else { context.value(&subject) };
    // Of an index with a header, the value is the header.
    let written = context.text(key);
    let is_list = written.starts_with("[\"") && written.ends_with(']');
    let text = format!("[[{}], [{}]]", quoted(&partition), quoted(&sort));
    let own = context.without_key(&Subject::entity(entity), &index.name)?;
    let edits = is_list.then(|| vec![Edit { span: key, text }, own])?;
    Some(Fix::edits(format!("let the fields themselves be the key of {}", index.name), edits))
}

/// Nobody else is in the index, would come into it, or asks it for a key in other words.
fn is_alone(context: &Context<'_>, entity: &Entity, entry: &IndexEntry, fields: &[&str]) -> bool {
    let index = &entry.index;
    let others = || context.design.entities_of(&entity.table).filter(|other| other.name != entity.name);
    let enters = |other: &Entity| fields.iter().all(|field| other.field(field).is_some());
    let asked = reads(context.design).any(|read| {
        read.asked.is_some() && read.index.is_some_and(|read_index| read_index.name == index.name)
    });
    !index.local
        && entry.when.is_empty()
        && !entry.sparse
        && !asked
        && others().all(|other| other.entry(&index.name).is_none() && !enters(other))
}

/// The fields of templates that are nothing but constants and whole fields, which every item has.
fn fields<'a>(entity: &Entity, templates: &'a [Template]) -> Option<Vec<&'a str>> {
    let mut fields = Vec::new();
    for part in templates.iter().flat_map(|template| &template.parts) {
        match part {
            Part::Literal(_) => {}
            Part::Field { path, format: Format::Plain | Format::Padded { .. } } => {
                let field = entity.field(path).filter(|field| !field.optional || field.default.is_some())?;
                is_scalar(&field.kind).then(|| fields.push(path.as_str()))?;
            }
            _ => return None,
        }
    }
    (fields.len() <= ATTRIBUTES_MAX).then_some(fields)
}

fn is_scalar(kind: &FieldType) -> bool {
    matches!(
        kind,
        FieldType::Text { .. }
            | FieldType::Choice(_)
            | FieldType::Int { .. }
            | FieldType::Number { .. }
            | FieldType::Date
            | FieldType::Time
            | FieldType::Epoch
            | FieldType::Id
    )
}

fn quoted(fields: &[&str]) -> String {
    fields.iter().map(|field| format!("\"{field}\"")).collect::<Vec<_>>().join(", ")
}
