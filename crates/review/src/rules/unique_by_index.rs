//! `unique-by-index`: uniqueness that rests on a look-up.

use singlet_design::{Design, Entity, Made, Operation, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::reads::{Read, reads};

pub(super) static RULE: Rule = Rule {
    id: "unique-by-index",
    summary: "one item is expected under an index key that nothing keeps unique",
    page: include_str!("unique_by_index.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (read, fields) in look_ups(context.design) {
        let (pattern, entity) = (read.pattern, read.entity);
        let names = fields.join(", ");
        let message = format!(
            "{} expects one {} for a {names}, but nothing keeps {names} unique: two that are created at the same time \
             both live, and one of them is found",
            pattern.name, entity.name,
        );
        // All that the entity lacks in one change, so that the fixes of several patterns are one; or this alone.
        let lacking = look_ups(context.design).filter(|(other, _)| other.entity.name == entity.name);
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
            .collect();
        fixes.push(Fix::advice(format!("reserve the value in the same transaction: `unique = [{own}]`")));
        let subjects = vec![Subject::pattern(pattern), Subject::entity(entity)];
        let place = context.place(&Subject::pattern(pattern), "on");
        findings.report(Severity::Error, place, subjects, message, fixes);
    }
}

/// The look-ups of one item through an index by fields that nothing keeps unique, and those fields.
fn look_ups(design: &Design) -> impl Iterator<Item = (Read<'_>, Vec<&str>)> {
    let single = reads(design).filter(|read| {
        read.index.is_some() && matches!(read.pattern.operation, Operation::Get(_) | Operation::Exists(_))
    });
    // What the caller gives tells the item: `key` can go on into the sort key.
    let fields = single.map(|read| (read, given(&read)));
    fields.filter(|(read, fields)| !fields.is_empty() && !is_unique(read.entity, fields))
}

/// Fields as `unique` has them.
fn group(fields: &[&str]) -> String {
    let quoted: Vec<String> = fields.iter().map(|field| format!("\"{field}\"")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// The fields that a look-up is made with: those of the partition key, and those that lead the sort key if the pattern
/// gives them.
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

/// Declares fields unique, beside those that are declared already.
fn reserve(context: &Context<'_>, entity: &Entity, unique: &str) -> Option<Fix> {
    const ABOUT: &str = "reserve the value in the same transaction";
    let subject = Subject::entity(entity);
    if !context.has(&subject, "unique") {
        let line = format!("unique = [{unique}]");
        return Some(Fix::line_after(ABOUT, context.source, context.place(&subject, "key"), &line));
    }
    let written = context.place(&subject, "unique");
    let open = context.text(written).strip_suffix(']')?.trim_end().trim_end_matches(',');
    Some(Fix::replace(ABOUT, written, format!("{open}, {unique}]")))
}

/// The fields are declared unique, hold an id that Singlet makes, or are the table's own key.
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
