//! The designs of this repository, applied to tables with items.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use std::path::Path;
use std::sync::Arc;

use singlet_engine::{Database, ManualClock, Options};
use singlet_run::Wait;
use singlet_run::apply::{DESIGNS_TABLE, choose_environment, plan};
use singlet_run::seed::{SeedOptions, Seeder, plant};
use singlet_store::{Embedded, Store, TableChange};

/// Noon of 17 November 2026.
const NOW_MS: u64 = 1_794_916_800_000;
/// The database's time, so that no item expires while it is looked at.
const LONG_AGO_MS: u64 = 946_684_800_000;

/// Items are compared with what the design makes of their fields: those that it made itself must never differ.
#[test]
fn items_that_a_design_made_are_never_outdated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "toml")).collect();
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let name = file.display().to_string();
        let design = singlet_design::load(&name, &std::fs::read_to_string(&file).unwrap())
            .unwrap_or_else(|report| panic!("{report}"));
        let clock = Arc::new(ManualClock::new(LONG_AGO_MS));
        let database = Database::in_memory_with(Options { clock, ..Options::default() }).unwrap();
        let store = Embedded::new(database, "memory");
        let environment = choose_environment(&design, None).unwrap();
        let planned = || plan(&design, &environment, &store).wait().unwrap();
        planned().run(&store, &mut |_| {}).wait().unwrap();
        let seeder = Seeder::new(&design, SeedOptions { items: 400, seed: 1, now_ms: NOW_MS });
        assert!(plant(seeder, &store, &environment.name, &mut |_| {}).wait().unwrap() > 100, "{name}");
        // Without the memory of what was applied, every item is looked at.
        store.change_table(&TableChange::Delete { table: DESIGNS_TABLE.to_owned() }).wait().unwrap();
        let again = planned();
        assert!(again.outdated.is_empty(), "{again}");
    }
}
