//! `prefix-overlap`: a sort key prefix with which another one begins.

use std::collections::BTreeMap;

use singlet_design::{Design, Entity, Span, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::keys::{Key, keys};
use crate::partition::find;
use crate::reach::named;

pub(super) static RULE: Rule = Rule {
    id: "prefix-overlap",
    summary: "a sort key prefix with which another prefix begins",
    page: include_str!("prefix_overlap.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    foreign_items(context, findings);
    one_word_for_several_things(context, findings);
}

/// Reports a prefix that is followed by different fields. Queries are correct, but people who read keys confuse them.
fn one_word_for_several_things(context: &Context<'_>, findings: &mut Findings) {
    let own: Vec<Key<'_>> = keys(context).filter(|key| key.index.is_none()).collect();
    let mut known: BTreeMap<(&str, &str), Vec<(&Key<'_>, &str)>> = BTreeMap::new();
    for key in &own {
        let Some((head, field)) = beginning(key) else { continue };
        let same_head = known.entry((key.entity.table.label.as_str(), head)).or_default();
        let earlier = same_head.iter().find(|(other, behind)| {
            other.entity.name != key.entity.name
                && *behind != field
                && named(other.entity, behind) != named(key.entity, field)
        });
        let earlier = earlier.map(|(other, _)| *other);
        same_head.push((key, field));
        let Some(other) = earlier else { continue };
        let message = format!(
            "`{head}` begins keys of both `{}` and `{}` but is followed by different fields, `{}` and `{}`: the keys never \
             collide, but people who read them confuse them",
            other.entity.name, key.entity.name, other.template, key.template,
        );
        let subjects = vec![Subject::entity(key.entity), Subject::entity(other.entity)];
        let fix = Fix::advice("give one of them a word of its own");
        findings.report(Severity::Info, key.span, subjects, message, Some(fix));
    }
}

/// The constant beginning of a key, if it ends with the separator, and the field after it.
fn beginning<'k>(key: &'k Key<'_>) -> Option<(&'k str, &'k str)> {
    let head = key.template.constant_head();
    let field = key.template.fields().next()?;
    head.ends_with(key.entity.table.separator).then_some((head, field))
}

/// Reports a query whose prefix also matches items of another entity.
fn foreign_items(context: &Context<'_>, findings: &mut Findings) {
    let collections = Collections::of(context.design);
    for pattern in &context.design.patterns {
        let Some(query) = pattern.query() else { continue };
        let on = query.on.as_ref().map(|index| index.name.as_str());
        let Some(entity) = query.entities.first().filter(|_| query.entities.len() == 1) else { continue };
        let Some((partition, sort)) = templates(entity, on) else { continue };
        let asked = query.key.as_ref().and_then(|key| key.sort.first());
        let head = asked.unwrap_or(sort).constant_head();
        let others =
            collections.get(entity, on, partition).iter().filter(|(other, _)| other.name != entity.name);
        let other = others.into_iter().copied().find(|(_, theirs)| {
            begins_longer(head, theirs) && (asked.is_none() || *theirs != sort.constant_head())
        });
        let message = match (other, asked.filter(|asked| ends_early(asked, sort))) {
            (Some((other, theirs)), _) => format!(
                "`{}` reads sort keys that begin with `{head}`, and so do those of `{}` (`{theirs}`): its items appear in the \
                 answer or use up the page",
                pattern.name, other.name,
            ),
            (None, Some(asked)) => format!(
                "`{}` reads sort keys that begin with `{asked}`, without the `{}` that follows: longer words with that \
                 beginning are read as well",
                pattern.name, entity.table.separator,
            ),
            (None, None) => continue,
        };
        let severity = if other.is_some() { Severity::Error } else { Severity::Warning };
        let mut subjects = vec![Subject::pattern(pattern), Subject::entity(entity)];
        subjects.extend(other.map(|(other, _)| Subject::entity(other)));
        let span = context.span(&Subject::pattern(pattern), if asked.is_some() { "key" } else { "query" });
        findings.report(severity, span, subjects, message, Some(fix(context, entity, asked, span, head)));
    }
}

/// The entities of each table and index whose partition keys have the same constant beginning, with the constant
/// beginnings of their sort keys.
struct Collections<'a>(BTreeMap<Collection<'a>, Vec<(&'a Entity, &'a str)>>);

/// The label of the table, the name of the index, and the constant beginning of the partition key.
type Collection<'a> = (&'a str, Option<&'a str>, &'a str);

impl<'a> Collections<'a> {
    fn of(design: &'a Design) -> Self {
        let mut collections = Collections(BTreeMap::new());
        for entity in &design.entities {
            let indexes = entity.indexes.iter().map(|entry| Some(entry.index.name.as_str()));
            for on in std::iter::once(None).chain(indexes) {
                let Some((partition, sort)) = templates(entity, on) else { continue };
                let place = (entity.table.label.as_str(), on, partition.constant_head());
                collections.0.entry(place).or_default().push((entity, sort.constant_head()));
            }
        }
        collections
    }

    fn get(
        &self,
        entity: &'a Entity,
        on: Option<&'a str>,
        partition: &'a Template,
    ) -> &[(&'a Entity, &'a str)] {
        let place = (entity.table.label.as_str(), on, partition.constant_head());
        self.0.get(&place).map_or(&[], Vec::as_slice)
    }
}

/// Whether a prefix is the beginning of a longer one.
pub(super) fn begins_longer(head: &str, theirs: &str) -> bool {
    !head.is_empty() && theirs != head && theirs.starts_with(head)
}

/// Whether the prefix that is asked for ends before the separator that follows in the key.
fn ends_early(asked: &Template, own: &Template) -> bool {
    own.source
        .strip_prefix(asked.source.as_str())
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('{') && !asked.source.is_empty())
}

/// The prefix with its separator.
fn fix(context: &Context<'_>, entity: &Entity, asked: Option<&Template>, within: Span, head: &str) -> Fix {
    let separator = entity.table.separator;
    let about = format!("end the prefix with the separator: `{head}{separator}`");
    let edit = asked.and_then(|asked| {
        let span = find(context, within, &format!("\"{}\"", asked.source))?;
        Some(vec![Edit { span, text: format!("\"{}{separator}\"", asked.source) }])
    });
    Fix::edits_or(about.as_str(), edit, about.as_str())
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
