//! The shapes that a design's tables have in an environment.

use crate::model::{Environment, Index, KeyAttribute, Projection, Removal, Table};
use crate::store::{IndexShape, TableShape};

/// What a table of a design must look like in an environment.
pub fn shape_in(table: &Table, environment: &Environment) -> TableShape {
    TableShape {
        name: table.name_in(&environment.name),
        partition: table.partition.clone(),
        sort: table.sort.clone(),
        indexes: table.indexes.iter().map(|index| index_shape(index)).collect(),
        protected: environment.removal == Removal::Keep,
        ttl: table.ttl.clone(),
        stream: table.stream,
        recovery_days: table.recovery_days,
        backup: table.backup,
    }
}

fn index_shape(index: &Index) -> IndexShape {
    IndexShape {
        name: index.name.clone(),
        partition: index.partition.clone(),
        sort: index.sort.clone(),
        projection: index.projection.clone(),
        local: index.local,
    }
}

impl IndexShape {
    /// Whether some part of its key has several attributes.
    pub fn is_multi_attribute(&self) -> bool {
        self.partition.len() > 1 || self.sort.len() > 1
    }

    /// Whether another index has the same key and carries the same; the order of included attributes means nothing.
    pub fn matches(&self, other: &IndexShape) -> bool {
        self.partition == other.partition
            && self.sort == other.sort
            && self.local == other.local
            && sorted(&self.projection) == sorted(&other.projection)
    }

    /// Its key and what it carries, for people: `key GSI1PK, GSI1SK; carries only keys`.
    pub fn in_words(&self) -> String {
        let key = key_in_words(&self.partition, &self.sort);
        match &self.projection {
            Projection::All => key,
            Projection::Keys => format!("{key}; carries only keys"),
            Projection::Include(attributes) => format!("{key}; carries {}", attributes.join(", ")),
        }
    }
}

/// A key for people: `key PK, SK`, `key (tenant, region), city`, `key device, at (number)`.
pub(super) fn key_in_words(partition: &[KeyAttribute], sort: &[KeyAttribute]) -> String {
    let parts: Vec<String> =
        [partition, sort].into_iter().filter(|part| !part.is_empty()).map(part_in_words).collect();
    format!("key {}", parts.join(", "))
}

fn part_in_words(part: &[KeyAttribute]) -> String {
    let names: Vec<String> = part.iter().map(attribute_in_words).collect();
    if names.len() > 1 { format!("({})", names.join(", ")) } else { names.concat() }
}

fn attribute_in_words(attribute: &KeyAttribute) -> String {
    use crate::model::KeyKind;
    match attribute.kind {
        KeyKind::Text => attribute.name.clone(),
        KeyKind::Number => format!("{} [number]", attribute.name),
        KeyKind::Binary => format!("{} [binary]", attribute.name),
    }
}

fn sorted(projection: &Projection) -> Projection {
    let mut projection = projection.clone();
    if let Projection::Include(attributes) = &mut projection {
        attributes.sort();
        attributes.dedup();
    }
    projection
}
