//! How many values a partition key takes at one time.

use crate::model::{Entity, FieldType};
use crate::template::{Part, Template};

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

/// How many keys the templates of a partition make at one moment. A time that is cut off counts as one: now.
pub fn distinct_keys<'a>(entity: &Entity, templates: impl IntoIterator<Item = &'a Template>) -> Distinct {
    let parts = templates.into_iter().flat_map(|template| &template.parts);
    parts.fold(Distinct::Exactly(1), |known, part| known.and(distinct_values(entity, part)))
}

fn distinct_values(entity: &Entity, part: &Part) -> Distinct {
    match part {
        Part::Literal(_) => Distinct::Exactly(1),
        Part::Shard { count, .. } => Distinct::Exactly(u64::from(*count)),
        Part::Field { format, .. } if format.cuts_time() => Distinct::Exactly(1),
        Part::Field { path, .. } => match entity.field_at(path) {
            Some(FieldType::Choice(choices)) => Distinct::Exactly(choices.len() as u64),
            Some(FieldType::Bool) => Distinct::Exactly(2),
            Some(FieldType::Date) => Distinct::Exactly(1),
            _ => Distinct::Many,
        },
    }
}
