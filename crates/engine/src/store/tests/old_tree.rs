//! Trees from before pages had checksums are converted when they are opened, and a crash leaves one of the two.

use std::sync::Arc;

use super::fixture::{Random, contents, put, small, start, try_start};
use super::power_disk::PowerDisk;
use crate::store::tree::tests::{bare_tree, is_bare};
use crate::store::{FrozenDisk, Store, StoreError, StoreOptions, SystemClock, check_store};

const ENTRIES: usize = 300;

fn options() -> StoreOptions {
    StoreOptions { overlay_bytes_max: 32 << 10, ..small() }
}

/// A folder with a tree of the old format and a log: left by a killed process, or closed.
fn old_folder(is_closed: bool) -> PowerDisk {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), options());
    for i in 0..ENTRIES {
        put(&store, &format!("{i:04}"), vec![i as u8; 300]).unwrap();
    }
    let killed = disk.after_kill();
    drop(store);
    let left = if is_closed { disk.after_kill() } else { killed };
    let bare = bare_tree(&left);
    left.tamper("tree", |content| *content = bare);
    assert!(is_bare(&left));
    left
}

fn check(disk: &PowerDisk, context: &str) {
    let store = try_start(&disk.as_disk(), options()).unwrap_or_else(|error| panic!("{context}: {error}"));
    let found = contents(&store.view());
    assert_eq!(found.len(), ENTRIES, "{context}");
    assert!(found.iter().enumerate().all(|(i, (_, value))| *value == vec![i as u8; 300]), "{context}");
    assert!(!is_bare(disk) && disk.names("tree") == ["tree"], "{context}");
}

#[test]
fn a_tree_of_the_old_format_is_converted_and_has_the_same_entries() {
    for is_closed in [false, true] {
        let disk = old_folder(is_closed);
        check(&disk, "converted");
        let store = start(&disk.as_disk(), options());
        put(&store, "after", "1").unwrap();
        drop(store);
        assert_eq!(contents(&start(&disk.as_disk(), options()).view()).len(), ENTRIES + 1);
        assert!(check_store(&disk.as_disk(), None, |_| {}).unwrap().errors.is_empty());
    }
}

#[test]
fn a_power_cut_at_any_sync_of_a_conversion_loses_nothing() {
    for is_closed in [false, true] {
        let old = old_folder(is_closed);
        for cut in 0.. {
            let disk = old.after_kill();
            disk.cut_power_after_syncs(cut);
            let _ = Store::open(disk.as_disk(), options(), Arc::new(SystemClock));
            for seed in 0..4 {
                let survivor = disk.after_power_loss(&mut Random::new(cut as u64 * 31 + seed));
                check(&survivor, &format!("cut {cut}, seed {seed}"));
            }
            check(&disk.after_kill(), &format!("killed after {cut}"));
            if !disk.is_off() {
                assert!(cut > 3, "{cut}");
                break;
            }
        }
    }
}

#[test]
fn a_damaged_tree_of_the_old_format_is_refused_and_stays_as_it_is() {
    let old = old_folder(true);
    let used: Vec<usize> = old
        .content("tree")
        .chunks(4096)
        .enumerate()
        .filter(|(page, bytes)| *page > 0 && bytes.first().is_some_and(|kind| [1, 2].contains(kind)))
        .map(|(page, _)| page)
        .collect();
    let mut refused = 0;
    for page in used.iter().take(60) {
        let disk = old.after_kill();
        disk.tamper("tree", |content| content[page * 4096 + 60] ^= 4);
        let before = disk.content("tree");
        match try_start(&disk.as_disk(), options()) {
            // A page that is free, or that only an earlier state had.
            Ok(store) => assert_eq!(contents(&store.view()).len(), ENTRIES, "page {page}"),
            Err(error) => {
                assert!(matches!(&error, StoreError::Corrupt { file, .. } if file == "tree"), "{error}");
                assert!(disk.content("tree") == before && disk.names("tree") == ["tree"], "page {page}");
                refused += 1;
            }
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn checking_a_tree_of_the_old_format_converts_nothing_and_says_so() {
    for is_closed in [false, true] {
        let disk = old_folder(is_closed);
        let before = disk.content("tree");
        let frozen: Arc<dyn crate::store::Disk> = Arc::new(FrozenDisk::new(disk.as_disk()).unwrap());
        let checked = check_store(&frozen, None, |_| {}).unwrap();
        assert!(checked.errors.is_empty(), "{:?}", checked.errors);
        assert!(checked.notes.iter().any(|note| note.contains("converts")), "{:?}", checked.notes);
        let opened = Store::look(frozen.clone(), options(), Arc::new(SystemClock)).unwrap();
        assert_eq!(contents(opened.view()).len(), ENTRIES);
        let mut magic = [0; 4];
        frozen.open("tree").unwrap().read_exact_at(0, &mut magic).unwrap();
        assert_eq!(&magic, b"redb", "nor is it converted in memory");
        assert!(disk.content("tree") == before);
    }
}

#[test]
fn a_cut_tree_of_the_old_format_is_refused() {
    for is_closed in [false, true] {
        let old = old_folder(is_closed);
        let length = old.content("tree").len();
        for cut in [0, 5, 4096, 4100, length / 2 / 4096 * 4096, length - 4096] {
            let disk = old.after_kill();
            disk.tamper("tree", |content| content.truncate(cut));
            let refused =
                try_start(&disk.as_disk(), options()).err().unwrap_or_else(|| panic!("cut at {cut}"));
            assert!(refused.to_string().contains("cut"), "cut at {cut}: {refused}");
        }
    }
}
