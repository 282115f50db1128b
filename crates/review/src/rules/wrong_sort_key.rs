//! `wrong-sort-key`: a list in an order that the sort key doesn't have.

use singlet_design::{Entity, FieldType, Made, Operation, OrderWord, Part, Query, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::reads::{Read, read};

pub(super) static RULE: Rule = Rule {
    id: "wrong-sort-key",
    summary: "a list in an order that the sort key doesn't have",
    page: include_str!("wrong_sort_key.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let Operation::Query(query) = &pattern.operation else { continue };
        let Some((word, read)) = query.order_word.zip(read(pattern)) else { continue };
        let entity = read.entity;
        let mut given = read.given();
        given.retain(|field| !is_cut(&read, field));
        let mut free = free_parts(query, &given, read.own_sort());
        let wanted = if word.is_of_time() { "time" } else { "number" };
        let sorted = match free.next() {
            Some(cut @ Part::Field { path, format, .. }) if format.cuts_time() => match free.next() {
                Some(Part::Field { path, .. }) if has_order(context, entity, path, word) => continue,
                _ => format!("`{cut}` sorts them only by a part of `{path}`"),
            },
            Some(Part::Field { path, .. }) if has_order(context, entity, path, word) => continue,
            Some(Part::Field { path, .. }) => format!("they are sorted by `{path}`, which isn't a {wanted}"),
            // A constant sort key has no order: there is at most one item.
            _ if read.own_sort().is_empty() => format!("there is no sort key in {}", read.table_or_index()),
            _ => continue,
        };
        let sources: Vec<&str> = read.own_sort().iter().map(|template| template.source.as_str()).collect();
        let key = if sources.is_empty() { String::new() } else { format!(" under `{}`", sources.join(" ")) };
        let message = format!(
            "`{}` asks for the {} `{}` items first, but{key} {sorted}: a query returns items only in the order of the sort \
             key",
            pattern.name,
            word.word(),
            entity.name,
        );
        let fix = fix(entity, word);
        let subjects = vec![Subject::pattern(pattern), Subject::entity(entity)];
        let span = context.span(&Subject::pattern(pattern), "order");
        findings.report(Severity::Error, span, subjects, message, Some(fix));
    }
}

/// Whether the partition key has only the period of a time, such as its day. The times within it are still open.
fn is_cut(read: &Read<'_>, field: &str) -> bool {
    let mut parts = read.partition().iter().flat_map(|template| &template.parts);
    parts.any(|part| matches!(part, Part::Field { path, format, .. } if path == field && format.cuts_time()))
}

/// The parts of the sort key that the caller doesn't give. The items are sorted by the first of them, then by the next.
fn free_parts<'a>(
    query: &Query,
    given: &[&str],
    sort: &'a [singlet_design::Template],
) -> impl Iterator<Item = &'a Part> {
    let parts = sort.iter().flat_map(|template| &template.parts);
    parts.filter(|part| match part {
        Part::Field { path, .. } => {
            !given.contains(&path.as_str()) && !query.matched.iter().any(|matched| matched == path)
        }
        _ => false,
    })
}

/// Whether a field has the order of the word. Whole numbers count as times, because versions and sequences increase.
fn has_order(context: &Context<'_>, entity: &Entity, path: &str, word: OrderWord) -> bool {
    let Some(kind) = entity.field_at(path) else { return true };
    let number = matches!(kind, FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch);
    if !word.is_of_time() {
        return number;
    }
    match kind {
        FieldType::Time | FieldType::Date | FieldType::Epoch | FieldType::Int { .. } => true,
        FieldType::Id => made_in_order(context, entity, path),
        _ => false,
    }
}

/// Whether Singlet makes the id, here or in the entity that it names, so that it sorts by time.
fn made_in_order(context: &Context<'_>, entity: &Entity, path: &str) -> bool {
    let in_order = |made: Option<Made>| matches!(made, Some(Made::Uuid7 | Made::Ulid));
    let Some(field) = entity.field(path) else { return false };
    let named = field.refers_to.as_ref().and_then(|name| context.directory.entity(name));
    let named = named.is_some_and(|named| {
        let key = std::iter::once(&named.key.partition).chain(&named.key.sort);
        let mut fields = key.flat_map(|template| template.fields()).filter_map(|name| named.field(name));
        fields.any(|field| in_order(field.made))
    });
    in_order(field.made) || named
}

fn fix(entity: &Entity, word: OrderWord) -> Fix {
    let candidate = entity.fields.iter().find(|field| match field.kind {
        FieldType::Time | FieldType::Epoch | FieldType::Date => word.is_of_time(),
        FieldType::Int { .. } | FieldType::Number { .. } => !word.is_of_time(),
        _ => false,
    });
    Fix::advice(match candidate {
        Some(field) if word.is_of_time() => format!("continue the sort key with `{{{}}}`", field.name),
        Some(field) => {
            format!("continue the sort key with `{{{}:010}}`, which has a fixed width", field.name)
        }
        None => format!("add a field to `{}` to sort by", entity.name),
    })
}

#[cfg(test)]
mod tests {
    use singlet_design::load;

    use super::RULE;
    use crate::review;

    fn messages(sort: &str) -> Vec<String> {
        let source = format!(
            r#"
design = "visits"
[table]
key = ["PK", "SK"]
[entity.Visit]
key = ["PATIENT#{{patient}}", "{sort}"]
fields = {{ patient = "key", number = "key", at = "time" }}
[pattern.newest]
query = "Visit"
order = "newest"
"#
        );
        let design = load("visits.toml", &source).unwrap_or_else(|report| panic!("{report}"));
        let findings = review(&design, &source).findings.into_iter();
        findings.filter(|finding| finding.rule == RULE.id).map(|finding| finding.message).collect()
    }

    #[test]
    fn a_week_alone_is_not_an_order_of_times() {
        let found = messages("{at:week}#{number}");
        assert!(
            matches!(found.as_slice(), [one] if one.contains("`{at:week}` sorts them only by a part of `at`")),
            "{found:?}"
        );
        assert_eq!(messages("{at:week}#{at}#{number}"), [""; 0]);
        assert_eq!(messages("{at}#{number}"), [""; 0]);
    }
}
