//! A folder that has lost a file is refused, and verification says what is missing; what is left can be opened.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::fs;
use std::path::Path;

use singlet_engine::{
    CreateTable, Database, Error, Finding, Key, Loss, Options, PutItem, ScalarType, Scan, StoreOptions,
    verify,
};
use support::{item, scan_all};

const TABLE: &str = "kept";

/// Without and with encryption; small segments, and folds only at the end.
fn both() -> [Options; 2] {
    [None, Some(Key::from_bytes([7; 32]))].map(|key| {
        let store = StoreOptions { segment_bytes: 16 << 10, key, ..StoreOptions::default() };
        Options { store, ..Options::default() }
    })
}

fn accepting(options: &Options) -> Options {
    let store = StoreOptions { accept_loss: true, ..options.store.clone() };
    Options { store, ..options.clone() }
}

fn names(folder: &Path, prefix: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(prefix)).collect();
    names.sort();
    names
}

/// The files of a database that has `count` items, as kill -9 leaves them.
fn killed(options: &Options, count: i64) -> tempfile::TempDir {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let database = Database::open_with(folder.path(), options.clone()).unwrap();
    database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
    for id in 0..count {
        database.put_item(PutItem::new(TABLE, item! { "id" => id, "body" => "x".repeat(300) })).unwrap();
    }
    // Nothing is written meanwhile but the mark of how far the log reaches, whose slots are written in turn.
    for name in names(folder.path(), "") {
        fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    copy
}

/// Removes the file; opening refuses, verification finds the same, and what is left can be opened.
fn lose(folder: &Path, options: &Options, file: &str) -> (Loss, usize) {
    fs::remove_file(folder.join(file)).unwrap();
    let loss = match Database::open_with(folder, options.clone()) {
        Err(Error::Loss(loss)) => loss,
        other => panic!("{file}: {other:?}"),
    };
    let verified = verify(folder, options.store.key.as_ref(), &mut |_| ()).unwrap();
    assert_eq!(verified.findings, [Finding::Lost(loss.clone())], "{file}");
    let database = Database::open_with(folder, accepting(options)).unwrap();
    assert_eq!(database.lost(), std::slice::from_ref(&loss));
    let left = database.describe_table(TABLE).map_or(0, |_| scan_all(&database, &Scan::new(TABLE)).len());
    database.close().unwrap();
    drop(database);
    let database = Database::open_with(folder, options.clone()).unwrap();
    assert_eq!(database.lost(), []);
    drop(database);
    assert_eq!(verify(folder, options.store.key.as_ref(), &mut |_| ()).unwrap().findings, []);
    (loss, left)
}

#[test]
fn the_last_file_of_the_log_is_missed() {
    for options in both() {
        let folder = killed(&options, 100);
        let last = names(folder.path(), "log-").pop().unwrap();
        let (loss, left) = lose(folder.path(), &options, &last);
        assert!(matches!(&loss, Loss::Log { segment: Some(segment), .. } if *segment == last), "{loss}");
        assert!((1..100).contains(&left), "{left}");
    }
}

#[test]
fn the_only_file_of_a_young_log_is_missed() {
    for options in both() {
        let folder = killed(&options, 3);
        let [only] = &names(folder.path(), "log-")[..] else { panic!("one segment") };
        let (loss, left) = lose(folder.path(), &options, only);
        assert!(matches!(&loss, Loss::Log { segment: Some(segment), .. } if segment == only), "{loss}");
        assert_eq!(left, 0);
    }
}

#[test]
fn the_mark_and_the_tree_are_missed() {
    for options in both() {
        let folder = killed(&options, 20);
        let (loss, left) = lose(folder.path(), &options, "reach");
        assert!(matches!(loss, Loss::Reach { .. }), "{loss}");
        assert_eq!(left, 20);
        let folder = killed(&options, 20);
        assert_eq!(lose(folder.path(), &options, "tree"), (Loss::Tree { log_start: Some(1) }, 20));
    }
}

#[test]
fn a_verification_names_a_tree_that_the_log_can_not_replace() {
    for mut options in both() {
        options.store.overlay_bytes_max = 32 << 10;
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_with(folder.path(), options.clone()).unwrap();
        database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
        for id in 0..300 {
            database.put_item(PutItem::new(TABLE, item! { "id" => id, "body" => "x".repeat(300) })).unwrap();
        }
        database.close().unwrap();
        drop(database);
        fs::remove_file(folder.path().join("tree")).unwrap();
        let before = names(folder.path(), "");
        for options in [options.clone(), accepting(&options)] {
            let refused = Database::open_with(folder.path(), options.clone()).map(drop);
            let Err(Error::Loss(loss)) = refused else { panic!("{refused:?}") };
            assert!(matches!(loss, Loss::Tree { log_start: Some(2..) }), "{loss}");
            let verified = verify(folder.path(), options.store.key.as_ref(), &mut |_| ()).unwrap();
            assert_eq!(verified.findings, [Finding::Lost(loss)]);
        }
        assert_eq!(names(folder.path(), ""), before);
    }
}

#[test]
fn the_end_of_a_log_whose_items_are_all_in_the_tree_is_missed_by_a_verification() {
    for options in both() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_with(folder.path(), options.clone()).unwrap();
        database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
        for id in 0..20 {
            database.put_item(PutItem::new(TABLE, item! { "id" => id, "body" => "x".repeat(300) })).unwrap();
        }
        database.close().unwrap();
        drop(database);
        let last = folder.path().join(names(folder.path(), "log-").pop().unwrap());
        let mut content = fs::read(&last).unwrap();
        content[4096 + 2_000..].fill(0);
        fs::write(&last, content).unwrap();
        let verified = verify(folder.path(), options.store.key.as_ref(), &mut |_| ()).unwrap();
        assert!(
            matches!(&verified.findings[..], [Finding::Lost(Loss::Log { segment: None, .. })]),
            "{:?}",
            verified.findings
        );
        assert_eq!(verified.counts.items, 20);
    }
}
