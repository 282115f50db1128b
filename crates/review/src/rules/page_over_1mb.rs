//! `page-over-1mb`: a page that doesn't fit into one request.

use singlet_design::{Operation, Subject};
use singlet_values::limits::PAGE_BYTES_MAX;

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{entry_size, item_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "page-over-1mb",
    summary: "a page that can need several requests",
    page: include_str!("page_over_1mb.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Query(query) = &pattern.operation else { continue };
        let Some(limit) = query.limit.map(u64::from) else { continue };
        let sizes = query.entities.iter().filter_map(|entity| {
            let entry = query.on.as_ref().and_then(|index| entity.entry(&index.name));
            entry.map_or_else(|| item_size(entity), |entry| entry_size(entity, entry)).max
        });
        let Some(largest) = sizes.max() else { continue };
        let page = largest.saturating_mul(limit);
        let request = PAGE_BYTES_MAX as u64;
        if page <= request {
            continue;
        }
        let message = format!(
            "a page of `{}` can have {limit} items of {}, {} in total: it takes up to {} requests instead of one",
            pattern.name,
            bytes(largest),
            bytes(page),
            page.div_ceil(request),
        );
        let fits = (request / largest.max(1)).max(1);
        let fix = Fix::replace(
            "use a page size that always fits into one request",
            context.span(&Subject::pattern(pattern), "limit"),
            fits.to_string(),
        );
        findings.report(
            Severity::Info,
            context.span(&Subject::pattern(pattern), "limit"),
            vec![Subject::pattern(pattern)],
            message,
            Some(fix),
        );
    }
}
