//! `time-format`: times that don't sort with each other.

use std::collections::BTreeMap;

use singlet_design::{Entity, FieldType, Format, Part};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::keys::{Key, Role, keys};

pub(super) static RULE: Rule = Rule {
    id: "time-format",
    summary: "times in different formats in one sort key",
    page: include_str!("time_format.md"),
    check: Check::Review(check),
};

/// The format of a time in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Instant,
    Day,
    Epoch,
    Cut(Format),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    let sorts: Vec<Key<'_>> = keys(context).filter(|key| key.role == Role::Sort).collect();
    let mut known: BTreeMap<_, Vec<(&Key<'_>, Form)>> = BTreeMap::new();
    for key in &sorts {
        let Some((head, form)) = leading_time(key) else { continue };
        let place = (key.entity.table.label.as_str(), key.attribute, key.collection(), head);
        let earlier = known.entry(place).or_default();
        let rival = earlier.iter().find(|(_, other)| *other != form).map(|(rival, _)| *rival);
        earlier.push((key, form));
        let Some(rival) = rival else { continue };
        let message = format!(
            "`{}` of `{}` and `{}` of `{}` put times in different formats into `{}`: as text they don't sort by time",
            key.template.source, key.entity.name, rival.template.source, rival.entity.name, key.attribute,
        );
        let fix = Fix::advice("use one format for both");
        findings.report(Severity::Error, key.span, key.subjects(), message, Some(fix));
    }
}

/// The constant text before the first placeholder, if that is a time, and its format.
fn leading_time<'a>(key: &'a Key<'_>) -> Option<(&'a str, Form)> {
    let first = key.template.parts.iter().find(|part| !matches!(part, Part::Literal(_)))?;
    Some((key.template.constant_head(), form(key.entity, first)?))
}

fn form(entity: &Entity, part: &Part) -> Option<Form> {
    let Part::Field { path, format } = part else { return None };
    match entity.field_at(path)? {
        FieldType::Time | FieldType::Date | FieldType::Epoch if format.cuts_time() => {
            Some(Form::Cut(*format))
        }
        FieldType::Time => Some(Form::Instant),
        FieldType::Date => Some(Form::Day),
        FieldType::Epoch => Some(Form::Epoch),
        _ => None,
    }
}
