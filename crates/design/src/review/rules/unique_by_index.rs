//! `unique-by-index`: uniqueness that rests on a look-up.

use super::{Check, Rule};
use crate::model::{Entity, IndexEntry, Made, Operation};
use crate::review::{Context, Findings, Fix, Severity, Subject};
use crate::template::Template;

pub(super) static RULE: Rule = Rule {
    id: "unique-by-index",
    summary: "one item is expected under an index key that nothing keeps unique",
    page: include_str!("unique_by_index.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let (Operation::Get(get) | Operation::Exists(get)) = &pattern.operation else { continue };
        let Some(entry) = get.on.as_ref().and_then(|index| get.entity.entry(&index.name)) else { continue };
        let fields: Vec<&str> = entry.partition.iter().flat_map(Template::fields).collect();
        if fields.is_empty() || is_unique(&get.entity, entry, &fields) {
            continue;
        }
        let names = fields.join(", ");
        let message = format!(
            "{} expects one {} for a {names}, but nothing keeps {names} unique: two that are created at the same time \
             both live, and one of them is found",
            pattern.name, get.entity.name,
        );
        let quoted: Vec<String> = fields.iter().map(|field| format!("\"{field}\"")).collect();
        let unique = match quoted.as_slice() {
            [one] => format!("unique = [{one}]"),
            several => format!("unique = [[{}]]", several.join(", ")),
        };
        let place = context.place(&Subject::entity(&get.entity), "key");
        let fix =
            Fix::line_after("reserve the value in the same transaction", context.source, place, &unique);
        let fix = if context.has(&Subject::entity(&get.entity), "unique") {
            Fix::advice(format!("add it to `unique`: {unique}"))
        } else {
            fix
        };
        let subjects = vec![Subject::pattern(pattern), Subject::entity(&get.entity)];
        findings.report(
            Severity::Error,
            context.place(&Subject::pattern(pattern), "on"),
            subjects,
            message,
            Some(fix),
        );
    }
}

/// The fields are declared unique, hold an id that Singlet makes, or are the table's own key.
fn is_unique(entity: &Entity, entry: &IndexEntry, fields: &[&str]) -> bool {
    let declared =
        entity.unique.iter().any(|unique| unique.fields.iter().all(|name| fields.contains(&name.as_str())));
    let made = fields
        .iter()
        .filter_map(|name| entity.field(name))
        .any(|field| matches!(field.made, Some(Made::Uuid7 | Made::Uuid4 | Made::Ulid | Made::Secret)));
    let key = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let own_key = key.flat_map(Template::fields).all(|name| fields.contains(&name));
    let sorted = entry.sort.iter().flat_map(Template::fields).next().is_some();
    declared || made || (own_key && !sorted)
}
