//! Fields with the highest, the lowest or the latest value among the items that belong to an item.
//!
//! Such a value can't be kept from its changes alone: when the highest one goes, only the data knows the next. So a
//! change that can matter makes the worker look, through a key that has the items in order. The answer is at least as
//! new as the position that the same transaction writes, and whatever changes later is looked at again.

use std::cmp::Ordering;
use std::sync::Arc;

use singlet_design::{Entity, Extreme, ExtremeKind, ExtremeSource};
use singlet_run::derive::{key_of, value_at, with_defaults};
use singlet_run::holds_for;
use singlet_store::Query;
use singlet_values::{AttributeValue, Item};

use crate::referring::referring;

/// A rule that keeps such a value.
#[derive(Debug, Clone)]
pub(crate) struct Seeker {
    /// The entity that has the field.
    pub(crate) target: Arc<Entity>,
    pub(crate) rule: Extreme,
    /// The entities whose values are compared, in the order of the rule's sources.
    pub(crate) sources: Vec<Arc<Entity>>,
}

/// The part of an item that decides about a value of another one: equal standings decide alike.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Standing {
    /// The key of the item that it belongs to.
    pub(crate) target: Item,
    value: Option<AttributeValue>,
    /// The attributes that order it among others.
    place: Item,
}

impl Seeker {
    /// Returns the standing of an item. `None` if it isn't a candidate.
    pub(crate) fn standing(&self, entity: &Entity, item: &Item) -> Option<Standing> {
        let source = self.rule.sources.iter().find(|source| source.entity == entity.name)?;
        let seen = with_defaults(entity, item);
        if !fits(source, entity, &seen) {
            return None;
        }
        let link = source.referral.link.iter();
        let fields: Option<Item> =
            link.map(|(own, theirs)| Some((own.as_str(), value_at(&seen, theirs)?.clone()))).collect();
        // Values that can't stand in a key name no item.
        let target = key_of(&self.target, &fields?).ok()?;
        let index = source.referral.index.as_ref().and_then(|index| entity.entry(index));
        let index = index.into_iter().flat_map(|entry| entry.templates().map(|(name, _)| name));
        let names = entity.table.key().map(|key| key.name.as_str()).chain(index);
        let place = names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect();
        Some(Standing { target, value: value_at(&seen, &source.value).cloned(), place })
    }

    /// Returns the query for the candidates of one source, the one that is looked for first. `None` if no item can belong
    /// to the target.
    pub(crate) fn query(&self, source: &ExtremeSource, item: &Item, environment: &str) -> Option<Query> {
        let entity = self.sources.iter().find(|entity| entity.name == source.entity)?;
        let link = source.referral.link.iter();
        let identity: Option<Item> =
            link.map(|(own, _)| Some((own.as_str(), value_at(item, own)?.clone()))).collect();
        let query = referring(entity, &source.referral, &identity?, environment)?;
        Some(Query { forward: source.is_first, ..query })
    }

    /// Returns the value of a candidate for a target; `None` if it isn't one. The value itself can be missing.
    pub(crate) fn candidate(
        &self,
        source: &ExtremeSource,
        target: &Item,
        item: &Item,
    ) -> Option<Option<AttributeValue>> {
        let entity = self.sources.iter().find(|entity| entity.name == source.entity)?;
        let type_name = AttributeValue::from(entity.type_name.as_str());
        if item.get(&entity.table.type_attribute) != Some(&type_name) {
            return None;
        }
        let seen = with_defaults(entity, item);
        let link = source.referral.link.iter();
        let fields: Option<Item> =
            link.map(|(own, theirs)| Some((own.as_str(), value_at(&seen, theirs)?.clone()))).collect();
        let belongs = key_of(&self.target, &fields?).ok() == key_of(&self.target, target).ok();
        let value = value_at(&seen, &source.value).cloned();
        let has_value = value.is_some() || self.rule.kind == ExtremeKind::Latest;
        (belongs && has_value && fits(source, entity, &seen)).then_some(value)
    }

    /// Returns the better one of two values from different entities.
    pub(crate) fn better(&self, one: AttributeValue, other: AttributeValue) -> AttributeValue {
        let order = match (&one, &other) {
            (AttributeValue::N(one), AttributeValue::N(other)) => one.cmp(other),
            (AttributeValue::S(one), AttributeValue::S(other)) => one.cmp(other),
            _ => Ordering::Equal,
        };
        let takes_other = match self.rule.kind {
            ExtremeKind::Lowest => order == Ordering::Greater,
            ExtremeKind::Highest | ExtremeKind::Latest => order == Ordering::Less,
        };
        if takes_other { other } else { one }
    }

    /// Returns the rule in words: `highest Bid.amount`.
    pub(crate) fn meaning(&self) -> String {
        let sources = self.rule.sources.iter().map(|source| {
            let filter = source.filter.as_ref().map(|filter| format!(" where {}", filter.source));
            format!("{}.{}{}", source.entity, source.value, filter.unwrap_or_default())
        });
        format!("{} {}", self.rule.kind.word(), sources.collect::<Vec<_>>().join(" or "))
    }

    /// Returns a text that changes when stored values no longer fit the rule.
    pub(crate) fn definition(&self) -> String {
        let mut text = self.rule.kind.word().to_owned();
        for ExtremeSource { entity, value, order, referral, is_first, filter } in &self.rule.sources {
            let filter = filter.as_ref().map(|filter| filter.source.as_str()).unwrap_or_default();
            text += &format!(" | {entity}.{value} by {order} {:?} {is_first} {filter}", referral.link);
        }
        text
    }
}

/// Whether an item, with its defaults, passes the filter of a rule.
fn fits(source: &ExtremeSource, entity: &Entity, seen: &Item) -> bool {
    source.filter.as_ref().is_none_or(|filter| holds_for(entity, filter, seen))
}
