//! `ttl-missing`: an entity that grows with time and never expires.

use singlet_design::{Cardinality, Entity, FieldType, Part, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "ttl-missing",
    summary: "an entity that grows with time and never expires",
    page: include_str!("ttl_missing.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        let Some(field) = entity.key.sort.as_ref().and_then(|sort| time_in(entity, sort)) else { continue };
        if entity.ttl.is_some() || is_bounded(context, entity) || context.directory.is_deleted(entity) {
            continue;
        }
        let message = format!(
            "`{}` gets a new item for each `{field}` and never expires, so its collections and their storage grow forever",
            entity.name,
        );
        let span = context.span(&Subject::entity(entity), "key");
        let fix = match usual_days(&entity.name) {
            None => Fix::advice(format!(
                "decide how long `{}` is kept, and declare it, such as `ttl = \"3650 days after {field}\"`; allow the \
                 finding if it is kept forever",
                entity.name
            )),
            Some(days) => {
                let line = format!("ttl = \"{days} days after {field}\"");
                match entity.table.ttl {
                    Some(_) => {
                        Fix::line_after("let old items expire", context.source, span, &line).as_example()
                    }
                    None => Fix::advice(format!(
                        "give the table a `ttl` attribute, and add `{1}` to `{0}`",
                        entity.name, line
                    )),
                }
            }
        };
        findings.report(Severity::Warning, span, vec![Subject::entity(entity)], message, Some(fix));
    }
}

/// Words in the names of entities whose items lose their use with time, with the days that such items are usually kept.
/// Other items, such as orders, payments and what users write, may be needed for years, so no number is proposed.
const SHORT_LIVED: [(u32, &[&str]); 3] = [
    (30, &["session", "token", "attempt", "presence", "heartbeat", "ping", "lock"]),
    (90, &["log", "event", "metric", "reading", "measurement", "sample", "visit", "click", "view", "trace"]),
    (180, &["notification", "activity", "alert", "reminder"]),
];

/// Words in the names of entities whose items may have to be kept, whatever else the name says.
const KEPT: [&str; 6] = ["audit", "order", "payment", "invoice", "ledger", "contract"];

/// The days that items of an entity with this name are usually kept; `None` if the name doesn't tell.
fn usual_days(entity: &str) -> Option<u32> {
    let words = words(entity);
    let is_named = |known: &&str| {
        words.iter().any(|word| word == known || word.strip_suffix('s').is_some_and(|word| word == *known))
    };
    if KEPT.iter().any(is_named) {
        return None;
    }
    SHORT_LIVED.iter().find(|(_, known)| known.iter().any(&is_named)).map(|(days, _)| *days)
}

/// The words of a name such as `AuditLog`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        match words.last_mut() {
            Some(word) if letter.is_lowercase() || letter.is_ascii_digit() => word.push(letter),
            _ if letter.is_alphanumeric() => words.push(letter.to_lowercase().collect()),
            _ => words.push(String::new()),
        }
    }
    words
}

/// Whether something else limits its collections: a relation with a maximum, or a time in the partition key.
fn is_bounded(context: &Context<'_>, entity: &Entity) -> bool {
    let mut relations = context.directory.relations_to(entity);
    let related =
        relations.any(|relation| !matches!(relation.cardinality, Cardinality::Many { max: None, .. }));
    let cut = entity.key.partition.parts.iter().any(|part| match part {
        Part::Field { path, format } => {
            format.cuts_time() || matches!(entity.field_at(path), Some(FieldType::Date))
        }
        _ => false,
    });
    related || cut
}

fn time_in<'a>(entity: &Entity, template: &'a Template) -> Option<&'a str> {
    template.parts.iter().find_map(|part| match part {
        Part::Field { path, .. } => {
            matches!(entity.field_at(path), Some(FieldType::Time | FieldType::Date | FieldType::Epoch))
                .then_some(path.as_str())
        }
        _ => None,
    })
}
