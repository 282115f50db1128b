//! `filter`: a filter that discards most of the items that are read.

use singlet_design::{Comparison, Entity, FieldType, Operand, Subject, Tree};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::{names, number};

pub(super) static RULE: Rule = Rule {
    id: "filter",
    summary: "a filter that discards most of the items that are read",
    page: include_str!("filter.md"),
    check: Check::Review(check),
};

/// A filter that keeps less than this share is a warning.
const KEPT_WARNING: f64 = 0.5;
/// A filter that keeps less than this share is an error.
const KEPT_ERROR: f64 = 0.1;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Some(query) = pattern.query() else { continue };
        let Some((filter, entity)) = query.filter.as_ref().zip(query.entities.first()) else { continue };
        let kept = kept(entity, &filter.tree);
        if kept >= KEPT_WARNING {
            continue;
        }
        let severity = if kept < KEPT_ERROR { Severity::Error } else { Severity::Warning };
        let message = format!(
            "the filter of `{}` keeps about {} % of the `{}` items that it reads, and all of them are billed",
            pattern.name,
            number(kept * 100.0),
            entity.name,
        );
        let fields = names(filter.tree.paths());
        let fix = Fix::advice(format!(
            "put {fields} into the key, or into an index that holds only the matching items (`when`)"
        ));
        findings.report(
            severity,
            context.span(&Subject::pattern(pattern), "filter"),
            vec![Subject::pattern(pattern)],
            message,
            Some(fix),
        );
    }
}

/// The expected share of items that a condition keeps, if the values of a field are equally common. A condition that
/// can't be estimated counts as keeping all.
fn kept(entity: &Entity, tree: &Tree) -> f64 {
    match tree {
        Tree::And(all) => all.iter().map(|one| kept(entity, one)).product(),
        Tree::Or(any) => any.iter().map(|one| kept(entity, one)).sum::<f64>().min(1.0),
        Tree::Not(inner) => 1.0 - kept(entity, inner),
        Tree::Compare(Operand::Path(path), comparison, _)
        | Tree::Compare(_, comparison, Operand::Path(path)) => match comparison {
            Comparison::Equal => one_of(entity, path),
            Comparison::NotEqual => 1.0 - one_of(entity, path),
            _ => 1.0,
        },
        #[expect(clippy::cast_precision_loss, reason = "at most a hundred values")]
        Tree::In(Operand::Path(path), values) => (one_of(entity, path) * values.len() as f64).min(1.0),
        _ => 1.0,
    }
}

/// The expected share of items with one value of a field.
fn one_of(entity: &Entity, path: &str) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a list of declared values")]
    match entity.field_at(path) {
        Some(FieldType::Choice(choices)) => 1.0 / choices.len().max(1) as f64,
        Some(FieldType::Bool) => 0.5,
        Some(FieldType::Id) => 0.01,
        // Nobody filters by a string that most items have.
        Some(FieldType::Text { .. } | FieldType::Date) => 0.2,
        _ => 1.0,
    }
}
