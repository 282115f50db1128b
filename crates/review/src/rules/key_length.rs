//! `key-length`: keys that may be too long.

use singlet_design::{Entity, Field, Template};
use singlet_values::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{template_size, value_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::keys::{Role, keys};
use crate::text::{bytes, whole};

pub(super) static RULE: Rule = Rule {
    id: "key-length",
    summary: "a key that can be longer than allowed",
    page: include_str!("key_length.md"),
    check: Check::Review(check),
};

/// The maximum that is proposed for a string without one.
const CHARACTERS_USUAL: u32 = 200;

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut told: Vec<(&str, &str)> = Vec::new();
    for key in keys(context) {
        let (max, role) = match key.role {
            Role::Partition => (PARTITION_KEY_BYTES_MAX as u64, "partition"),
            Role::Sort => (SORT_KEY_BYTES_MAX as u64, "sort"),
        };
        let longest = template_size(key.entity, key.template).max;
        let how = match longest {
            Some(longest) if longest <= max => continue,
            Some(longest) => format!("can have {}", bytes(longest)),
            None => "has no bound".to_owned(),
        };
        // A maximum for the field fixes all of its keys.
        let field = longest_field(key.entity, key.template);
        if let Some(field) = field {
            if told.contains(&(&key.entity.name, &field.name)) {
                continue;
            }
            told.push((&key.entity.name, &field.name));
        }
        let message = format!(
            "the {role} key `{}` of `{}` {how}, but an item whose {role} key is longer than {} bytes is refused",
            key.template.source,
            key.entity.name,
            whole(max),
        );
        let unbounded = field.filter(|field| value_size(&field.kind).max.is_none());
        let edit = unbounded.and_then(|field| context.with_max(key.entity, field, CHARACTERS_USUAL));
        let name = field.map_or_else(|| "its strings".to_owned(), |field| format!("`{}`", field.name));
        let fix = Fix::edits_or(
            format!("give {name} a maximum"),
            edit.map(|edit| vec![edit]),
            format!("give {name} a maximum: `max = …`"),
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
