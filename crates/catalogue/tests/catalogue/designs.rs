//! The designs of the repository, and their tables on a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_design::{Design, Environment, Removal, TableSettings, load};
use singlet_run::Wait;
use singlet_run::apply::{plan, plan_removal};
use singlet_store::Store;

/// The environment that tests run designs in.
pub(crate) const ENVIRONMENT: &str = "dev";
/// The designs.
pub(crate) const NAMES: [&str; 9] =
    ["smart-cooking", "nishiki", "shop", "shop-documents", "social", "sensors", "jobs", "metering", "chat"];

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

/// Makes a design's tables. Doing it again finds nothing to do.
#[track_caller]
pub(crate) fn apply(design: &Design, store: &impl Store) {
    let made = plan(design, &environment(), store).wait().unwrap();
    made.run(store, &mut |_| ()).wait().unwrap();
    let again = plan(design, &environment(), store).wait().unwrap();
    assert!(again.is_empty(), "{again}");
}

/// Takes a design's tables away.
#[track_caller]
pub(crate) fn remove(design: &Design, store: &impl Store) {
    plan_removal(design, &environment(), store).wait().unwrap().run(store, &mut |_| ()).wait().unwrap();
}

fn environment() -> Environment {
    let settings = TableSettings { removal: Some(Removal::Delete), ..TableSettings::default() };
    Environment { settings, default: true, ..Environment::new(ENVIRONMENT) }
}
