//! The table in which derivations keep how far they are, and what waits for items that don't exist.

use singlet_design::{Design, Table};
use singlet_store::{AttributeDefinition, ScalarType, TableShape};

pub use crate::derive::DERIVED_TABLE;

/// Returns the shape of the table.
pub(super) fn shape() -> TableShape {
    let key = |name: &str| AttributeDefinition { name: name.to_owned(), scalar: ScalarType::S };
    TableShape {
        name: DERIVED_TABLE.to_owned(),
        partition: key("owner"),
        sort: Some(key("kind")),
        indexes: Vec::new(),
        protected: false,
        ttl: None,
        stream: false,
        recovery_days: None,
        backup: None,
        throughput: None,
    }
}

/// Whether a table needs a stream because derivations follow its changes.
pub(super) fn is_followed(design: &Design, table: &Table) -> bool {
    design.entities_of(table).any(|entity| design.is_followed(entity))
}
