//! `owner-outside-key`: a pattern for one owner whose key doesn't contain the owner.

use singlet_design::{Argument, Binding, Condition, Count, Entity, Operation, Pattern, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::reads::read;

pub(super) static RULE: Rule = Rule {
    id: "owner-outside-key",
    summary: "a pattern for one owner whose key doesn't contain the owner",
    page: include_str!("owner_outside_key.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Some(owner) = &pattern.owner else { continue };
        let Some((outside, key)) = outside(pattern, owner) else { continue };
        let through =
            if outside.name == pattern.name { String::new() } else { format!(" through `{}`", outside.name) };
        let message = format!(
            "`{}` is for one `{owner}`{through}, but {key} `{owner}`: a caller who knows the rest gets items of other \
             owners, unless every caller checks it",
            pattern.name,
        );
        let fix = fix(context, outside, owner);
        let subjects = vec![Subject::pattern(pattern), Subject::pattern(outside)];
        let span = context.span(&Subject::pattern(pattern), "owner");
        findings.report(Severity::Warning, span, subjects, message, Some(fix));
    }
}

/// The pattern, or its part, that reaches items without the owner, and what its key lacks.
fn outside<'a>(pattern: &'a Pattern, owner: &str) -> Option<(&'a Pattern, String)> {
    let parts: Vec<(&Pattern, &[Binding])> = match &pattern.operation {
        Operation::Parts(parts) => parts.parts.iter().map(|part| (&*part.pattern, &*part.bindings)).collect(),
        Operation::Transaction(all) => {
            all.steps.iter().map(|step| (&*step.pattern, &*step.bindings)).collect()
        }
        // The items are found through the list.
        Operation::Merge(_) | Operation::Gather(_) | Operation::Claim(_) | Operation::Bulk(_) => {
            let walk = pattern.walk()?;
            match walk.query() {
                Some(query) => vec![(&**query, &[])],
                None => vec![(&*walk.run, &*walk.bindings)],
            }
        }
        _ => return single(pattern, owner).map(|key| (pattern, key)),
    };
    parts.into_iter().find_map(|(part, bindings)| {
        let renamed = bindings
            .iter()
            .find(|binding| matches!(&binding.argument, Argument::Parameter(name) if name == owner));
        outside(part, renamed.map_or(owner, |binding| &binding.parameter))
    })
}

/// The key of a single read or write, in words, if it doesn't contain the owner and no condition compares it.
fn single(pattern: &Pattern, owner: &str) -> Option<String> {
    let (entity, condition): (&Entity, Option<&Condition>) = match &pattern.operation {
        // A new item belongs to the owner in its fields.
        Operation::Create(_) => return None,
        Operation::Put(put) => (&put.entity, put.condition.as_ref()),
        Operation::Update(update) => (&update.entity, update.condition.as_ref()),
        Operation::Delete(delete) => (&delete.entity, delete.condition.as_ref()),
        Operation::Check(check) => (&check.entity, check.condition.as_ref()),
        Operation::Scan(scan) => (&scan.entity, scan.filter.as_ref()),
        Operation::Query(query) | Operation::Count(Count { query, .. }) => {
            (query.entities.first()?, query.filter.as_ref())
        }
        Operation::Get(get) | Operation::Exists(get) => (&get.entity, None),
        Operation::BatchGet(batch) => (&batch.entity, None),
        _ => return None,
    };
    // A comparison that the caller can leave out protects nothing.
    let always = condition.and_then(|condition| condition.given(&|_| false));
    let compared = always.is_some_and(|condition| condition.tree.paths().contains(&owner));
    let read = read(pattern);
    let (held, key) = match &read {
        Some(read) => (read.given(), shown(read.partition().iter().chain(read.own_sort()))),
        None if matches!(pattern.operation, Operation::Scan(_)) => {
            (Vec::new(), "the scan doesn't compare".to_owned())
        }
        None => {
            let key = || std::iter::once(&entity.key.partition).chain(&entity.key.sort);
            (key().flat_map(Template::fields).collect(), shown(key()))
        }
    };
    (!compared && !held.contains(&owner)).then_some(key)
}

fn shown<'a>(templates: impl Iterator<Item = &'a Template>) -> String {
    let sources: Vec<String> = templates.map(|template| format!("`{}`", template.source)).collect();
    format!("the key {} doesn't contain", sources.join(" "))
}

/// A condition on the owner, if the items have it.
fn fix(context: &Context<'_>, pattern: &Pattern, owner: &str) -> Fix {
    let (word, entity, condition) = match &pattern.operation {
        Operation::Update(update) => ("update", &update.entity, update.condition.as_ref()),
        Operation::Delete(delete) => ("delete", &delete.entity, delete.condition.as_ref()),
        _ => {
            return Fix::advice(format!(
                "put `{owner}` into the key, or check it in every caller and allow this finding"
            ));
        }
    };
    if entity.field(owner).is_none() || condition.is_some() {
        return Fix::advice(format!("put `{owner}` into the key, or check it in the same transaction"));
    }
    let span = context.span(&Subject::pattern(pattern), word);
    let line = format!("if = \"{owner} = {{{owner}}}\"");
    Fix::edits(
        format!("refuse items of another `{owner}`"),
        vec![Edit::line_after(context.source, span, &line)],
    )
}
