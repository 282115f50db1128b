//! Index keys of several attributes, with each field of a template as an attribute of its own. Such keys need no
//! padding and no separator, and negative numbers sort.

use std::sync::Arc;

use singlet_design::{Entity, FieldType, Index, IndexEntry, Part, Subject, Template};
use singlet_values::limits::GLOBAL_KEY_ATTRIBUTES_MAX;

use crate::context::Context;
use crate::fix::{Edit, Fix};
use crate::reads::reads;

/// Makes the fields themselves the key of an index; `None` if the index would then differ.
pub(super) fn by_attributes(context: &Context<'_>, entity: &Arc<Entity>, index: &Index) -> Option<Fix> {
    let entry = entity.entry(&index.name)?;
    let partition = fields(entity, &entry.partition)?;
    let sort = fields(entity, &entry.sort)?;
    let all: Vec<&str> = partition.iter().chain(&sort).copied().collect();
    let repeated = all.iter().enumerate().any(|(at, field)| all.iter().take(at).any(|other| other == field));
    if partition.is_empty() || sort.is_empty() || repeated {
        return None;
    }
    let members = members(context, entity, entry, &all)?;
    let subject = Subject::index(&entity.table, index);
    let key = if context.has(&subject, "key") {
        context.span(&subject, "key")
    } else {
        context.value_span(&subject)
    };
    // The value of an index with a header is that header.
    let written = context.text(key);
    let is_list = written.starts_with("[\"") && written.ends_with(']');
    let text = format!("[[{}], [{}]]", quoted(&partition), quoted(&sort));
    let own = members.iter().map(|member| context.without_key(&Subject::entity(member), &index.name));
    let mut edits = own.collect::<Option<Vec<Edit>>>().filter(|_| is_list)?;
    edits.push(Edit { span: key, text });
    Some(Fix::edits(format!("use the fields themselves as the key of `{}`", index.name), edits))
}

/// The entities in the index, if all of them can be changed together. Their keys must have the same constants and field
/// names, so that each item keeps its partition and its order. `None` if one differs, if another entity would enter the
/// index, or if a pattern asks the index for a key of its own.
fn members<'a>(
    context: &'a Context<'_>,
    entity: &'a Entity,
    entry: &IndexEntry,
    key_fields: &[&str],
) -> Option<Vec<&'a Arc<Entity>>> {
    let index = &entry.index;
    let asked = reads(context.design).any(|read| {
        read.asked.is_some() && read.index.is_some_and(|read_index| read_index.name == index.name)
    });
    if index.local || asked {
        return None;
    }
    let mut members = Vec::new();
    for other in context.design.entities_of(&entity.table) {
        match other.entry(&index.name) {
            Some(theirs) if can_change(other, theirs) && same_key(entry, theirs) => members.push(other),
            Some(_) => return None,
            None if key_fields.iter().all(|field| other.field(field).is_some()) => return None,
            None => {}
        }
    }
    Some(members)
}

/// Whether every item of the entity is in the index, with whole fields in its key.
fn can_change(entity: &Entity, entry: &IndexEntry) -> bool {
    let whole = [&entry.partition, &entry.sort].iter().all(|part| fields(entity, part).is_some());
    whole && entry.when.is_empty() && !entry.sparse
}

/// Whether two entries have the same constants and fields in the same order.
fn same_key(one: &IndexEntry, other: &IndexEntry) -> bool {
    let parts = |entry: &IndexEntry| -> Vec<Vec<Part>> {
        entry.templates().map(|(_, template)| template.parts.clone()).collect()
    };
    parts(one) == parts(other)
}

/// The fields of templates that consist of constants and whole fields; `None` if an item may lack one.
fn fields<'a>(entity: &Entity, templates: &'a [Template]) -> Option<Vec<&'a str>> {
    let mut fields = Vec::new();
    for part in templates.iter().flat_map(|template| &template.parts) {
        match part {
            Part::Literal(_) => {}
            Part::Field { path, format } if format.keeps_all() && !format.is_descending() => {
                let field = entity.field(path).filter(|field| !field.optional || field.default.is_some())?;
                is_scalar(&field.kind).then(|| fields.push(path.as_str()))?;
            }
            _ => return None,
        }
    }
    (fields.len() <= GLOBAL_KEY_ATTRIBUTES_MAX).then_some(fields)
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
