//! `ttl-read`: a pattern that shows expired items.

use singlet_design::{Count, Entity, Operation, Pattern, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;

pub(super) static RULE: Rule = Rule {
    id: "ttl-read",
    summary: "a pattern that shows expired items",
    page: include_str!("ttl_read.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Some(entity) = shown_expired(pattern) else { continue };
        let message = format!(
            "`{}` shows expired `{}` items: they stay readable until they are deleted, which can take days",
            pattern.name, entity.name,
        );
        const ABOUT: &str = "remove `expired = \"show\"`";
        let edit = context.without_key(&Subject::pattern(pattern), "expired");
        let fix = Fix::edits_or(ABOUT, edit.map(|edit| vec![edit]), ABOUT);
        let subjects = vec![Subject::pattern(pattern)];
        findings.report(
            Severity::Warning,
            context.span(&Subject::pattern(pattern), "expired"),
            subjects,
            message,
            Some(fix),
        );
    }
}

fn shown_expired(pattern: &Pattern) -> Option<&Entity> {
    let (shows, entities) = match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => (get.show_expired, std::slice::from_ref(&get.entity)),
        Operation::BatchGet(batch) => (batch.show_expired, std::slice::from_ref(&batch.entity)),
        Operation::Scan(scan) => (scan.show_expired, std::slice::from_ref(&scan.entity)),
        Operation::Query(query) | Operation::Count(Count { query, .. }) => {
            (query.show_expired, query.entities.as_slice())
        }
        _ => return None,
    };
    let expiring = entities.iter().find(|entity| entity.ttl.is_some());
    expiring.filter(|_| shows).map(AsRef::as_ref)
}
