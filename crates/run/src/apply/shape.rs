//! The shapes that a design's tables have in an environment.

use singlet_design::{
    Capacity, Environment, Index, KeyAttribute, KeyKind, Projection, Removal, Setting, Table,
};
use singlet_store::{AttributeDefinition, IndexShape, ProjectedAttributes, ScalarType, TableShape};

use super::capacity::throughput;

/// Returns the shape that a table of a design must have in an environment.
pub fn shape_in(table: &Table, environment: &Environment) -> TableShape {
    let settings = environment.settings_of(table);
    let capacity = settings.capacity.and_then(Setting::on);
    let indexes = table.indexes.iter().map(|index| index_shape(index, capacity.as_ref()));
    TableShape {
        name: table.name_in(&environment.name),
        partition: definition(&table.partition),
        sort: table.sort.as_ref().map(definition),
        indexes: indexes.collect(),
        protected: environment.removal_of(table) == Removal::Keep,
        ttl: table.ttl.clone(),
        stream: settings.stream.unwrap_or(false),
        recovery_days: settings.recovery_days.and_then(Setting::on),
        backup: settings.backup.and_then(Setting::on),
        throughput: capacity.as_ref().map(|capacity| throughput(capacity.table.least)),
    }
}

fn index_shape(index: &Index, capacity: Option<&Capacity>) -> IndexShape {
    let capacity = capacity.filter(|_| !index.local);
    IndexShape {
        name: index.name.clone(),
        partition: index.partition.iter().map(definition).collect(),
        sort: index.sort.iter().map(definition).collect(),
        projection: projected(&index.projection),
        local: index.local,
        throughput: capacity.map(|capacity| throughput(capacity.of_index(&index.name).least)),
    }
}

fn definition(attribute: &KeyAttribute) -> AttributeDefinition {
    let scalar = match attribute.kind {
        KeyKind::Text => ScalarType::S,
        KeyKind::Number => ScalarType::N,
        KeyKind::Binary => ScalarType::B,
    };
    AttributeDefinition { name: attribute.name.clone(), scalar }
}

fn projected(projection: &Projection) -> ProjectedAttributes {
    match projection {
        Projection::All => ProjectedAttributes::All,
        Projection::Keys => ProjectedAttributes::KeysOnly,
        Projection::Include(names) => ProjectedAttributes::Include(names.clone()),
    }
}
