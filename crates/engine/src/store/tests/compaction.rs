//! Compacting shortens the tree's file and changes nothing that is in it, whenever the power goes.

use super::fixture::{Random, bytes, commit, contents, put, sealed, small, start, try_start};
use super::power_disk::PowerDisk;
use crate::store::{StoreError, StoreOptions, check_store, compact_store};

/// Either without or with encryption.
const BOTH: [fn() -> StoreOptions; 2] = [small, || sealed(small())];

const LEFT: usize = 40;

/// A closed folder of which nearly everything was deleted.
fn mostly_empty(options: StoreOptions) -> PowerDisk {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), options);
    for i in 0..800 {
        put(&store, &format!("{i:04}"), vec![i as u8; 1_000]).unwrap();
    }
    for i in (0..800).filter(|i| i % 20 != 19) {
        commit(&store, move |batch| batch.delete(bytes(&format!("{i:04}")))).unwrap();
    }
    store.close().unwrap();
    drop(store);
    disk.after_kill()
}

fn check(disk: &PowerDisk, options: StoreOptions, context: &str) {
    let errors = check_store(&disk.as_disk(), options.key.as_ref(), |_| {}).unwrap().errors;
    assert!(errors.is_empty(), "{context}: {errors:?}");
    let store = try_start(&disk.as_disk(), options).unwrap_or_else(|error| panic!("{context}: {error}"));
    let found = contents(&store.view());
    assert_eq!(found.len(), LEFT, "{context}");
    assert!(found.iter().all(|(_, value)| value.len() == 1_000), "{context}");
}

#[test]
fn compacting_gives_room_back_and_keeps_everything() {
    for options in BOTH {
        let disk = mostly_empty(options());
        let key = options().key;
        let length = disk.content("tree").len() as u64;
        let compacted = compact_store(&disk.as_disk(), key.as_ref()).unwrap();
        assert_eq!(compacted.before_bytes, length);
        assert_eq!(compacted.after_bytes, disk.content("tree").len() as u64);
        assert!(compacted.after_bytes * 3 < length, "{compacted:?}");
        check(&disk, options(), "compacted");
        let again = compact_store(&disk.as_disk(), key.as_ref()).unwrap();
        assert!(again.after_bytes <= compacted.after_bytes, "{again:?}");
    }
}

#[test]
fn compacting_can_be_cut_at_any_sync() {
    for options in BOTH {
        let whole = mostly_empty(options());
        for cut in 0.. {
            let disk = whole.after_kill();
            disk.cut_power_after_syncs(cut);
            let _ = compact_store(&disk.as_disk(), options().key.as_ref());
            let survivor = disk.after_power_loss(&mut Random::new(cut as u64));
            check(&survivor, options(), &format!("cut {cut}"));
            if !disk.is_off() {
                assert!(cut > 3, "{cut}");
                break;
            }
        }
    }
}

#[test]
fn compacting_a_damaged_tree_is_refused_or_keeps_everything() {
    for options in BOTH {
        let whole = mostly_empty(options());
        let pages = whole.content("tree").len() / 4096;
        let mut refused = 0;
        for page in (6..pages).step_by(3) {
            let disk = whole.after_kill();
            disk.tamper("tree", |content| content[page * 4096 + 50] ^= 16);
            match compact_store(&disk.as_disk(), options().key.as_ref()) {
                Ok(_) => check(&disk, options(), &format!("block {page}")),
                Err(error) => {
                    assert!(matches!(&error, StoreError::Corrupt { file, .. } if file == "tree"), "{error}");
                    let errors = check_store(&disk.as_disk(), options().key.as_ref(), |_| {}).unwrap().errors;
                    assert!(!errors.is_empty(), "block {page}: the damage is gone");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0);
    }
}
