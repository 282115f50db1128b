//! The map of the crates in docs/ARCHITECTURE.md is true, and the modules of no crate run in a circle.

#![allow(clippy::panic, reason = "a failing test panics")]

mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tree::{entries, read, root, without_tests};

/// Dependencies between crates or modules, by name.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Crates that must not reach others, whatever the map says.
const KEPT_APART: [(&str, &str); 8] = [
    ("design", "engine"),
    ("design", "store"),
    ("review", "store"),
    ("review", "engine"),
    ("store", "design"),
    ("dynamodb", "design"),
    ("engine", "wire"),
    ("run", "server"),
];

/// Returns the name of a file or folder without its extension.
fn stem(path: &Path) -> String {
    path.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// The dependencies of each crate, without those of its tests.
fn manifests() -> Arrows {
    let arrows = entries(&root().join("crates")).into_iter().map(|folder| {
        let manifest = read(&folder.join("Cargo.toml"));
        let (_, section) = manifest.split_once("[dependencies]\n").unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let own = section.lines().filter_map(|line| line.strip_prefix("singlet-"));
        let needed = own.filter_map(|line| line.split(['.', ' ']).next()).map(str::to_owned).collect();
        (stem(&folder), needed)
    });
    arrows.collect()
}

/// The arrows that the map draws: `run --> design & store`.
fn map() -> Arrows {
    let page = read(&root().join("docs/ARCHITECTURE.md"));
    let (_, map) = page.split_once("```mermaid\nflowchart TD\n").expect("the map of the crates");
    let (map, _) = map.split_once("```").expect("the end of the map");
    let mut arrows = Arrows::new();
    for line in map.lines() {
        let (from, to) = line.split_once("-->").unwrap_or_else(|| panic!("an arrow: {line}"));
        let to = to.split('&').map(|name| name.trim().to_owned());
        arrows.entry(from.trim().to_owned()).or_default().extend(to);
    }
    arrows
}

/// Everything that can be reached from a place.
fn reached(arrows: &Arrows, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        for next in arrows.get(&name).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

#[test]
fn the_map_of_the_crates_agrees_with_their_manifests() {
    let (map, manifests) = (map(), manifests());
    for (from, drawn) in &map {
        let needed = manifests.get(from).unwrap_or_else(|| panic!("the map has {from}, crates/ doesn't"));
        assert!(drawn.is_subset(needed), "{from}: the map draws {drawn:?}, the manifest has {needed:?}");
    }
    for from in manifests.keys() {
        // An arrow that others imply need not be drawn.
        assert_eq!(
            reached(&map, from),
            reached(&manifests, from),
            "what {from} reaches on the map and by cargo"
        );
    }
}

#[test]
fn crates_that_must_not_know_each_other_do_not() {
    let manifests = manifests();
    for (from, to) in KEPT_APART {
        assert!(!reached(&manifests, from).contains(to), "{from} must not know {to}");
    }
}

/// A file of a crate with the path of its module.
struct Source {
    module: Vec<String>,
    text: String,
}

/// The files of a crate that aren't tests.
fn sources(folder: &Path, module: &[String], found: &mut Vec<Source>) {
    for path in entries(folder) {
        let name = stem(&path);
        if name.contains("tests") {
            continue;
        }
        let mut module = module.to_vec();
        if !matches!(name.as_str(), "mod" | "lib" | "main") {
            module.push(name);
        }
        if path.is_dir() {
            sources(&path, &module, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(Source { module, text: code(&read(&path)) });
        }
    }
}

/// Removes the comments and the tests at the end.
fn code(text: &str) -> String {
    let lines = without_tests(text).lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Every path that begins with `crate` or `super`, with what stands in its braces spelled out.
fn paths(text: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    for word in ["crate::", "super::"] {
        for (at, _) in text.match_indices(word) {
            let (before, rest) = text.split_at(at);
            if !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':')) {
                spell(rest, &[], &mut found);
            }
        }
    }
    found
}

/// Spells out one tree of paths and returns the text behind it.
fn spell<'t>(text: &'t str, before: &[&'t str], found: &mut Vec<Vec<&'t str>>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = spell(rest, before, found);
            let Some(at) = rest.find([',', '}']) else { return rest };
            let (_, tail) = rest.split_at(at);
            match tail.strip_prefix(',') {
                Some(next) => rest = next,
                None => return tail.strip_prefix('}').unwrap_or(tail),
            }
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path: Vec<&str> = before.iter().copied().chain([name]).collect();
    match rest.strip_prefix("::") {
        Some(rest) if !rest.starts_with('<') => spell(rest, &path, found),
        // Nothing stands behind the last comma.
        _ if name.is_empty() => rest,
        _ => {
            found.push(path);
            rest
        }
    }
}

/// The names below the crate's root that a path leads to; `None` inside of its own module.
fn below_root<'t>(module: &[String], path: &[&'t str]) -> Option<&'t str> {
    let supers = path.iter().take_while(|name| **name == "super").count();
    match path {
        ["crate", name, ..] => Some(name),
        _ if supers == module.len() => path.get(supers).copied(),
        _ => None,
    }
}

/// Which top-level modules of a crate need which others.
fn modules(folder: &Path) -> Arrows {
    let mut files = Vec::new();
    sources(&folder.join("src"), &[], &mut files);
    let tops: BTreeSet<&str> =
        files.iter().filter_map(|file| file.module.first().map(String::as_str)).collect();
    // An export of lib.rs belongs to the module that it comes from.
    let mut exported: BTreeMap<&str, &str> = BTreeMap::new();
    for file in files.iter().filter(|file| file.module.is_empty()) {
        for statement in file.text.split(';').filter_map(|part| part.trim().strip_prefix("pub use ")) {
            let mut found = Vec::new();
            spell(statement, &[], &mut found);
            exported.extend(found.iter().filter_map(|path| Some((*path.last()?, *path.first()?))));
        }
    }
    let mut arrows = Arrows::new();
    for file in &files {
        let Some(own) = file.module.first() else { continue };
        for path in paths(&file.text) {
            let Some(name) = below_root(&file.module, &path) else { continue };
            let target = if tops.contains(name) { Some(name) } else { exported.get(name).copied() };
            if let Some(target) = target.filter(|target| tops.contains(target) && target != own) {
                arrows.entry(own.clone()).or_default().insert(target.to_owned());
            }
        }
    }
    arrows
}

/// The modules that reach each other, circle by circle.
fn circles(arrows: &Arrows) -> BTreeSet<String> {
    let reached: Arrows = arrows.keys().map(|name| (name.clone(), reached(arrows, name))).collect();
    let is_mutual = |one: &String, other: &String| {
        reached.get(one).is_some_and(|all| all.contains(other))
            && reached.get(other).is_some_and(|all| all.contains(one))
    };
    let circle_of = |name: &String| -> Vec<&str> {
        reached.keys().filter(|other| is_mutual(name, other)).map(String::as_str).collect()
    };
    reached.keys().map(|name| circle_of(name).join(" ")).filter(|circle| !circle.is_empty()).collect()
}

#[test]
fn the_modules_of_no_crate_run_in_a_circle() {
    let folders = entries(&root().join("crates")).into_iter().filter(|folder| folder.join("src").exists());
    let of = |folder: PathBuf| {
        let name = stem(&folder);
        circles(&modules(&folder)).into_iter().map(move |circle| (name.clone(), circle))
    };
    let found: BTreeSet<(String, String)> = folders.flat_map(of).collect();
    assert_eq!(found, BTreeSet::new(), "cycles of modules");
}

#[test]
fn a_circle_is_found_however_its_paths_are_written() {
    let source = |module: &str, text: &str| -> Vec<String> {
        let module = vec![module.to_owned()];
        paths(text).iter().filter_map(|path| below_root(&module, path)).map(str::to_owned).collect()
    };
    assert_eq!(source("a", "use crate::{b, c::{D, E as F},\n    g,\n};"), ["b", "c", "c", "g"]);
    assert_eq!(source("a", "use super::b::C; let d = crate::d::E { f: 1 };"), ["d", "b"]);
    assert_eq!(source("a", "use singlet_engine::Database; let x = mine::super_::Y;"), [""; 0]);
    let arrow = |from: &str, to: &str| (from.to_owned(), BTreeSet::from([to.to_owned()]));
    let arrows = Arrows::from([arrow("a", "b"), arrow("b", "c"), arrow("c", "b")]);
    assert_eq!(circles(&arrows), BTreeSet::from(["b c".to_owned()]));
}
