//! `scan`: a pattern that reads a whole table or index.

use singlet_design::{Operation, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "scan",
    summary: "a pattern that reads a whole table or index",
    page: include_str!("scan.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Scan(scan) = &pattern.operation else { continue };
        let entity = &scan.entity;
        let there = |other: &&std::sync::Arc<singlet_design::Entity>| match &scan.on {
            Some(index) => other.entry(&index.name).is_some(),
            None => true,
        };
        let kinds = context.design.entities_of(&entity.table).filter(there).count();
        let on = scan.on.as_ref().map_or(entity.table.label.as_str(), |index| &index.name);
        let among = if kinds > 1 { format!(" among the items of {kinds} entities") } else { String::new() };
        let rate = pattern.rate.map(|rate| format!(", {} times a second", number(rate.per_second)));
        let message = format!(
            "`{}` reads and is billed for every item of `{on}` to find `{}` items{among}{}: it gets slower and more \
             expensive with every stored item",
            pattern.name,
            entity.name,
            rate.unwrap_or_default(),
        );
        let fix = Fix::advice(format!(
            "use a query: give `{}` an index entry whose partition key is what the caller knows; for maintenance, declare \
             `admin = true`",
            entity.name,
        ));
        let severity = if scan.admin { Severity::Info } else { Severity::Error };
        let fix = (!scan.admin).then_some(fix);
        let subjects = vec![Subject::pattern(pattern)];
        findings.report(severity, context.span(&Subject::pattern(pattern), "scan"), subjects, message, fix);
    }
}
