//! `fuzz/libfuzzer` has a lock file of its own, because it is outside of the workspace: it must try what is shipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The lines `version`, `source` and `checksum` of each crate in a lock file, by its name.
fn locked(path: &str) -> BTreeMap<String, BTreeSet<Vec<String>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(path).expect("the lock file is in the repository");
    let mut crates: BTreeMap<String, BTreeSet<Vec<String>>> = BTreeMap::new();
    for package in text.split("[[package]]").skip(1) {
        let lines: Vec<String> = package.trim().lines().map(str::to_owned).collect();
        let (name, rest) = lines.split_first().expect("a package has a name");
        let which = rest.iter().take_while(|line| !line.starts_with("dependencies")).cloned();
        crates.entry(name.clone()).or_default().insert(which.collect());
    }
    crates
}

#[test]
fn libfuzzer_is_built_with_the_versions_of_the_workspace() {
    let (workspace, libfuzzer) = (locked("../Cargo.lock"), locked("libfuzzer/Cargo.lock"));
    assert!(libfuzzer.len() > 50, "{} crates", libfuzzer.len());
    for (name, versions) in &libfuzzer {
        if let Some(shipped) = workspace.get(name) {
            assert!(
                versions.is_subset(shipped),
                "{name}: fuzz/README.md says how to make the lock file anew"
            );
        }
    }
}

#[test]
fn libfuzzer_comes_from_the_registry_of_the_workspace() {
    let sources = |path| -> BTreeSet<String> {
        let lines = locked(path).into_values().flatten().flatten();
        lines.filter(|line| line.starts_with("source")).collect()
    };
    assert_eq!(sources("libfuzzer/Cargo.lock"), sources("../Cargo.lock"));
}
