//! `key-length`: keys that may be too long.

use singlet_design::{Entity, Field, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{template_size, value_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::keys::{Role, keys};
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "key-length",
    summary: "a key that may pass the longest that is allowed",
    page: include_str!("key_length.md"),
    check: Check::Review(check),
};

const PARTITION_BYTES_MAX: u64 = 2048;
const SORT_BYTES_MAX: u64 = 1024;

/// A bound that is proposed where there is none.
const CHARACTERS_USUAL: u32 = 200;

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut told: Vec<(&str, &str)> = Vec::new();
    for key in keys(context) {
        let (max, role) = match key.role {
            Role::Partition => (PARTITION_BYTES_MAX, "partition"),
            Role::Sort => (SORT_BYTES_MAX, "sort"),
        };
        let longest = template_size(key.entity, key.template).max;
        let how = match longest {
            Some(longest) if longest <= max => continue,
            Some(longest) => format!("may have {}", bytes(longest)),
            None => "has no bound".to_owned(),
        };
        // What bounds one key of a field bounds them all.
        let field = longest_field(key.entity, key.template);
        if let Some(field) = field {
            if told.contains(&(&key.entity.name, &field.name)) {
                continue;
            }
            told.push((&key.entity.name, &field.name));
        }
        let message = format!(
            "the {role} key `{}` of {} {how}; more than {max} bytes are refused when the item is written",
            key.template.source, key.entity.name,
        );
        let unbounded = field.filter(|field| value_size(&field.kind).max.is_none());
        let edit = unbounded.and_then(|field| context.bounded(key.entity, field, CHARACTERS_USUAL));
        let name = field.map_or("the texts in it", |field| &field.name);
        let fix = Fix::edits_or(
            format!("bound {name}"),
            edit.map(|edit| vec![edit]),
            format!("bound {name} with `max`"),
        )
        .as_example();
        findings.report(Severity::Error, key.span, key.subjects(), message, Some(fix));
    }
}

/// The field of a template that can be the longest.
fn longest_field<'a>(entity: &'a Entity, template: &Template) -> Option<&'a Field> {
    let fields = template.fields().filter_map(|path| entity.field(path));
    fields.max_by_key(|field| value_size(&field.kind).max.unwrap_or(u64::MAX))
}
