//! The key conditions of the requests of a pattern, as text.

use crate::model::{AskedKey, BatchGet, Entity, Get, Index, Pattern, Query, SortRange};
use crate::template::{Part, Template};

/// The tests of a key condition, one per key attribute.
#[derive(Debug, Default)]
pub(super) struct KeyTests(Vec<String>);

impl KeyTests {
    pub(super) fn text(&self) -> String {
        self.0.join(" and ")
    }

    fn equal(&mut self, attribute: &str, text: &str) {
        self.0.push(format!("{attribute} = {text}"));
    }
}

/// Returns the whole key of an item in its table.
pub(super) fn of_item(entity: &Entity) -> KeyTests {
    let mut tests = KeyTests::default();
    tests.equal(&entity.table.partition.name, &entity.key.partition.source);
    if let (Some(attribute), Some(template)) = (&entity.table.sort, &entity.key.sort) {
        tests.equal(&attribute.name, &template.source);
    }
    tests
}

/// Returns the whole key of an item for a pattern with `key`.
pub(super) fn of_asked_item(entity: &Entity, asked: &AskedKey) -> KeyTests {
    let mut tests = KeyTests::default();
    for (attribute, template) in entity.table.key().zip(asked.partition.iter().chain(&asked.sort)) {
        tests.equal(&attribute.name, &template.source);
    }
    tests
}

/// Returns the key condition of a list for a pattern with `key`.
fn of_asked(entity: &Entity, index: Option<&Index>, asked: &AskedKey, all_shards: bool) -> KeyTests {
    let (partition, sort) = templates(entity, index);
    let mut tests = KeyTests::default();
    for ((attribute, _), template) in partition.iter().zip(&asked.partition) {
        tests.equal(attribute, &partition_text(template, all_shards));
    }
    for (position, ((attribute, _), template)) in sort.iter().zip(&asked.sort).enumerate() {
        if position + 1 == asked.sort.len() {
            begins_with(&mut tests, attribute, &template.source);
        } else {
            tests.equal(attribute, &template.source);
        }
    }
    tests
}

/// Returns the keys of a batch.
pub(super) fn of_batch(batch: &BatchGet) -> String {
    format!("{} for each of {{{}}}", of_item(&batch.entity).text(), batch.parameter)
}

/// Returns the key condition of a get on an index: as much of its key as the parameters give.
pub(super) fn of_get(get: &Get, index: &Index, pattern: &Pattern) -> KeyTests {
    if let Some(asked) = &get.key {
        return of_asked(&get.entity, Some(index), asked, false);
    }
    let (partition, sort) = templates(&get.entity, Some(index));
    let given = |field: &&str| pattern.parameter(field).is_some();
    let matched: Vec<String> = sort
        .iter()
        .flat_map(|(_, template)| template.fields())
        .take_while(given)
        .map(str::to_owned)
        .collect();
    let mut tests = KeyTests::default();
    for (attribute, template) in &partition {
        let all_shards = !template.fields().all(|field| pattern.parameter(field).is_some());
        tests.equal(attribute, &partition_text(template, all_shards));
    }
    sort_tests(&mut tests, &sort, &matched, None);
    tests
}

/// Returns the key condition of a query, which it sends once per shard.
pub(super) fn of_query(query: &Query) -> KeyTests {
    let mut tests = KeyTests::default();
    let Some((first, others)) = query.entities.split_first() else { return tests };
    if let Some(asked) = &query.key {
        return of_asked(first, query.on.as_deref(), asked, query.shards.is_some());
    }
    let (partition, sort) = templates(first, query.on.as_deref());
    for (attribute, template) in &partition {
        tests.equal(attribute, &partition_text(template, query.shards.is_some()));
    }
    if others.is_empty() {
        sort_tests(&mut tests, &sort, &query.matched, query.range.as_ref());
    } else if let Some((attribute, template)) = sort.first() {
        let heads = others.iter().filter_map(|entity| {
            let (_, sort) = templates(entity, query.on.as_deref());
            sort.first().map(|(_, template)| template.constant_head().to_owned())
        });
        let head = heads.fold(template.constant_head().to_owned(), |head, other| common(&head, &other));
        begins_with(&mut tests, attribute, &head);
    }
    tests
}

type Named<'a> = Vec<(&'a str, &'a Template)>;

/// Returns the key attributes of a read with the entity's templates.
fn templates<'a>(entity: &'a Entity, index: Option<&'a Index>) -> (Named<'a>, Named<'a>) {
    let entry = index.and_then(|index| entity.entry(&index.name));
    match (index, entry) {
        (Some(index), Some(entry)) => {
            let names =
                |attributes: &'a [crate::model::KeyAttribute]| attributes.iter().map(|a| a.name.as_str());
            (
                names(&index.partition).zip(&entry.partition).collect(),
                names(&index.sort).zip(&entry.sort).collect(),
            )
        }
        _ => {
            let table = &entity.table;
            let sort = table.sort.as_ref().zip(entity.key.sort.as_ref());
            (
                vec![(table.partition.name.as_str(), &entity.key.partition)],
                sort.map(|(attribute, template)| (attribute.name.as_str(), template)).into_iter().collect(),
            )
        }
    }
}

fn partition_text(template: &Template, all_shards: bool) -> String {
    let part = |part: &Part| match part {
        Part::Shard { count, .. } if all_shards => format!("(0…{})", count.saturating_sub(1)),
        other => other.to_string(),
    };
    template.parts.iter().map(part).collect()
}

/// Describes the bounds of the sort key as the runner computes them: matched parts, then a range or a prefix.
fn sort_tests(tests: &mut KeyTests, sort: &Named<'_>, matched: &[String], range: Option<&SortRange>) {
    let mut matched = matched.iter().map(String::as_str).peekable();
    for (attribute, template) in sort {
        let mut known = |part: &Part| match part {
            Part::Literal(_) => true,
            Part::Field { path, .. } => matched.next_if_eq(&path.as_str()).is_some(),
            Part::Shard { .. } => false,
        };
        let Some(at) = template.parts.iter().position(|part| !known(part)) else {
            tests.equal(attribute, &template.source);
            continue;
        };
        let head: String = template.parts.iter().take(at).map(ToString::to_string).collect();
        match (range, template.parts.get(at)) {
            (Some(SortRange::Between { field }), Some(Part::Field { path, format })) if field == path => {
                let end = |name: &str| Part::Field { path: name.to_owned(), format: *format };
                let (low, high) = if format.is_descending() { ("to", "from") } else { ("from", "to") };
                tests.0.push(format!("{attribute} between {head}{} and {head}{}", end(low), end(high)));
            }
            (Some(SortRange::Prefix { field }), Some(part @ Part::Field { path, .. })) if field == path => {
                begins_with(tests, attribute, &format!("{head}{part}"));
            }
            _ => begins_with(tests, attribute, &head),
        }
        return;
    }
}

fn begins_with(tests: &mut KeyTests, attribute: &str, head: &str) {
    if !head.is_empty() {
        tests.0.push(format!("begins_with({attribute}, {head})"));
    }
}

/// Returns the common prefix of two texts.
fn common(one: &str, other: &str) -> String {
    one.chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .map(|(character, _)| character)
        .collect()
}
