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
    let paths: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(paths.contains(&folder.path().join("lock")));
    for name in paths {
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

/// A folder with some data, and a file elsewhere that must stay as it is.
fn with_victim(options: fn() -> StoreOptions) -> (tempfile::TempDir, tempfile::NamedTempFile) {
    let (folder, victim) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
    let store = start(&open(folder.path()), options());
    put(&store, "a", "1").unwrap();
    store.close().unwrap();
    fs::write(victim.path(), "years of work").unwrap();
    (folder, victim)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The error of opening, with losses accepted.
fn refusal(folder: &Path, options: fn() -> StoreOptions) -> String {
    let disk = match FileDisk::open(folder) {
        Ok(disk) => Arc::new(disk),
        Err(error) => return error.to_string(),
    };
    let disk: Arc<dyn Disk> = disk;
    let options = StoreOptions { accept_loss: true, ..options() };
    try_start(&disk, options).err().expect("the folder is refused").to_string()
}

#[test]
fn a_link_in_the_place_of_a_file_is_refused_and_left_alone() {
    for options in BOTH {
        let (folder, _) = with_victim(options);
        for name in names(folder.path()) {
            // As if the file were moved to another disk.
            let elsewhere = tempfile::tempdir().unwrap();
            let (entry, moved) = (folder.path().join(&name), elsewhere.path().join(&name));
            fs::copy(&entry, &moved).unwrap();
            fs::remove_file(&entry).unwrap();
            std::os::unix::fs::symlink(&moved, &entry).unwrap();
            let content = fs::read(&moved).unwrap();
            let before = names(folder.path());
            let error = refusal(folder.path(), options);
            assert!(error.contains(&name) || name == "lock", "{name}: {error}");
            assert!(error.contains("it is a symbolic link"), "{name}: {error}");
            assert_eq!(names(folder.path()), before);
            assert!(fs::symlink_metadata(&entry).unwrap().is_symlink(), "{name}");
            assert_eq!(fs::read(&moved).unwrap(), content, "{name}");
            fs::remove_file(&entry).unwrap();
            fs::copy(&moved, &entry).unwrap();
        }
        start(&open(folder.path()), options()).close().unwrap();
    }
}

#[test]
fn unfinished_files_are_never_written_through_links() {
    for options in BOTH {
        for is_hard in [false, true] {
            let (folder, victim) = with_victim(options);
            // Losing the mark makes the next opening write it anew.
            fs::remove_file(folder.path().join("reach")).unwrap();
            for name in ["tree.new", "reach.new", "keys.new"] {
                let entry = folder.path().join(name);
                match is_hard {
                    true => fs::hard_link(victim.path(), entry).unwrap(),
                    false => std::os::unix::fs::symlink(victim.path(), entry).unwrap(),
                }
            }
            let options = StoreOptions { accept_loss: true, ..options() };
            start(&open(folder.path()), options).close().unwrap();
            assert_eq!(fs::read_to_string(victim.path()).unwrap(), "years of work");
        }
    }
}

#[test]
fn pipes_sockets_and_directories_in_the_place_of_files_are_refused() {
    type Plant = fn(&Path);
    let pipe: Plant = |path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    let socket: Plant = |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap());
    let directory: Plant = |path| fs::create_dir(path).unwrap();
    for (plant, kind) in [(pipe, "a pipe"), (socket, "a socket"), (directory, "a directory")] {
        for name in ["tree", "reach", "lock"] {
            let (folder, _) = with_victim(small);
            fs::remove_file(folder.path().join(name)).unwrap();
            plant(&folder.path().join(name));
            let error = refusal(folder.path(), small);
            assert!(error.contains("it is a ") && error.contains(kind), "{name}, {kind}: {error}");
        }
    }
}

#[test]
fn the_folder_itself_may_be_a_link() {
    let (folder, above) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let link = above.path().join("data");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    let store = start(&open(&link), small());
    put(&store, "a", "1").unwrap();
    store.close().unwrap();
    assert!(folder.path().join("tree").is_file());
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
