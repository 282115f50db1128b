//! `unused-allowance`: an allowance that matches no finding.

use singlet_design::{Allowance, Span, Subject};

use super::{Check, RULES, Rule};
use crate::finding::{Finding, Severity};
use crate::fix::{Edit, Fix, whole_lines};

pub(super) static RULE: Rule = Rule {
    id: "unused-allowance",
    summary: "an allowance that matches no finding",
    page: include_str!("unused_allowance.md"),
    check: Check::Allowances,
};

/// The finding for an allowance that matches nothing: the design has changed, or the rule's name is wrong.
pub(crate) fn unused(source: &str, subject: &Subject, allowance: &Allowance) -> Finding {
    let name = &allowance.rule;
    let message = if RULES.iter().any(|rule| rule.id == name) {
        format!("{subject} allows `{name}`, but that rule finds nothing here")
    } else {
        format!("{subject} allows `{name}`, but there is no rule with that name")
    };
    Finding {
        rule: RULE.id,
        severity: Severity::Warning,
        span: allowance.span,
        message,
        fix: None,
        proposals: vec![without_allowance(source, name, allowance.span)],
        subjects: vec![subject.clone()],
    }
}

/// Removes an allowance, with its line if it is the only one there.
fn without_allowance(source: &str, rule: &str, span: Span) -> Fix {
    const ABOUT: &str = "remove the allowance";
    let lines = whole_lines(source, span);
    let text = source.get(lines.start..lines.end).unwrap_or_default();
    let alone =
        text.trim_start().starts_with("allow") && text.trim_end().ends_with('}') && !text.contains("\",");
    if alone {
        return Fix::replace(ABOUT, lines, "");
    }
    let entry = one_of_several(text, rule).map(|(start, end)| {
        vec![Edit { span: Span { start: lines.start + start, end: lines.start + end }, text: String::new() }]
    });
    Fix::edits_or(ABOUT, entry, ABOUT)
}

/// The range of `rule = "reason"` in a line, with its comma.
fn one_of_several(line: &str, rule: &str) -> Option<(usize, usize)> {
    let start = line.find(rule)?;
    let opening = start + line.get(start..)?.find('"')? + 1;
    let mut end = opening + line.get(opening..)?.find('"')? + 1;
    match line.get(end..)?.strip_prefix(',') {
        Some(rest) => {
            end += 1 + (rest.len() - rest.trim_start().len());
            Some((start, end))
        }
        None => {
            let before = line.get(..start)?.trim_end().strip_suffix(',')?;
            Some((before.len(), end))
        }
    }
}
