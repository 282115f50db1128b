//! `unique-case`: a unique field whose case an index ignores.

use singlet_design::{Entity, Format, Part, Subject, UniquePart};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::keys::keys_of;
use crate::partition::find;

pub(super) static RULE: Rule = Rule {
    id: "unique-case",
    summary: "a unique value that an index stores in another case",
    page: include_str!("unique_case.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        for unique in &entity.unique {
            let [UniquePart::Field(field)] = unique.parts.as_slice() else { continue };
            let Some((key, word)) = keys_of(context, entity).find_map(|key| {
                let word = key.template.parts.iter().find_map(|part| folded(part, field))?;
                Some((key, word))
            }) else {
                continue;
            };
            let message = format!(
                "`{field}` of `{}` is unique as written, but `{}` in {} stores it in the format `{word}`: two items whose \
                 `{field}` differs only in case share one key there",
                entity.name,
                key.template.source,
                key.table_or_index(),
            );
            let subjects = vec![Subject::entity(entity)];
            findings.report(
                Severity::Warning,
                unique.span,
                subjects,
                message,
                fixes(context, entity, field, word),
            );
        }
    }
}

/// The word of a format that ignores case, if the part is this field in such a format.
fn folded(part: &Part, field: &str) -> Option<&'static str> {
    match part {
        Part::Field { path, format } if path == field => match format {
            Format::Lower => Some("lower"),
            Format::Upper => Some("upper"),
            Format::Fold => Some("fold"),
            _ => None,
        },
        _ => None,
    }
}

/// Reserves the formatted field, if the language allows that; else a field in one case.
fn fixes(context: &Context<'_>, entity: &Entity, field: &str, word: &str) -> Vec<Fix> {
    let written = context.span(&Subject::entity(entity), "unique");
    let quoted = format!("\"{field}\"");
    let about = format!("reserve `{field}` in the format of the index");
    let span = find(context, written, &quoted);
    let edit = span.map(|span| Fix::replace(about.as_str(), span, format!("\"{{{field}:{word}}}\"")));
    let advice = Fix::advice(format!("add a field with `{field}` in one case, and make that field unique"));
    edit.into_iter().chain([advice]).collect()
}
