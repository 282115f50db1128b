//! `unique-by-index`: uniqueness that depends on a look-up.

use singlet_design::{Entity, Made, Operation, Pattern, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::reads::{Read, read};
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "unique-by-index",
    summary: "a look-up of one item by an index key that isn't unique",
    page: include_str!("unique_by_index.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (read, fields) in context.design.patterns.iter().filter_map(|pattern| look_up(pattern)) {
        let (pattern, entity) = (read.pattern, read.entity);
        let known = names(&fields);
        let message = format!(
            "`{}` expects one `{}` for each {known}, but nothing keeps {known} unique: two items that are created at the \
             same time both exist, and only one of them is found",
            pattern.name, entity.name,
        );
        // First everything that the entity lacks, so that several patterns share one fix; then this alone.
        let lacking = context.directory.patterns_of(entity).filter_map(|other| look_up(other));
        let mut all: Vec<String> = Vec::new();
        for group in lacking.map(|(_, fields)| group(&fields)) {
            if !all.contains(&group) {
                all.push(group);
            }
        }
        let own = group(&fields);
        let mut fixes: Vec<Fix> = [all.join(", "), own.clone()]
            .iter()
            .filter_map(|groups| reserve(context, entity, groups))
            // Only the author knows whether there can really be one item for each value.
            .map(Fix::as_example)
            .collect();
        fixes.push(Fix::advice(format!("reserve the value in the same transaction: `unique = [{own}]`")));
        let subjects = vec![Subject::pattern(pattern), Subject::entity(entity)];
        let span = context.span(&Subject::pattern(pattern), "on");
        findings.report(Severity::Error, span, subjects, message, fixes);
    }
}

/// The look-up of one item through an index by fields that aren't unique, and those fields. `exists` is content with any
/// number of items.
fn look_up(pattern: &Pattern) -> Option<(Read<'_>, Vec<&str>)> {
    let single = read(pattern).filter(|_| matches!(pattern.operation, Operation::Get(_)));
    let read = single.filter(|read| read.index.is_some())?;
    // The fields that the caller gives identify the item. With `key` they can include those of the sort key.
    let fields = given(&read);
    (!fields.is_empty() && !is_unique(read.entity, &fields)).then_some((read, fields))
}

/// Fields as `unique` lists them.
fn group(fields: &[&str]) -> String {
    let quoted: Vec<String> = fields.iter().map(|field| format!("\"{field}\"")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// The fields of a look-up: those of the partition key, and the leading fields of the sort key if they are parameters.
fn given<'a>(read: &Read<'a>) -> Vec<&'a str> {
    let mut fields = read.given();
    if read.asked.is_none() {
        let sort = read.own_sort().iter().flat_map(Template::fields);
        let known = sort.take_while(|field| read.pattern.parameter(field).is_some());
        let new: Vec<&str> = known.filter(|field| !fields.contains(field)).collect();
        fields.extend(new);
    }
    fields
}

/// Declares fields as unique, in addition to those that already are.
fn reserve(context: &Context<'_>, entity: &Entity, unique: &str) -> Option<Fix> {
    const ABOUT: &str = "reserve the value in the same transaction";
    let subject = Subject::entity(entity);
    if !context.has(&subject, "unique") {
        let line = format!("unique = [{unique}]");
        return Some(Fix::line_after(ABOUT, context.source, context.span(&subject, "key"), &line));
    }
    let written = context.span(&subject, "unique");
    let open = context.text(written).strip_suffix(']')?.trim_end().trim_end_matches(',');
    Some(Fix::replace(ABOUT, written, format!("{open}, {unique}]")))
}

/// Whether the fields are declared unique, contain an id that Singlet makes, or are the table's own key.
fn is_unique(entity: &Entity, fields: &[&str]) -> bool {
    let declared =
        entity.unique.iter().any(|unique| unique.fields.iter().all(|name| fields.contains(&name.as_str())));
    let made = fields
        .iter()
        .filter_map(|name| entity.field(name))
        .any(|field| matches!(field.made, Some(Made::Uuid7 | Made::Uuid4 | Made::Ulid | Made::Secret)));
    let key = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let own_key = key.flat_map(Template::fields).all(|name| fields.contains(&name));
    declared || made || own_key
}
