//! The number of values of a partition key at one time.

use singlet_design::{Entity, FieldType, Part, Template};

/// The number of partition keys that share the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distinct {
    /// A known number: constants, choices, flags, shards.
    Exactly(u64),
    /// Unknown: the values of a field without a declared set.
    Many,
}

impl Distinct {
    /// The share of the traffic on one key if all are equally busy; `None` if their number isn't known.
    #[expect(clippy::cast_precision_loss, reason = "a count of declared values")]
    pub fn share(self) -> Option<f64> {
        match self {
            Distinct::Exactly(count) => Some(1.0 / count.max(1) as f64),
            Distinct::Many => None,
        }
    }

    fn and(self, other: Distinct) -> Distinct {
        match (self, other) {
            (Distinct::Exactly(one), Distinct::Exactly(two)) => Distinct::Exactly(one.saturating_mul(two)),
            _ => Distinct::Many,
        }
    }
}

/// How a partition template spreads its items: over the values of its fields, and over the shards of each value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// The number of values of its fields.
    pub values: Distinct,
    /// The number of shards of each value.
    pub shards: u64,
}

impl Spread {
    /// How the templates of a partition spread items at one moment. A time that is cut to a day or an hour has one
    /// value at a moment. A shard that is chosen by one of the key's own fields spreads nothing, because all items
    /// with that value are in one shard.
    pub fn of<'a>(
        entity: &Entity,
        templates: impl IntoIterator<Item = &'a Template, IntoIter: Clone>,
    ) -> Spread {
        let parts = templates.into_iter().flat_map(|template| &template.parts);
        let own = |path: &str| {
            parts.clone().any(|part| matches!(part, Part::Field { path: field, .. } if field == path))
        };
        let mut spread = Spread { values: Distinct::Exactly(1), shards: 1 };
        for part in parts.clone() {
            match part {
                Part::Shard { path, count } if !own(path) => {
                    spread.shards = spread.shards.saturating_mul(u64::from(*count));
                }
                other => spread.values = spread.values.and(distinct_values(entity, other)),
            }
        }
        spread
    }

    /// The number of keys.
    pub fn keys(self) -> Distinct {
        self.values.and(Distinct::Exactly(self.shards))
    }

    /// The share of the traffic on the busiest key: the even share of its value, or the declared share if that is
    /// larger, divided by its shards.
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand shards in a template")]
    pub fn busiest_share(self, declared: Option<f64>) -> Option<f64> {
        let share = match (self.values.share(), declared) {
            (Some(even), Some(declared)) => even.max(declared),
            (even, declared) => even.or(declared)?,
        };
        Some(share / self.shards.max(1) as f64)
    }
}

/// The number of keys that is assumed where calls are spread in an unknown way.
pub const ASSUMED_KEYS: u32 = 10_000;

/// The share of the busiest key where nothing declares how calls are spread. By Zipf's law it is one divided by the
/// harmonic number of [`ASSUMED_KEYS`].
pub fn assumed_share() -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    1.0 / (f64::from(ASSUMED_KEYS).ln() + EULER)
}

/// The number of keys that the templates of a partition make at one moment.
pub fn distinct_keys<'a>(
    entity: &Entity,
    templates: impl IntoIterator<Item = &'a Template, IntoIter: Clone>,
) -> Distinct {
    Spread::of(entity, templates).keys()
}

fn distinct_values(entity: &Entity, part: &Part) -> Distinct {
    match part {
        Part::Literal(_) | Part::Shard { .. } => Distinct::Exactly(1),
        Part::Field { format, .. } if format.cuts_time() => Distinct::Exactly(1),
        Part::Field { path, .. } => match entity.field_at(path) {
            Some(FieldType::Choice(choices)) => Distinct::Exactly(choices.len() as u64),
            Some(FieldType::Bool) => Distinct::Exactly(2),
            Some(FieldType::Date) => Distinct::Exactly(1),
            _ => Distinct::Many,
        },
    }
}
