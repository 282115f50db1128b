//! `separator`: free text inside a key.

use singlet_design::{FieldType, Format, Part};

use super::{Check, Rule};
use crate::attributes::by_attributes;
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::keys::keys;

pub(super) static RULE: Rule = Rule {
    id: "separator",
    summary: "free text in a key that can contain the separator",
    page: include_str!("separator.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut told: Vec<(&str, &str)> = Vec::new();
    for key in keys(context) {
        if key.template.plain_field().is_some() {
            continue;
        }
        for part in &key.template.parts {
            let Part::Field {
                path,
                format: Format::Plain | Format::Fold | Format::Lower | Format::Upper | Format::First(_),
            } = part
            else {
                continue;
            };
            if !matches!(key.entity.field_at(path), Some(FieldType::Text { .. })) {
                continue;
            }
            if told.contains(&(&key.entity.name, path)) {
                continue;
            }
            told.push((&key.entity.name, path));
            let separator = key.entity.table.separator;
            let message = format!(
                "`{path}` is free text inside `{}`: a value with `{separator}` in it would make an ambiguous key, so such \
                 `{}` items are refused",
                key.template.source, key.entity.name,
            );
            let attributes = key.index.and_then(|index| by_attributes(context, key.entity, index));
            let advice = Fix::advice(format!(
                "if `{path}` identifies something, as a phone number or a code does, give it the type `key`; if it has \
                 few values, list them with `enum`; otherwise choose another separator"
            ));
            let fixes: Vec<Fix> = attributes.into_iter().chain([advice]).collect();
            findings.report(Severity::Warning, key.span, key.subjects(), message, fixes);
        }
    }
}
