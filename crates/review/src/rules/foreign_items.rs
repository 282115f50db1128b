//! `foreign-items`: a query that also reads items of other entities.

use singlet_design::{Entity, Operation, Order, Pattern, Subject, Template};

use super::prefix_overlap::begins_longer;
use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::partition::find;
use crate::reach::{Foreign, Lies, PartitionRead};
use crate::text::{list, names};

pub(super) static RULE: Rule = Rule {
    id: "foreign-items",
    summary: "a query that also reads items of other entities",
    page: include_str!("foreign_items.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Some(read) = PartitionRead::of(pattern) else { continue };
        let mut foreign = read.foreign(&context.keys);
        foreign.retain(|other| !is_longer_word(&read, other.entity));
        let Some(worst) = foreign.iter().map(|other| other.lies).max() else { continue };
        // Only the most expensive ones are reported. The others are reported once those are fixed.
        foreign.retain(|other| other.lies == worst);
        let severity = if worst == Lies::Behind { Severity::Info } else { Severity::Warning };
        let subject = Subject::pattern(pattern);
        let word = match &pattern.operation {
            Operation::Get(_) => "get",
            Operation::Exists(_) => "exists",
            _ => "query",
        };
        let span = context.span(&subject, if read.asked.is_some() { "key" } else { word });
        let mut subjects = vec![subject];
        subjects.extend(read.entities.iter().map(|entity| Subject::entity(entity)));
        findings.report(
            severity,
            span,
            subjects,
            message(pattern, &read, &foreign, worst),
            fixes(context, pattern, &read),
        );
    }
}

/// Whether `prefix-overlap` reports these items: their sort keys begin with a longer word.
fn is_longer_word(read: &PartitionRead<'_>, other: &Entity) -> bool {
    let [entity] = read.entities else { return false };
    let (Some((_, own)), Some((_, theirs))) = (read.templates(entity), read.templates(other)) else {
        return false;
    };
    let (Some(own), Some(theirs)) = (own.first(), theirs.first()) else { return false };
    let asked = read.asked.map(|asked| asked.sort.first());
    let head = match asked {
        Some(None) => return false,
        Some(Some(asked)) if theirs.constant_head() != own.constant_head() => asked.constant_head(),
        Some(Some(_)) => return false,
        None => own.constant_head(),
    };
    begins_longer(head, theirs.constant_head())
}

fn message(pattern: &Pattern, read: &PartitionRead<'_>, foreign: &[Foreign<'_>], worst: Lies) -> String {
    let name = |other: &Foreign<'_>| match read.templates(other.entity).and_then(|(_, sort)| sort.first()) {
        Some(sort) => format!("`{}` (`{}`)", other.entity.name, sort.source),
        None => format!("`{}`", other.entity.name),
    };
    let on = read.index.map_or_else(|| "the table".to_owned(), |index| format!("`{}`", index.name));
    let others = list(foreign.iter().map(name));
    let asked = names(read.entities.iter().map(|entity| &entity.name));
    let direction = match read.order {
        Order::Ascending => "forwards",
        Order::Descending => "backwards",
    };
    let what = match worst {
        Lies::Behind => format!(
            "the items of {others} come after those of {asked}: only a caller that reads to the end pays for them"
        ),
        Lies::Ahead => format!(
            "the items of {others} come before those of {asked}: every first page reads, bills and discards them"
        ),
        Lies::Among => format!(
            "the items of {others} lie between those of {asked}: they are read, billed and discarded, and a page needs \
             more requests"
        ),
    };
    format!("`{}` reads a partition of {on} {direction}, and {what}", pattern.name)
}

fn fixes(context: &Context<'_>, pattern: &Pattern, read: &PartitionRead<'_>) -> Vec<Fix> {
    let [entity] = read.entities else {
        return vec![Fix::advice("read each entity with a query of its own, as `parts` of one pattern")];
    };
    let Some(own) = read.templates(entity).and_then(|(_, sort)| sort.first()) else {
        return vec![Fix::advice(format!("give `{}` a partition key of its own", entity.name))];
    };
    let mut fixes: Vec<Fix> = asked_whole(context, pattern, read, own).into_iter().collect();
    fixes.extend(own_word(context, read, entity, own));
    fixes.push(Fix::advice(format!("begin the sort keys of `{}` with a word of their own", entity.name)));
    fixes
}

/// Asks for the constant beginning of the sort key as well.
fn asked_whole(
    context: &Context<'_>,
    pattern: &Pattern,
    read: &PartitionRead<'_>,
    own: &Template,
) -> Option<Fix> {
    let asked = read.asked.filter(|asked| asked.partition.len() == 1)?;
    let head = Some(own.constant_head()).filter(|head| !head.is_empty())?;
    let partition = &asked.partition.first()?.source;
    let text = format!("[\"{partition}\", \"{head}\"]");
    let span = context.span(&Subject::pattern(pattern), "key");
    Some(Fix::replace(format!("ask for sort keys that begin with `{head}`"), span, text))
}

/// Begins the entity's sort key with its own word, unless a list of several entities needs the present order.
fn own_word(context: &Context<'_>, read: &PartitionRead<'_>, entity: &Entity, own: &Template) -> Option<Fix> {
    let on = |read: &PartitionRead<'_>| read.index.map(|index| index.name.clone());
    let listed_together = context
        .directory
        .patterns_of(entity)
        .filter_map(|other| PartitionRead::of(other))
        .any(|other| other.entities.len() > 1 && on(&other) == on(read));
    let written = context.span(&Subject::entity(entity), on(read).as_deref().unwrap_or("key"));
    let span = find(context, written, &format!("\"{}\"", own.source)).filter(|_| !listed_together)?;
    let separator = entity.table.separator;
    let word = format!("{}{separator}", entity.name.to_uppercase());
    let rest = own.source.strip_prefix(own.constant_head()).unwrap_or(&own.source);
    let edit = Edit { span, text: format!("\"{word}{rest}\"") };
    Some(Fix::edits(format!("begin the sort keys of `{}` with a word of their own", entity.name), vec![edit]))
}
