//! `key-length`: keys that may be too long.

use super::{Check, Rule};
use crate::estimate::template_size;
use crate::review::keys::{Role, keys};
use crate::review::text::bytes;
use crate::review::{Context, Findings, Fix, Severity};

pub(super) static RULE: Rule = Rule {
    id: "key-length",
    summary: "a key that may pass the longest that is allowed",
    page: include_str!("key_length.md"),
    check: Check::Review(check),
};

const PARTITION_BYTES_MAX: u64 = 2048;
const SORT_BYTES_MAX: u64 = 1024;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for key in keys(context) {
        let (max, role) = match key.role {
            Role::Partition => (PARTITION_BYTES_MAX, "partition"),
            Role::Sort => (SORT_BYTES_MAX, "sort"),
        };
        let longest = template_size(key.entity, key.template).max;
        let how = match longest {
            Some(longest) if longest <= max => continue,
            Some(longest) => format!("may have {}", bytes(longest)),
            None => "has no bound".to_owned(),
        };
        let message = format!(
            "the {role} key `{}` of {} {how}; more than {max} bytes are refused when the item is written",
            key.template.source, key.entity.name,
        );
        let fix = Fix::advice("bound the text fields in it with `max`");
        findings.report(Severity::Error, key.span, key.subjects(), message, Some(fix));
    }
}
