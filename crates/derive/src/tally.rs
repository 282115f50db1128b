//! Tallies, from which derived fields are made: the number and the sum of the items that belong to an item.
//!
//! An item keeps its tallies in one attribute, [`TALLIES`], beside the fields that callers see. A field such as an
//! average can't be kept correct from its value alone, and a program that overwrites a visible field can't harm them.

use std::collections::BTreeMap;

use singlet_design::{Aggregate, AggregateKind, Field, default_of};
use singlet_values::{AttributeValue, Item, Number, NumberError};

use crate::mean::mean;

pub(crate) use singlet_design::SUMS_ATTRIBUTE as TALLIES;

/// Members of the attribute that aren't fields, and whose names no field has: the batch that wrote it, the batch that
/// wrote it before, and the mark of the item that it belongs to.
const BATCH: &str = "#";
const PREVIOUS: &str = "<";
const MARK: &str = "@";
const GENERATION: &str = "g";
const COUNT: &str = "n";
const SUM: &str = "s";

/// How many items belong to an item, and the sum of one of their fields.
///
/// Both can be negative for a moment: a difference is a tally as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: Number,
    pub(crate) sum: Number,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { count: Number::ZERO, sum: Number::ZERO }
    }
}

impl Tally {
    /// The tally of one item, whose summarised field has a value.
    pub(crate) fn one(value: Option<Number>) -> Self {
        Tally { count: Number::from(1), sum: value.unwrap_or(Number::ZERO) }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.count.is_zero() && self.sum.is_zero()
    }

    pub(crate) fn plus(&self, other: &Tally) -> Result<Tally, NumberError> {
        Ok(Tally { count: self.count.checked_add(&other.count)?, sum: self.sum.checked_add(&other.sum)? })
    }

    pub(crate) fn negated(&self) -> Tally {
        Tally { count: self.count.negated(), sum: self.sum.negated() }
    }

    /// Returns the value of a field; `None` if the field has none.
    pub(crate) fn value(&self, field: &Field, rule: &Aggregate) -> Option<AttributeValue> {
        let nobody = self.count.is_zero() || self.count.is_negative();
        match rule.kind {
            AggregateKind::Count => Some(AttributeValue::N(if nobody { Number::ZERO } else { self.count })),
            AggregateKind::Sum => Some(AttributeValue::N(self.sum)),
            AggregateKind::Exists => Some(AttributeValue::Bool(!nobody)),
            AggregateKind::Average { decimals } => {
                let count = self.count.to_i64().and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
                mean(&self.sum, count, decimals).map(AttributeValue::N).or_else(|| default_of(field))
            }
        }
    }
}

/// The tallies of an item, each under the name of its field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tallies {
    /// The batch that wrote them. Later batches have larger numbers.
    pub(crate) batch: u64,
    /// The batch that wrote the ones before; 0 if there were none.
    pub(crate) previous: u64,
    fields: BTreeMap<String, (u64, Tally)>,
}

impl Tallies {
    /// Reads the tallies of an item. `None` if it has none, or if they belong to another item: a program copied them.
    pub(crate) fn of(item: &Item, mark: &str) -> Option<Tallies> {
        let AttributeValue::M(members) = item.get(TALLIES)? else { return None };
        let is_marked = members.get(MARK) == Some(&AttributeValue::from(mark));
        is_marked.then(|| Tallies::read(members)).flatten()
    }

    /// Reads tallies that wait for their item.
    pub(crate) fn kept(item: &Item) -> Option<Tallies> {
        let AttributeValue::M(members) = item.get(TALLIES)? else { return None };
        Tallies::read(members)
    }

    fn read(members: &Item) -> Option<Tallies> {
        let batch = whole(members.get(BATCH)?)?;
        let previous = members.get(PREVIOUS).and_then(whole).unwrap_or_default();
        let fields = members.iter().filter(|(name, _)| ![BATCH, PREVIOUS, MARK].contains(name));
        let fields = fields.filter_map(|(name, value)| Some((name.to_owned(), stored(value)?))).collect();
        Some(Tallies { batch, previous, fields })
    }

    /// Whether one of the tallies belongs to this generation of its rule.
    pub(crate) fn has(&self, field: &str, generation: u64) -> bool {
        self.fields.get(field).is_some_and(|(own, _)| *own == generation)
    }

    /// Returns the tally of a field, if it belongs to this generation of its rule. Others are void.
    pub(crate) fn get(&self, field: &str, generation: u64) -> Tally {
        let found = self.fields.get(field).filter(|(own, _)| *own == generation);
        found.map(|(_, tally)| tally.clone()).unwrap_or_default()
    }

    pub(crate) fn set(&mut self, field: &str, generation: u64, tally: Tally) {
        self.fields.insert(field.to_owned(), (generation, tally));
    }

    /// Whether an item counts for one of the fields.
    pub(crate) fn has_items(&self) -> bool {
        self.fields.values().any(|(_, tally)| !tally.count.is_zero() && !tally.count.is_negative())
    }

    /// Whether no tally has anything in it.
    pub(crate) fn is_zero(&self) -> bool {
        self.fields.values().all(|(_, tally)| tally.is_zero())
    }

    /// Returns the attribute's value for an item, as a batch writes it after another one.
    pub(crate) fn to_value(&self, batch: u64, previous: u64, mark: &str) -> AttributeValue {
        let mut members = self.members(batch);
        members.insert(PREVIOUS, previous);
        members.insert(MARK, mark);
        AttributeValue::M(members)
    }

    /// Returns the attribute's value for tallies that wait.
    pub(crate) fn to_kept(&self, batch: u64) -> AttributeValue {
        AttributeValue::M(self.members(batch))
    }

    fn members(&self, batch: u64) -> Item {
        let mut members = Item::new();
        members.insert(BATCH, batch);
        for (name, (generation, tally)) in &self.fields {
            let mut member = Item::new();
            member.insert(GENERATION, *generation);
            member.insert(COUNT, tally.count);
            if !tally.sum.is_zero() {
                member.insert(SUM, tally.sum);
            }
            members.insert(name.as_str(), member);
        }
        members
    }
}

fn stored(value: &AttributeValue) -> Option<(u64, Tally)> {
    let AttributeValue::M(member) = value else { return None };
    let number = |name: &str| match member.get(name) {
        Some(AttributeValue::N(number)) => Some(*number),
        _ => None,
    };
    let tally = Tally { count: number(COUNT)?, sum: number(SUM).unwrap_or(Number::ZERO) };
    Some((whole(member.get(GENERATION)?)?, tally))
}

/// Returns a number that is a whole one and not negative.
pub(crate) fn whole(value: &AttributeValue) -> Option<u64> {
    match value {
        AttributeValue::N(number) => number.to_i64()?.try_into().ok(),
        _ => None,
    }
}
