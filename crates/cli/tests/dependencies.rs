//! The table of dependencies in docs/ARCHITECTURE.md has every one, with a reason, and no others.

#![allow(clippy::panic, reason = "a failing test panics")]

use std::collections::BTreeSet;
use std::path::Path;

/// The rooms that the table names, by the folders of their manifests. `sim/engine` is the engine.
const ROOMS: [&str; 22] = [
    "crates/values",
    "crates/cipher",
    "crates/expr",
    "crates/engine",
    "crates/design",
    "crates/review",
    "crates/store",
    "crates/dynamodb",
    "crates/run",
    "crates/console",
    "crates/wire",
    "crates/transfer",
    "crates/api",
    "crates/server",
    "crates/cli",
    "crates/catalogue",
    "bench",
    "bench/core",
    "sim",
    "sim/scheduler",
    "fuzz",
    "fuzz/libfuzzer",
];

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect("a file of the repository")
}

/// Pairs of a crate and the room that uses it; all that only tests use has the room `tests`.
fn of_manifests() -> BTreeSet<(String, String)> {
    let mut used = BTreeSet::new();
    for folder in ROOMS {
        let room = folder.strip_prefix("crates/").unwrap_or(folder);
        let mut is_for = None;
        for line in read(&format!("{folder}/Cargo.toml")).lines() {
            if let Some(section) = line.strip_prefix('[') {
                let is_for_tests = section.contains("dev-dependencies");
                let counts = section.contains("dependencies]");
                is_for = counts.then_some(if is_for_tests { "tests" } else { room });
            } else if let (Some(room), Some((name, _))) = (is_for, line.split_once(['.', ' ']))
                && !name.starts_with("singlet")
                && !name.starts_with('#')
            {
                used.insert((name.to_owned(), room.to_owned()));
            }
        }
    }
    used
}

fn of_table() -> BTreeSet<(String, String)> {
    let page = read("docs/ARCHITECTURE.md");
    let (_, table) = page.split_once("| crate | used by | reason |").expect("the table");
    let mut used = BTreeSet::new();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, names, rooms, reason, _] = cells.as_slice() else { panic!("a row of three: {row}") };
        assert!(!reason.is_empty(), "{row}");
        for name in names.split(", ") {
            for room in rooms.split(", ") {
                used.insert((name.trim_matches('`').to_owned(), room.to_owned()));
            }
        }
    }
    used
}

#[test]
fn every_dependency_has_its_reason_on_the_architecture_page() {
    let (manifests, mut table) = (of_manifests(), of_table());
    // A dependency of the crate need not be named again for its tests.
    let is_known =
        |(name, room): &&(String, String)| room == "tests" && table.iter().any(|(known, _)| known == name);
    let missing: Vec<_> = manifests.iter().filter(|pair| !table.contains(*pair) && !is_known(pair)).collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
    table.retain(|pair| !manifests.contains(pair));
    assert!(table.is_empty(), "not in the manifests: {table:?}");
}
