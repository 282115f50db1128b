//! The designs of the repository, and their tables on a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_design::load;
use singlet_design::model::{Design, Table};
use singlet_design::store::{IndexShape, Store, TableChange, TableShape};

/// The environment that tests run designs in.
pub(crate) const ENVIRONMENT: &str = "dev";
/// The designs.
pub(crate) const NAMES: [&str; 5] = ["smart-cooking", "nishiki", "shop", "social", "sensors"];

/// The folder of the designs.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs")
}

/// Reads a design. Its tables' names get this prefix, so that tests can share a store.
#[track_caller]
pub(crate) fn design(name: &str, prefix: &str) -> Arc<Design> {
    let file = folder().join(name).with_extension("toml");
    let source = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    match load(&file.display().to_string(), &with_prefix(&source, prefix)) {
        Ok(design) => Arc::new(design),
        Err(report) => panic!("{report}"),
    }
}

/// Puts a prefix before the names of tables.
fn with_prefix(source: &str, prefix: &str) -> String {
    let mut in_table = false;
    let mut renamed = String::with_capacity(source.len());
    for line in source.lines() {
        if line.starts_with('[') {
            in_table = line.starts_with("[table");
        }
        match line.split_once('"') {
            Some((before, after)) if in_table && before.starts_with("name") => {
                renamed.extend([before, "\"", prefix, after]);
            }
            _ => renamed.push_str(line),
        }
        renamed.push('\n');
    }
    renamed
}

/// Creates a design's tables.
#[track_caller]
pub(crate) fn create_tables(design: &Design, store: &dyn Store) {
    for table in &design.tables {
        store.change_table(&TableChange::Create(shape(table))).unwrap();
    }
}

/// Deletes them again.
#[track_caller]
pub(crate) fn delete_tables(design: &Design, store: &dyn Store) {
    for table in &design.tables {
        store.change_table(&TableChange::Delete { table: table.name_in(ENVIRONMENT) }).unwrap();
    }
}

fn shape(table: &Table) -> TableShape {
    let indexes = table.indexes.iter().map(|index| IndexShape {
        name: index.name.clone(),
        partition: index.partition.clone(),
        sort: index.sort.clone(),
        projection: index.projection.clone(),
        local: index.local,
    });
    TableShape {
        name: table.name_in(ENVIRONMENT),
        partition: table.partition.clone(),
        sort: table.sort.clone(),
        indexes: indexes.collect(),
        protected: false,
        ttl: table.ttl.clone(),
        stream: table.stream,
    }
}
