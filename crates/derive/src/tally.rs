//! Tallies, from which derived fields are made: the number and the sum of the items that belong to an item.
//!
//! An item keeps its tallies in one attribute, [`TALLIES`], beside the fields that callers see. A field such as an
//! average can't be kept correct from its value alone, and a program that overwrites a visible field can't harm them.

use std::collections::BTreeMap;

use singlet_design::{Aggregate, AggregateKind, Field, default_of};
use singlet_values::{AttributeValue, Item, Number, NumberError};

use crate::mean::mean;

/// The attribute with the tallies of an item.
pub(crate) const TALLIES: &str = "_derived";
/// The member of the attribute that tells which batch wrote it. No field has this name.
const BATCH: &str = "#";
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
    fields: BTreeMap<String, (u64, Tally)>,
}

impl Tallies {
    /// Reads the tallies of an item. `None` if it has none, or if something else wrote the attribute: it isn't in the right
    /// form, or names a batch that comes after the present one.
    pub(crate) fn of(item: &Item, batch_now: u64) -> Option<Tallies> {
        let AttributeValue::M(members) = item.get(TALLIES)? else { return None };
        let batch = whole(members.get(BATCH)?).filter(|batch| *batch <= batch_now)?;
        let fields = members.iter().filter(|(name, _)| *name != BATCH);
        let fields = fields.filter_map(|(name, value)| Some((name.to_owned(), stored(value)?))).collect();
        Some(Tallies { batch, fields })
    }

    /// Returns the tally of a field, if it belongs to this generation of its rule. Others are void.
    pub(crate) fn get(&self, field: &str, generation: u64) -> Tally {
        let found = self.fields.get(field).filter(|(own, _)| *own == generation);
        found.map(|(_, tally)| tally.clone()).unwrap_or_default()
    }

    pub(crate) fn set(&mut self, field: &str, generation: u64, tally: Tally) {
        self.fields.insert(field.to_owned(), (generation, tally));
    }

    /// Whether no tally has anything in it.
    pub(crate) fn is_zero(&self) -> bool {
        self.fields.values().all(|(_, tally)| tally.is_zero())
    }

    /// The same for one batch, as the attribute's value.
    pub(crate) fn to_value(&self, batch: u64) -> AttributeValue {
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
        AttributeValue::M(members)
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
