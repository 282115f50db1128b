//! The measures of the source code: short files, short functions, one meaning per type name, plain sentences.
//!
//! `names.txt` lists the double names from before these tests. The list may only get shorter: a new double name fails,
//! and so does an entry that is no longer needed. After renaming something, shorten the list with
//!
//! ```console
//! $ SINGLET_REWRITE=1 cargo test -p singlet --test house
//! ```
//!
//! Cycles of modules are checked by `rooms.rs`.

#![allow(clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod allowances;
mod code;
mod sentences;
#[path = "../tree/mod.rs"]
mod tree;

use std::collections::BTreeMap;

use allowances::Allowances;
use code::File;

const MEDIAN_LINES_MAX: usize = 119;
const FUNCTION_LINES_MAX: usize = 70;

/// The files that are neither tests nor benchmarks.
fn product() -> Vec<File> {
    code::files("rs").into_iter().filter(|file| !file.is_test()).collect()
}

#[test]
fn the_median_file_is_short() {
    let mut lengths: Vec<usize> = product()
        .iter()
        .filter(|file| file.path.starts_with("crates/"))
        .map(|file| file.text.lines().count())
        .collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    println!("{} files in crates/ without tests; median length {median} lines", lengths.len());
    assert!(
        median <= MEDIAN_LINES_MAX,
        "the median file has {median} lines, at most {MEDIAN_LINES_MAX} are allowed: split files that do two things"
    );
}

#[test]
fn no_function_is_long() {
    let files = product();
    let functions: Vec<_> = files.iter().flat_map(code::functions).collect();
    let longest = functions.iter().map(|function| function.lines).max().unwrap_or_default();
    println!("{} functions without tests; the longest has {longest} lines", functions.len());
    let long: Vec<String> = functions
        .iter()
        .filter(|function| function.lines > FUNCTION_LINES_MAX)
        .map(|function| format!("{}: `{}` has {} lines", function.place, function.name, function.lines))
        .collect();
    assert!(
        long.is_empty(),
        "functions of more than {FUNCTION_LINES_MAX} lines; move straight-line parts into functions of their own:\n{}",
        long.join("\n")
    );
}

#[test]
fn a_type_name_has_one_meaning_within_a_crate() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in product() {
        for (line, name) in code::types(&file) {
            places
                .entry(format!("{} {name}", file.krate()))
                .or_default()
                .push(format!("{}:{line}", file.path));
        }
    }
    println!("{} type names, {} of them twice within a crate", places.len(), {
        places.values().filter(|places| places.len() > 1).count()
    });
    places.retain(|_, places| places.len() > 1);
    Allowances::read("names.txt")
        .compare(&places, "rename one of the types, so that a name has one meaning in its crate");
}

#[test]
fn sentences_are_plain() {
    let files = code::files("rs").into_iter().chain(code::files("md"));
    let found: Vec<String> = files.flat_map(|file| sentences::stumbling(&file)).collect();
    assert!(
        found.is_empty(),
        "say who does what: no sentence opens with What, Who, Whoever or Whose unless it is a question, \
         and \"isn't a\" replaces the other form:\n{}",
        found.join("\n")
    );
}
