//! The shapes that a design's tables have in an environment.

use singlet_design::{Environment, Index, KeyAttribute, KeyKind, Projection, Removal, Setting, Table};
use singlet_store::{AttributeDefinition, IndexShape, ProjectedAttributes, ScalarType, TableShape};

/// Returns the shape that a table of a design must have in an environment.
pub fn shape_in(table: &Table, environment: &Environment) -> TableShape {
    let settings = environment.settings_of(table);
    TableShape {
        name: table.name_in(&environment.name),
        partition: definition(&table.partition),
        sort: table.sort.as_ref().map(definition),
        indexes: table.indexes.iter().map(|index| index_shape(index)).collect(),
        protected: environment.removal_of(table) == Removal::Keep,
        ttl: table.ttl.clone(),
        stream: settings.stream.unwrap_or(false),
        recovery_days: settings.recovery_days.and_then(Setting::on),
        backup: settings.backup.and_then(Setting::on),
    }
}

fn index_shape(index: &Index) -> IndexShape {
    IndexShape {
        name: index.name.clone(),
        partition: index.partition.iter().map(definition).collect(),
        sort: index.sort.iter().map(definition).collect(),
        projection: projected(&index.projection),
        local: index.local,
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
