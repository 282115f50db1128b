//! `item-size`: items that may pass what an item may weigh.

use singlet_design::Subject;

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{ITEM_BYTES_MAX, field_size, item_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "item-size",
    summary: "items that may pass 400 KB, or are large enough to be dear",
    page: include_str!("item_size.md"),
    check: Check::Review(check),
};

/// From here on every write of the item costs a hundred units.
const BYTES_DEAR: u64 = 100 * 1024;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        // Without a bound there is no largest item: `unbounded-list` and `missing-size` say what lacks one.
        let Some(max) = item_size(entity).max.filter(|max| *max > BYTES_DEAR) else { continue };
        let Some(largest) = entity.fields.iter().max_by_key(|field| field_size(field).max) else { continue };
        let share = bytes(field_size(largest).max.unwrap_or(0));
        let (severity, end) = if max > ITEM_BYTES_MAX {
            (Severity::Error, "the limit is 400 KB, and a write that passes it is refused".to_owned())
        } else {
            (Severity::Warning, format!("each write of such an item costs {} units", max.div_ceil(1024)))
        };
        let message = format!(
            "the largest {} that the bounds allow has {}, {share} of it in {}: {end}",
            entity.name,
            bytes(max),
            largest.name,
        );
        let fix = Fix::advice(format!(
            "bound {} more tightly, or give its elements items of their own",
            largest.name
        ));
        findings.report(severity, largest.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}
