//! `page-over-1mb`: pages that don't fit one request.

use singlet_design::{Operation, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{PAGE_BYTES_MAX, entry_size, item_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "page-over-1mb",
    summary: "a page that may need several requests",
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
        if page <= PAGE_BYTES_MAX {
            continue;
        }
        let message = format!(
            "a page of {} can have {limit} items of {}, {} in all: it takes up to {} requests instead of one",
            pattern.name,
            bytes(largest),
            bytes(page),
            page.div_ceil(PAGE_BYTES_MAX),
        );
        let fits = (PAGE_BYTES_MAX / largest.max(1)).max(1);
        let fix = Fix::replace(
            "a page that always fits",
            context.place(&Subject::pattern(pattern), "limit"),
            fits.to_string(),
        );
        findings.report(
            Severity::Info,
            context.place(&Subject::pattern(pattern), "limit"),
            vec![Subject::pattern(pattern)],
            message,
            Some(fix),
        );
    }
}
