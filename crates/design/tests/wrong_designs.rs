//! Designs with mistakes and their reports. Each `wrong/NAME.toml` has its report in `wrong/NAME.report`.
//! `SINGLET_REWRITE=1 cargo test -p singlet-design --test wrong_designs` regenerates the reports.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use std::fs;
use std::path::{Path, PathBuf};

use singlet_design::{Report, load};

/// Returns the wrong designs, sorted by name.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    files.sort();
    files
}

fn report(path: &Path) -> Report {
    let name = path.file_name().unwrap().to_string_lossy();
    let source = fs::read_to_string(path).unwrap();
    load(&name, &source).err().unwrap_or_else(|| panic!("{name} is not wrong"))
}

#[test]
fn every_wrong_design_has_the_report_that_is_written_beside_it() {
    let rewrite = std::env::var_os("SINGLET_REWRITE").is_some();
    let mut different = Vec::new();
    for path in files() {
        let text = format!("{}\n", report(&path));
        let expected = path.with_extension("report");
        if rewrite {
            fs::write(&expected, text).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != text {
            different.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn no_report_lies_there_without_its_design() {
    if std::env::var_os("SINGLET_REWRITE").is_some() {
        return;
    }
    for path in files() {
        assert!(path.with_extension("report").exists(), "{} has no report", path.display());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let all = fs::read_dir(folder).unwrap().count();
    assert_eq!(all, files().len() * 2);
}

#[test]
fn mistakes_come_in_the_order_of_the_file_and_none_comes_twice() {
    for path in files() {
        let report = report(&path);
        let places: Vec<_> = report.mistakes.iter().map(|mistake| mistake.span.start).collect();
        assert!(places.is_sorted(), "{}", path.display());
        for (position, mistake) in report.mistakes.iter().enumerate() {
            let later = &report.mistakes[position + 1..];
            assert!(!later.contains(mistake), "{}: {}", path.display(), mistake.message);
        }
    }
}
