//! `item-size`: items that can be too large.

use singlet_design::Subject;
use singlet_values::limits::ITEM_BYTES_MAX;

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{field_size, item_size, write_units};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::{bytes, number};

pub(super) static RULE: Rule = Rule {
    id: "item-size",
    summary: "items that can exceed 400 KB, or that are large enough to be expensive",
    page: include_str!("item_size.md"),
    check: Check::Review(check),
};

/// Items above this size are reported: each of their writes costs over a hundred units.
const BYTES_EXPENSIVE: u64 = 100 * 1024;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for entity in &context.design.entities {
        // `unbounded-list` and `missing-size` report items without a largest size.
        let Some(max) = item_size(entity).max.filter(|max| *max > BYTES_EXPENSIVE) else { continue };
        let Some(largest) = entity.fields.iter().max_by_key(|field| field_size(field).max) else { continue };
        let share = bytes(field_size(largest).max.unwrap_or(0));
        let limit = ITEM_BYTES_MAX as u64;
        let (severity, end) = if max > limit {
            (Severity::Error, format!("a write of an item above {} is refused", bytes(limit)))
        } else {
            let units = number(write_units(max));
            (Severity::Warning, format!("each write of such an item costs {units} write units"))
        };
        let message = format!(
            "the largest `{}` that the bounds allow has {}, {share} of it in `{}`: {end}",
            entity.name,
            bytes(max),
            largest.name,
        );
        let fix = Fix::advice(format!(
            "lower the bound of `{}`, or store its elements as items of their own",
            largest.name
        ));
        findings.report(severity, largest.span, vec![Subject::entity(entity)], message, Some(fix));
    }
}
