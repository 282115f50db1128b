//! How many values a partition key takes at one time.

use singlet_design::{Entity, FieldType, Part, Template};

/// How many partition keys share the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distinct {
    /// So many and no more: constants, choices, flags, shards.
    Exactly(u64),
    /// As many as there are values of a field without a declared set.
    Many,
}

impl Distinct {
    /// The share of the traffic that falls on one key, if all are equally busy; nothing that can be counted falls on
    /// one of many.
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

/// How a partition template spreads its items: over the values of its fields, and each of those over shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// The values of its fields.
    pub values: Distinct,
    /// The shards of each value.
    pub shards: u64,
}

impl Spread {
    /// How the templates of a partition spread items at one moment. A time that is cut off counts as one: now. A
    /// shard that is chosen by one of the key's own fields moves nothing: all items with that value have one number.
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

    /// How many keys there are.
    pub fn keys(self) -> Distinct {
        self.values.and(Distinct::Exactly(self.shards))
    }

    /// The share of the traffic that falls on the busiest key: the even share of its value, or what a pattern says of
    /// it if that is more, spread over its shards.
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand shards in a template")]
    pub fn busiest_share(self, said: Option<f64>) -> Option<f64> {
        let share = match (self.values.share(), said) {
            (Some(even), Some(said)) => even.max(said),
            (even, said) => even.or(said)?,
        };
        Some(share / self.shards.max(1) as f64)
    }
}

/// Keys that an unknown spread is assumed over.
pub const ASSUMED_KEYS: u32 = 10_000;

/// The share of the busiest of many keys where nothing says how calls are spread: by Zipf's law, over ten thousand keys,
/// one divided by the harmonic number of their count.
pub fn assumed_share() -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    1.0 / (f64::from(ASSUMED_KEYS).ln() + EULER)
}

/// How many keys the templates of a partition make at one moment.
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
