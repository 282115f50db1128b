//! The engine in this process as a store.

use singlet_engine::Database;

/// An open database.
#[derive(Debug, Clone)]
pub struct Embedded {
    database: Database,
    label: String,
}

impl Embedded {
    /// A database, and how people call it.
    pub fn new(database: Database, label: impl Into<String>) -> Self {
        Embedded { database, label: label.into() }
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.label
    }
}
