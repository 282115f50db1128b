//! The rules of a design: which items count for which fields of which items.

use std::sync::Arc;

use singlet_design::{Aggregate, AggregateSource, Design, Entity};
use singlet_run::derive::{key_of, value_at};
use singlet_run::holds_for;
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::error::DeriveError;
use crate::tally::Tally;

/// A derived field.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// The entity that has the field.
    pub(crate) target: Arc<Entity>,
    /// Its rule in the design.
    pub(crate) aggregate: Aggregate,
}

impl Rule {
    /// Returns the name in messages and in stored progress: `Post.likeCount`.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.target.name, self.aggregate.field)
    }

    /// Returns what it is derived from, in words: `count of Like`.
    pub(crate) fn meaning(&self) -> String {
        let sources = self.aggregate.sources.iter().map(|source| {
            let value = source.value.as_ref().map(|value| format!(".{value}")).unwrap_or_default();
            let filter = source.filter.as_ref().map(|filter| format!(" where {}", filter.source));
            format!("{}{value}{}", source.entity, filter.unwrap_or_default())
        });
        format!("{} of {}", self.aggregate.kind.word(), sources.collect::<Vec<_>>().join(" and "))
    }

    /// Returns a text that changes when stored tallies no longer fit the rule.
    pub(crate) fn fingerprint(&self) -> String {
        let Aggregate { kind, sources, .. } = &self.aggregate;
        let mut text = format!("{kind:?}");
        for AggregateSource { entity, link, value, filter } in sources {
            let filter = filter.as_ref().map(|filter| filter.source.as_str()).unwrap_or_default();
            text += &format!(" | {entity} {link:?} {value:?} {filter}");
        }
        text
    }
}

/// What an item contributes to a derived field of another item.
#[derive(Debug, Clone)]
pub(crate) struct Contribution {
    /// The place of the rule among the design's rules.
    pub(crate) rule: usize,
    /// The table's key of the other item.
    pub(crate) key: Item,
    /// The contribution.
    pub(crate) tally: Tally,
}

/// An entity that takes part in derivations.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) entity: Arc<Entity>,
    /// The rules for which its items count, each with the place of the source in the rule.
    feeds: Vec<(usize, usize)>,
    /// The rules of its own fields.
    pub(crate) own: Vec<usize>,
}

/// The rules of a design.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) list: Vec<Rule>,
    pub(crate) members: Vec<Member>,
}

impl Rules {
    pub(crate) fn of(design: &Design) -> Self {
        let rules = design.entities.iter().flat_map(|entity| {
            entity.aggregates.iter().map(|rule| Rule { target: entity.clone(), aggregate: rule.clone() })
        });
        let list: Vec<Rule> = rules.collect();
        let taking_part = design.entities.iter().filter(|entity| design.takes_part_in_derivations(entity));
        let members = taking_part.map(|entity| Member::of(entity, &list)).collect();
        Rules { list, members }
    }

    /// Returns the member that an item of a table is an item of. The table has its name from the design.
    pub(crate) fn member(&self, table: &str, item: &EncodedItem) -> Option<&Member> {
        self.members.iter().find(|member| {
            let entity = &member.entity;
            let has_type = || match item.view().get(&entity.table.type_attribute)?.to_value().ok()? {
                AttributeValue::S(name) => Some(name == entity.type_name),
                _ => None,
            };
            entity.table.label == table && has_type() == Some(true)
        })
    }

    /// Checks that each name is that of a rule.
    pub(crate) fn check_names(&self, names: &[String]) -> Result<(), DeriveError> {
        let known: Vec<String> = self.list.iter().map(Rule::name).collect();
        match names.iter().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let nearest =
                    singlet_design::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                Err(DeriveError::NoRule { name: name.clone(), nearest })
            }
        }
    }

    /// Returns the labels of the tables with items that count.
    pub(crate) fn tables(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = Vec::new();
        for member in &self.members {
            let label = member.entity.table.label.as_str();
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
    }

    /// Returns what an item contributes. An item without the fields that name another item contributes nothing.
    pub(crate) fn contributions(&self, member: &Member, item: &Item) -> Vec<Contribution> {
        let each = member.feeds.iter().filter_map(|(at, source)| {
            let rule = self.list.get(*at)?;
            let source = rule.aggregate.sources.get(*source)?;
            let (key, tally) = contribution(rule, source, &member.entity, item)?;
            Some(Contribution { rule: *at, key, tally })
        });
        each.collect()
    }
}

impl Member {
    fn of(entity: &Arc<Entity>, rules: &[Rule]) -> Self {
        let mut feeds = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            let sources = rule.aggregate.sources.iter().enumerate();
            feeds.extend(
                sources.filter(|(_, source)| source.entity == entity.name).map(|(place, _)| (at, place)),
            );
        }
        let own = rules.iter().enumerate().filter(|(_, rule)| rule.target.name == entity.name);
        Member { entity: entity.clone(), feeds, own: own.map(|(at, _)| at).collect() }
    }
}

fn contribution(
    rule: &Rule,
    source: &AggregateSource,
    entity: &Entity,
    item: &Item,
) -> Option<(Item, Tally)> {
    if source.filter.as_ref().is_some_and(|filter| !holds_for(entity, filter, item)) {
        return None;
    }
    let mut fields = Item::with_capacity(source.link.len());
    for (own, theirs) in &source.link {
        fields.insert(own.as_str(), value_at(item, theirs)?.clone());
    }
    let tally = match &source.value {
        None => Tally::one(None),
        Some(path) => match value_at(item, path)? {
            AttributeValue::N(number) => Tally::one(Some(*number)),
            _ => return None,
        },
    };
    // Values that can't stand in a key name no item.
    Some((key_of(&rule.target, &fields).ok()?, tally))
}
