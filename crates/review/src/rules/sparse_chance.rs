//! `sparse-chance`: a filter on a flag that a sparse index could replace.

use singlet_design::{Comparison, Entity, FieldType, Json, Operand, Subject, Tree};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "sparse-chance",
    summary: "a filter on a flag that a sparse index could replace",
    page: include_str!("sparse_chance.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Some(query) = pattern.query() else { continue };
        let Some((filter, entity)) = query.filter.as_ref().zip(query.entities.first()) else { continue };
        let Some(flag) = flag(entity, &filter.tree) else { continue };
        let message = format!(
            "`{}` filters by `{flag}`: a query of an index with only such `{}` items would read nothing else",
            pattern.name, entity.name,
        );
        let fix = Fix::advice(format!(
            "add an index entry with `when = \"{flag}\"`, and let the pattern read that index"
        ));
        findings.report(
            Severity::Info,
            context.span(&Subject::pattern(pattern), "filter"),
            vec![Subject::pattern(pattern)],
            message,
            Some(fix),
        );
    }
}

/// A flag that must be true, or an optional field that must exist.
fn flag<'a>(entity: &Entity, tree: &'a Tree) -> Option<&'a str> {
    match tree {
        Tree::And(all) => all.iter().find_map(|one| flag(entity, one)),
        Tree::Exists(path) => entity.field(path).filter(|field| field.optional).map(|_| path.as_str()),
        Tree::Compare(Operand::Path(path), Comparison::Equal, Operand::Constant(Json::Bool(true))) => {
            matches!(entity.field_at(path), Some(FieldType::Bool)).then_some(path)
        }
        _ => None,
    }
}
