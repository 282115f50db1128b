//! `prefix-overlap`: a sort prefix that is the start of another.

use super::{Check, Rule};
use crate::model::{Entity, Operation};
use crate::review::{Context, Findings, Fix, Severity, Subject};
use crate::template::Template;

pub(super) static RULE: Rule = Rule {
    id: "prefix-overlap",
    summary: "a sort prefix that is the start of another one",
    page: include_str!("prefix_overlap.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Query(query) = &pattern.operation else { continue };
        let on = query.on.as_ref().map(|index| index.name.as_str());
        let Some(entity) = query.entities.first().filter(|_| query.entities.len() == 1) else { continue };
        let Some((partition, sort)) = templates(entity, on) else { continue };
        let head = sort.constant_head();
        let others = context.design.entities_of(&entity.table).filter(|other| other.name != entity.name);
        for other in others {
            let Some((other_partition, other_sort)) = templates(other, on) else { continue };
            let theirs = other_sort.constant_head();
            let same_collection = other_partition.constant_head() == partition.constant_head();
            if !same_collection || head.is_empty() || theirs == head || !theirs.starts_with(head) {
                continue;
            }
            let message = format!(
                "{} reads sort keys that begin with `{head}`, and so do those of {}, `{theirs}`: its items come into the \
                 answer or use up the page",
                pattern.name, other.name,
            );
            let separator = entity.table.separator;
            let fix = Fix::advice(format!("end the prefix with the separator: `{head}{separator}`"));
            let subjects = vec![Subject::pattern(pattern), Subject::entity(entity), Subject::entity(other)];
            findings.report(
                Severity::Error,
                context.place(&Subject::pattern(pattern), "query"),
                subjects,
                message,
                Some(fix),
            );
        }
    }
}

fn templates<'a>(entity: &'a Entity, on: Option<&str>) -> Option<(&'a Template, &'a Template)> {
    match on {
        None => Some((&entity.key.partition, entity.key.sort.as_ref()?)),
        Some(index) => {
            let entry = entity.entry(index)?;
            Some((entry.partition.first()?, entry.sort.first()?))
        }
    }
}
