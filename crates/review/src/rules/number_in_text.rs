//! `number-in-text`: a number in a text key without a fixed width.

use singlet_design::{FieldType, Format, Part, Span};

use super::{Check, Rule};
use crate::attributes::by_attributes;
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::keys::{Key, Role, keys};
use crate::sortable::{Sortable, placeholder, sortable};

pub(super) static RULE: Rule = Rule {
    id: "number-in-text",
    summary: "a number in a text key without a fixed width",
    page: include_str!("number_in_text.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    // Partition keys have no order.
    for key in keys(context).filter(|key| key.role == Role::Sort) {
        if key.template.plain_field().is_some() {
            continue;
        }
        for part in &key.template.parts {
            let Part::Field { path, format: Format::Plain } = part else { continue };
            let Some(kind) = key.entity.field_at(path) else { continue };
            let why = match sortable(kind) {
                None | Some(Sortable::Plain) => continue,
                Some(Sortable::Padded(_)) => "\"10\" sorts before \"9\"",
                Some(Sortable::Negative) => "\"-1\" sorts before \"-2\", and both before \"0\"",
            };
            let message = format!(
                "`{path}` is plain text in `{}` of `{}`: {why}, so the order of `{}` is wrong",
                key.template.source, key.entity.name, key.attribute,
            );
            let attributes = key.index.and_then(|index| by_attributes(context, key.entity, index));
            let fixes: Vec<Fix> = attributes.into_iter().chain([padded(&key, path, kind)]).collect();
            findings.report(Severity::Error, key.span, key.subjects(), message, fixes);
        }
    }
}

/// The same placeholder with a width for the largest value.
fn padded(key: &Key<'_>, path: &str, kind: &FieldType) -> Fix {
    let Some(wide) = placeholder(path, kind) else {
        return Fix::advice(format!("give `{path}` a minimum of 0, or sort by another field"));
    };
    let placeholder = format!("{{{path}}}");
    let about = format!("give it a fixed width that holds the largest `{path}`");
    match key.template.source.find(&placeholder) {
        Some(at) if key.span.end - key.span.start == key.template.source.len() => {
            let start = key.span.start + at;
            Fix::replace(about, Span { start, end: start + placeholder.len() }, wide)
        }
        _ => Fix::advice(about),
    }
}
