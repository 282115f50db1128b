//! `number-in-text`: numbers in text keys without a fixed width.

use super::{Check, Rule};
use crate::model::FieldType;
use crate::report::Span;
use crate::review::keys::{Key, Role, keys};
use crate::review::{Context, Edit, Findings, Fix, Severity};
use crate::template::{Format, Part};

pub(super) static RULE: Rule = Rule {
    id: "number-in-text",
    summary: "a number in a text key without a fixed width",
    page: include_str!("number_in_text.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // A partition key is only ever compared for being the same.
    for key in keys(context).filter(|key| key.role == Role::Sort) {
        if key.template.plain_field().is_some() {
            continue;
        }
        for part in &key.template.parts {
            let Part::Field { path, format: Format::Plain } = part else { continue };
            let decimals = match key.entity.field_at(path) {
                Some(FieldType::Int { .. }) => false,
                Some(FieldType::Number { .. }) => true,
                _ => continue,
            };
            let message = format!(
                "{path} is written as plain text into `{}` of {}: \"10\" sorts before \"9\", so the order of {} is wrong \
                 from ten on",
                key.template.source, key.entity.name, key.attribute,
            );
            let fix = padded(&key, path, decimals);
            findings.report(Severity::Error, key.span, key.subjects(), message, Some(fix));
        }
    }
}

/// The same placeholder with a width that holds everyday numbers.
fn padded(key: &Key<'_>, path: &str, decimals: bool) -> Fix {
    let width = if decimals { "08.2" } else { "010" };
    let placeholder = format!("{{{path}}}");
    let about = format!("give it a fixed width, wide enough for the largest {path}");
    match key.template.source.find(&placeholder) {
        Some(at) if key.span.end - key.span.start == key.template.source.len() => {
            let start = key.span.start + at;
            let span = Span { start, end: start + placeholder.len() };
            Fix { about, edits: vec![Edit { span, text: format!("{{{path}:{width}}}") }] }
        }
        _ => Fix::advice(about),
    }
}
