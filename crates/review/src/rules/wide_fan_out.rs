//! `wide-fan-out`: one call or change that causes many others.

use singlet_design::{
    Cardinality, EachList, Entity, Field, ListWalk, Operation, Pattern, Subject, Template, Update,
};
use singlet_values::limits::TRANSACTION_ACTIONS_MAX;

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::list_max;
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::text::{number, whole};

pub(super) static RULE: Rule = Rule {
    id: "wide-fan-out",
    summary: "one call or change that causes many reads or writes",
    page: include_str!("wide_fan_out.md"),
    check: Check::Review(check),
};

/// Queries for one page of a merged list that aren't reported.
const QUERIES_FEW: u32 = 100;
/// Copies of a value that aren't reported.
const COPIES_FEW: u64 = 20;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        match &pattern.operation {
            Operation::Merge(merge) => many_queries(context, findings, pattern, ("merge", &merge.walk)),
            Operation::Gather(gather) => many_queries(context, findings, pattern, ("gather", &gather.walk)),
            Operation::Transaction(_) => unbounded_steps(context, findings, pattern),
            Operation::Update(update) => copies(context, findings, pattern, update),
            _ => {}
        }
    }
}

/// Reports a list that runs many queries for a page.
fn many_queries(
    context: &Context<'_>,
    findings: &mut Findings,
    pattern: &Pattern,
    (word, walk): (&str, &ListWalk),
) {
    let Some(max) = walk.max.filter(|max| *max > QUERIES_FEW) else { return };
    let rate = pattern.rate.map(|rate| rate.per_second * f64::from(max));
    let rate = rate.map(|rate| format!(", {} a second at its rate", number(rate)));
    let elements = if walk.query().is_some() { "items" } else { "elements" };
    let message = format!(
        "`{}` runs `{}` for each of up to {max} {elements} of `{}`, which is that many queries for one page{}",
        pattern.name,
        walk.run.name,
        walk.source_name(),
        rate.unwrap_or_default(),
    );
    let fix = Fix::advice("follow fewer items (`max`), or write each item into the lists of its readers");
    report(context, findings, pattern, word, message, fix);
}

fn report(
    context: &Context<'_>,
    findings: &mut Findings,
    pattern: &Pattern,
    key: &str,
    message: String,
    fix: Fix,
) {
    let subject = Subject::pattern(pattern);
    let span = context.span(&subject, key);
    findings.report(Severity::Warning, span, vec![subject], message, Some(fix));
}

/// Reports steps that run for each element of a list without a maximum.
fn unbounded_steps(context: &Context<'_>, findings: &mut Findings, pattern: &Pattern) {
    let Operation::Transaction(transaction) = &pattern.operation else { return };
    for step in transaction.steps.iter().filter(|step| step.each_max.is_none()) {
        let Some(each) = &step.each else { continue };
        if list_max(pattern, &transaction.steps, each).is_some() {
            continue;
        }
        let list = match &each.list {
            EachList::Parameter(name) => name.clone(),
            EachList::Result(step, field) => format!("{step}.{field}"),
        };
        let message = format!(
            "`{}` runs `{}` for each element of `{list}`, which has no maximum, but a transaction of more than \
             {TRANSACTION_ACTIONS_MAX} writes is refused",
            pattern.name, step.pattern.name,
        );
        let span = context.span(&Subject::pattern(pattern), "transaction");
        // A step with `each` is an inline table.
        let text = context.text(span);
        let at = text.find("each = ").filter(|_| transaction.steps.len() == 1 || only_each(text));
        let edit = at.map(|at| {
            let start = span.start + at;
            vec![Edit { span: singlet_design::Span { start, end: start }, text: "max = 20, ".to_owned() }]
        });
        let fix = Fix::edits_or(
            "refuse longer lists",
            edit,
            format!("limit the list in the step with `max = 20`, or give the field `{list}` a maximum"),
        )
        .as_example();
        report(context, findings, pattern, "transaction", message, fix);
    }
}

fn only_each(text: &str) -> bool {
    text.matches("each = ").count() == 1
}

/// Reports a change of a value that many items copy.
fn copies(context: &Context<'_>, findings: &mut Findings, pattern: &Pattern, update: &Update) {
    let source = &update.entity;
    for change in &update.changes {
        for copier in context.directory.referrers(source).filter(|copier| copier.name != source.name) {
            let Some(copy) = copy_of(source, change.field(), copier) else { continue };
            let Some(count) = how_many(source, copier) else { continue };
            let message = format!(
                "`{}` changes `{}` of `{}`, and `{}` keeps a copy of it in `{}`: one change means {count}",
                pattern.name,
                change.field(),
                source.name,
                copier.name,
                copy.name,
            );
            let fix = Fix::advice(format!(
                "follow the reference when reading (`resolve`), or accept that `{}` becomes stale",
                copy.name
            ));
            let subjects = vec![Subject::pattern(pattern), Subject::entity(copier)];
            findings.report(Severity::Warning, pattern.span, subjects, message, Some(fix));
        }
    }
}

/// A field that is certainly a copy: `username` if that is unique in `User`, or `user_name` of `User`'s `name`.
fn copy_of<'a>(source: &Entity, changed: &str, copier: &'a Entity) -> Option<&'a Field> {
    let key = std::iter::once(&source.key.partition).chain(&source.key.sort);
    if key.flat_map(Template::fields).any(|field| field == changed) {
        return None;
    }
    let owner = source.name.to_lowercase();
    let unique = source.unique.iter().any(|unique| unique.fields.iter().any(|field| field == changed));
    let same = unique || changed.to_lowercase().starts_with(&owner);
    let prefixed = format!("{owner}_{changed}");
    copier.fields.iter().find(|field| (same && field.name == changed) || field.name == prefixed)
}

/// The number of items that a change affects, in words; `None` if they are few.
fn how_many(source: &Entity, copier: &Entity) -> Option<String> {
    let relation = source.relations.iter().find(|relation| relation.entity == copier.name);
    let word = |count: u64| format!("up to {} writes", whole(count));
    match relation.map(|relation| relation.cardinality) {
        Some(Cardinality::One) => None,
        Some(Cardinality::Many { max: Some(max), .. }) => (max > COPIES_FEW).then(|| word(max)),
        Some(Cardinality::Many { usual: Some(usual), .. }) => {
            (usual > COPIES_FEW).then(|| format!("usually {} writes", whole(usual)))
        }
        _ => Some(format!("a write for every `{}`, and nothing limits their number", copier.name)),
    }
}
