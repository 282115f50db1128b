//! The files of this repository, for tests that check the source code itself.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lists a folder in the order of names.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Cuts off the module of tests at the end of a file.
pub(crate) fn without_tests(text: &str) -> &str {
    let tests = text.match_indices("#[cfg(test)]\nmod ").find(|(at, _)| {
        text.get(*at..).and_then(|rest| rest.lines().nth(1)).is_some_and(|line| line.ends_with('{'))
    });
    tests.map_or(text, |(at, _)| text.split_at(at).0)
}
