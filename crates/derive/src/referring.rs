//! Queries for the items that refer to an item.

use std::collections::BTreeMap;

use singlet_design::{Entity, Part, Referral, Template};
use singlet_expr::{KeyCondition, KeyTerm, KeyTest};
use singlet_store::Query;
use singlet_values::{AttributeValue, Item};

/// Returns the query for the items of an entity that refer to an item with these fields in its key. It can find others
/// as well. `None` if no item can refer to it.
pub(crate) fn referring(
    entity: &Entity,
    referral: &Referral,
    identity: &Item,
    environment: &str,
) -> Option<Query> {
    let link = referral.link.iter();
    let values: Option<BTreeMap<String, AttributeValue>> =
        link.map(|(own, theirs)| Some((theirs.clone(), identity.get(own)?.clone()))).collect();
    let values = values?;
    let separator = entity.table.separator;
    let (partition, sort) = match &referral.index {
        None => {
            let table = &entity.table;
            let partition = vec![(table.partition.name.as_str(), &entity.key.partition)];
            let sort = table.sort.iter().map(|sort| sort.name.as_str()).zip(&entity.key.sort).next();
            (partition, sort)
        }
        Some(index) => {
            let entry = entity.entry(index)?;
            let templates: Vec<(&str, &Template)> = entry.templates().collect();
            let (partition, sort) = templates.split_at_checked(entry.partition.len())?;
            (partition.to_vec(), sort.first().copied())
        }
    };
    let mut terms = Vec::new();
    for (attribute, template) in partition {
        let value = template.render(separator, &values).ok().flatten()?;
        terms.push(KeyTerm { attribute: attribute.to_owned(), test: KeyTest::Equal(value) });
    }
    if let Some((attribute, template)) = sort {
        let test = beginning(template, separator, &values)?;
        terms.extend(test.map(|test| KeyTerm { attribute: attribute.to_owned(), test }));
    }
    Some(Query {
        table: entity.table.name_in(environment),
        index: referral.index.clone(),
        key: KeyCondition::from_terms(terms),
        filter: None,
        projection: None,
        limit: None,
        forward: true,
        consistent: referral.index.is_none(),
        start_key: None,
    })
}

/// Returns the test of a sort key by the values that are known; `Some(None)` if there is nothing to test. `None` if a value
/// can't stand in the key.
fn beginning(
    template: &Template,
    separator: char,
    values: &BTreeMap<String, AttributeValue>,
) -> Option<Option<KeyTest>> {
    let is_known = |part: &&Part| match part {
        Part::Literal(_) => true,
        Part::Field { path, .. } => values.contains_key(path),
        Part::Shard { .. } => false,
    };
    let known = template.parts.iter().take_while(is_known).count();
    if known == template.parts.len() {
        return template.render(separator, values).ok()?.map(|value| Some(KeyTest::Equal(value)));
    }
    let text = template.render_until(separator, values, known).ok()??;
    Some((!text.is_empty()).then(|| KeyTest::BeginsWith(AttributeValue::from(text))))
}
