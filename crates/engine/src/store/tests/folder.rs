//! A folder belongs to one process, which notices when its files are taken away; other users can't read it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use super::fixture::{bytes, logged, put, sealed, small, start, try_start};
use super::power_disk::PowerDisk;
use crate::store::{CommitError, Disk, FileDisk, StoreError, StoreOptions};

/// Either without or with encryption. The files are looked at with every write.
const BOTH: [fn() -> StoreOptions; 2] = [small, || sealed(small())];

fn open(folder: &Path) -> Arc<dyn Disk> {
    Arc::new(FileDisk::open(folder).expect("nobody else has it open"))
}

fn refuse_second_opener(folder: &Path) {
    let refused = FileDisk::open(folder).expect_err("the folder is in use");
    assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
}

#[test]
fn removing_a_file_lets_no_second_process_in() {
    let folder = tempfile::tempdir().unwrap();
    let store = start(&open(folder.path()), small());
    put(&store, "a", "1").unwrap();
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(names.contains(&folder.path().join("lock")));
    for name in names {
        fs::remove_file(name).unwrap();
        refuse_second_opener(folder.path());
    }
    drop(store);
    FileDisk::open(folder.path()).unwrap();
}

#[test]
fn a_lock_file_that_is_removed_is_made_again_and_keeps_earlier_programs_out() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    let store = start(&open(folder.path()), small());
    fs::remove_file(&lock).unwrap();
    put(&store, "a", "1").unwrap();
    let held = fs::File::open(&lock).unwrap();
    assert!(held.try_lock().is_err());
    // An earlier program was quicker: it holds a file that the store doesn't.
    fs::remove_file(&lock).unwrap();
    let theirs = fs::File::create(&lock).unwrap();
    theirs.lock().unwrap();
    let refused = put(&store, "b", "1");
    assert!(
        matches!(&refused, Err(CommitError::Poisoned(reason)) if reason.contains("another process has opened it")),
        "{refused:?}"
    );
}

#[test]
fn a_folder_that_is_locked_by_an_earlier_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = fs::File::create(folder.path().join("lock")).unwrap();
    theirs.lock().unwrap();
    refuse_second_opener(folder.path());
    theirs.unlock().unwrap();
    drop(FileDisk::open(folder.path()).unwrap());
    FileDisk::open(folder.path()).unwrap();
}

#[test]
fn a_folder_that_is_moved_away_takes_no_more_writes() {
    let above = tempfile::tempdir().unwrap();
    let (folder, elsewhere) = (above.path().join("data"), above.path().join("elsewhere"));
    let store = start(&open(&folder), small());
    put(&store, "a", "1").unwrap();
    fs::rename(&folder, &elsewhere).unwrap();
    let refused = put(&store, "b", "1");
    assert!(
        matches!(&refused, Err(CommitError::Poisoned(reason)) if reason.contains("moved")),
        "{refused:?}"
    );
    refuse_second_opener(&elsewhere);
}

#[test]
fn a_file_that_is_deleted_or_replaced_under_an_open_store_stops_writing_and_not_reading() {
    for options in BOTH {
        for (kind, is_replaced) in
            ["log-", "tree", "reach"].into_iter().flat_map(|kind| [(kind, false), (kind, true)])
        {
            let disk = PowerDisk::new();
            let store = start(&disk.as_disk(), options());
            put(&store, "a", "1").unwrap();
            let name = disk.names(kind).pop().unwrap();
            disk.as_disk().remove(&name).unwrap();
            if is_replaced {
                disk.as_disk().open(&name).unwrap();
            }
            let refused = put(&store, "b", "1");
            assert!(
                matches!(&refused, Err(CommitError::Poisoned(reason)) if reason.contains(&format!("`{name}`"))),
                "{refused:?}"
            );
            assert_eq!(put(&store, "c", "1"), refused);
            assert!(store.stats().writes_stopped);
            assert_eq!(store.view().get(b"a").unwrap(), Some(bytes("1")));
            assert_eq!(store.view().get(b"b").unwrap(), None, "what was refused is not shown");
        }
    }
}

#[test]
fn a_segment_that_is_deleted_is_noticed_when_the_next_one_begins_at_the_latest() {
    let disk = PowerDisk::new();
    let never = std::time::Duration::from_secs(3_600);
    let options = StoreOptions { reach_interval: never, overlay_bytes_max: 128 << 20, ..small() };
    let store = start(&disk.as_disk(), options);
    put(&store, "a", "1").unwrap();
    disk.as_disk().remove(&disk.names("log-").pop().unwrap()).unwrap();
    let refused = (0..100).find_map(|i| put(&store, &format!("{i:04}"), vec![1; 500]).err());
    assert!(matches!(refused, Some(CommitError::Poisoned(_))), "{refused:?}");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn everything_that_is_written_is_for_its_owner_alone() {
    for options in BOTH {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("deep").join("data");
        let disk = open(&folder);
        let store = start(&disk, options());
        for i in 0..200 {
            put(&store, &format!("{i:04}"), vec![1; 500]).unwrap();
        }
        store.files().open("backup-1").unwrap();
        store.close().unwrap();
        assert_eq!(mode(&folder), 0o700);
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
}

#[test]
fn the_mode_of_a_folder_that_is_there_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    drop(open(folder.path()));
    assert_eq!(mode(folder.path()), 0o755);
}

#[test]
fn a_folder_that_other_users_may_enter_is_warned_of() {
    for (folder_mode, is_warned_of) in [(0o700, false), (0o750, true), (0o701, true), (0o755, true)] {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(folder_mode)).unwrap();
        let log = logged(|| drop(open(folder.path())));
        let warning = format!("(mode {folder_mode:03o}); `chmod 700 {}`", folder.path().display());
        assert_eq!(log.contains(&warning), is_warned_of, "{folder_mode:o}: {log}");
    }
}

#[test]
fn a_file_with_the_largest_number_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    start(&open(folder.path()), small()).close().unwrap();
    fs::write(folder.path().join("spare-ffffffffffffffff"), "").unwrap();
    let error = try_start(&open(folder.path()), small()).err().expect("no number follows the largest");
    assert!(error.to_string().contains("spare-ffffffffffffffff"), "{error}");
}
