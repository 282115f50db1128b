//! A log that has lost its end is refused: what was durable is there, or opening says what is missing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fixture::{Random, contents, put, sealed, small, start, try_start};
use super::power_disk::PowerDisk;
use crate::store::{Loss, Store, StoreError, StoreOptions, SyncPolicy, SystemClock};

const FRAMES_START: usize = 4096;

fn options() -> StoreOptions {
    // The mark is written when a test says so, and when a segment begins.
    StoreOptions {
        segment_bytes: 16 << 10,
        reach_interval: Duration::from_secs(3_600),
        ..StoreOptions::default()
    }
}

/// Either without or with encryption.
const BOTH: [fn() -> StoreOptions; 2] = [options, || sealed(options())];

fn accepting(options: fn() -> StoreOptions) -> StoreOptions {
    StoreOptions { accept_loss: true, ..options() }
}

/// A disk with `count` commits in its log and none in its tree, as after kill -9. The mark reaches to the last of them.
fn killed(options: fn() -> StoreOptions, count: usize) -> PowerDisk {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), options());
    for i in 0..count {
        put(&store, &format!("{i:04}"), vec![1; 500]).unwrap();
    }
    store.write_reach();
    disk.after_kill()
}

fn last_segment(disk: &PowerDisk) -> String {
    disk.names("log-").pop().expect("a segment")
}

/// Returns the loss that opening reports.
fn loss(disk: &PowerDisk, options: fn() -> StoreOptions) -> Loss {
    match try_start(&disk.as_disk(), options()).map(drop) {
        Err(StoreError::Loss(loss)) => loss,
        other => panic!("{other:?}"),
    }
}

/// Opens what is left, writes, and opens again as usual: nothing is missing any more.
fn go_on(disk: &PowerDisk, options: fn() -> StoreOptions, expected: u64) {
    let opened = Store::open(disk.as_disk(), accepting(options), Arc::new(SystemClock)).unwrap();
    assert_eq!(opened.lost().len(), 1);
    drop(opened);
    let store = start(&disk.as_disk(), options());
    assert_eq!(store.view().sequence(), expected);
    put(&store, "after", "1").unwrap();
    let shown = contents(&store.view());
    let store = start(&disk.after_kill().as_disk(), options());
    assert_eq!(contents(&store.view()), shown);
}

#[test]
fn a_last_segment_that_is_deleted_is_missed() {
    for options in BOTH {
        let disk = killed(options, 100);
        let names = disk.names("log-");
        assert!(names.len() > 2);
        let name = last_segment(&disk);
        disk.as_disk().remove(&name).unwrap();
        let loss = loss(&disk, options);
        let Loss::Log { segment, found_sequence, durable_sequence, durable_time_ms } = loss.clone() else {
            panic!("{loss}");
        };
        assert_eq!((segment, durable_sequence, durable_time_ms), (Some(name.clone()), 100, 1_000));
        assert!((1..100).contains(&found_sequence), "{loss}");
        assert_eq!(loss.commits(), 100 - found_sequence);
        let (text, next) = (loss.to_string(), found_sequence + 1);
        for part in [&name, &format!("{next} to 100"), "1970-01-01T00:00:01Z", "--accept-loss"] {
            assert!(text.contains(part), "{text}");
        }
        go_on(&disk, options, found_sequence);
    }
}

#[test]
fn a_segment_is_missed_though_the_mark_of_its_commits_was_not_written_yet() {
    for options in BOTH {
        let disk = PowerDisk::new();
        let store = start(&disk.as_disk(), options());
        for i in 0..3 {
            put(&store, &format!("{i:04}"), "1").unwrap();
        }
        let disk = disk.after_kill();
        let name = last_segment(&disk);
        assert_eq!(disk.names("log-").len(), 1);
        disk.as_disk().remove(&name).unwrap();
        let loss = loss(&disk, options);
        assert!(
            matches!(&loss, Loss::Log { segment: Some(segment), found_sequence: 0, durable_sequence: 0, .. }
            if *segment == name),
            "{loss}"
        );
        assert!(loss.to_string().contains("the number of later commits is unknown"), "{loss}");
        go_on(&disk, options, 0);
    }
}

#[test]
fn an_end_that_is_zeroed_or_cut_off_is_missed() {
    let zero: fn(&mut Vec<u8>, usize) = |content, from| content[from..].fill(0);
    let cut: fn(&mut Vec<u8>, usize) = |content, from| content.truncate(from);
    for (options, tamper) in BOTH.into_iter().flat_map(|options| [(options, zero), (options, cut)]) {
        let disk = killed(options, 20);
        let name = last_segment(&disk);
        let written = disk.content(&name).iter().rposition(|byte| *byte != 0).unwrap();
        disk.tamper(&name, |content| tamper(content, FRAMES_START + (written - FRAMES_START) / 2));
        let loss = loss(&disk, options);
        let Loss::Log { segment: None, found_sequence, durable_sequence: 20, .. } = loss else {
            panic!("{loss}");
        };
        assert!((1..20).contains(&found_sequence), "{found_sequence}");
        go_on(&disk, options, found_sequence);
    }
}

#[test]
fn a_log_that_is_gone_after_closing_leaves_what_the_tree_has() {
    for options in BOTH {
        let disk = killed(options, 20);
        start(&disk.as_disk(), options()).close().unwrap();
        let disk = disk.after_kill();
        for name in disk.names("log-") {
            disk.as_disk().remove(&name).unwrap();
        }
        assert!(matches!(loss(&disk, options), Loss::Log { segment: Some(_), found_sequence: 20, .. }));
        go_on(&disk, options, 20);
    }
}

#[test]
fn a_mark_that_is_deleted_is_missed() {
    for options in BOTH {
        let disk = killed(options, 20);
        disk.as_disk().remove("reach").unwrap();
        let loss = loss(&disk, options);
        assert!(matches!(&loss, Loss::Reach { reason } if reason.contains("`reach` is missing")), "{loss}");
        go_on(&disk, options, 20);
    }
}

#[test]
fn a_mark_survives_damage_to_one_slot_and_not_to_both() {
    for options in BOTH {
        let disk = killed(options, 20);
        let slot_bytes = disk.content("reach")[..4096].iter().rposition(|byte| *byte != 0).unwrap() + 1;
        for (slot, at) in [0, 4096].into_iter().flat_map(|slot| (0..slot_bytes).map(move |at| (slot, at))) {
            let disk = disk.after_kill();
            disk.tamper("reach", |content| content[slot + at] ^= 1 << (at % 8));
            assert_eq!(start(&disk.as_disk(), options()).view().sequence(), 20);
        }
        for tamper in [
            |content: &mut Vec<u8>| [20, 4096 + 20].into_iter().for_each(|at| content[at] ^= 1),
            |content: &mut Vec<u8>| content.truncate(10),
            |content: &mut Vec<u8>| content.fill(0),
            // The slots in each other's places.
            |content: &mut Vec<u8>| content.rotate_left(4096),
        ] {
            let disk = disk.after_kill();
            disk.tamper("reach", tamper);
            let loss = loss(&disk, options);
            assert!(matches!(&loss, Loss::Reach { reason } if reason.contains("both slots")), "{loss}");
            go_on(&disk, options, 20);
        }
    }
}

#[test]
fn a_tree_that_is_deleted_is_missed() {
    for options in BOTH {
        let disk = killed(options, 20);
        disk.as_disk().remove("tree").unwrap();
        assert_eq!(loss(&disk, options), Loss::Tree { log_start: Some(1) });
        // All commits are in the log still.
        go_on(&disk, options, 20);
    }
}

/// Every file and its content.
fn files(disk: &PowerDisk) -> Vec<(String, Vec<u8>)> {
    disk.names("").into_iter().map(|name| (name.clone(), disk.content(&name))).collect()
}

#[test]
fn a_tree_that_the_log_can_not_replace_is_refused_and_nothing_is_changed() {
    for options in [small, || sealed(small())] {
        let disk = PowerDisk::new();
        let store = start(&disk.as_disk(), options());
        for i in 0..200 {
            put(&store, &format!("{i:04}"), vec![1; 500]).unwrap();
        }
        store.close().unwrap();
        drop(store);
        disk.as_disk().remove("tree").unwrap();
        let before = files(&disk);
        let loss = loss(&disk, options);
        let Loss::Tree { log_start: Some(start) } = loss else { panic!("{loss}") };
        assert!((2..=200).contains(&start), "{loss}");
        assert_eq!(loss.commits(), start - 1);
        let text = loss.to_string();
        for part in ["`tree` is missing", &format!("commits 1 to {}", start - 1), "--accept-loss can't"] {
            assert!(text.contains(part), "{text}");
        }
        let refused = Store::open(disk.as_disk(), accepting(options), Arc::new(SystemClock)).map(drop);
        assert!(matches!(&refused, Err(StoreError::Loss(refused)) if *refused == loss), "{refused:?}");
        assert!(files(&disk) == before, "a refused opening changed {:?}", disk.names(""));

        // Only the mark is left, which says that there was more.
        for name in disk.names("").into_iter().filter(|name| !["reach", "keys"].contains(&name.as_str())) {
            disk.as_disk().remove(&name).unwrap();
        }
        let before = files(&disk);
        for options in [options(), accepting(options)] {
            let refused = try_start(&disk.as_disk(), options).map(drop);
            assert!(matches!(refused, Err(StoreError::Loss(Loss::Tree { log_start: None }))), "{refused:?}");
        }
        assert!(files(&disk) == before, "a refused opening changed {:?}", disk.names(""));
    }
}

#[test]
fn a_tree_is_still_missing_after_the_attempt_to_rebuild_it_from_a_damaged_log() {
    for options in BOTH {
        let disk = killed(options, 100);
        disk.as_disk().remove("tree").unwrap();
        disk.tamper(&disk.names("log-")[0], |content| content[FRAMES_START + 1_000] ^= 1);
        let before = files(&disk);
        let refused = Store::open(disk.as_disk(), accepting(options), Arc::new(SystemClock)).map(drop);
        assert!(matches!(refused, Err(StoreError::Corrupt { .. })), "{refused:?}");
        assert!(files(&disk) == before, "a refused opening changed {:?}", disk.names(""));
        assert_eq!(loss(&disk, options), Loss::Tree { log_start: Some(1) });
        disk.tamper(&disk.names("log-")[0], |content| content[0] ^= 1);
        assert_eq!(loss(&disk, options), Loss::Tree { log_start: None });
    }
}

#[test]
fn the_mark_is_exact_after_closing() {
    for options in BOTH {
        let disk = PowerDisk::new();
        let store = start(&disk.as_disk(), options());
        for i in 0..20 {
            put(&store, &format!("{i:04}"), vec![1; 500]).unwrap();
        }
        store.close().unwrap();
        // Without the tree, the log must have all of them.
        let name = last_segment(&disk);
        disk.as_disk().remove("tree").unwrap();
        disk.tamper(&name, |content| content[FRAMES_START + 5_000..].fill(0));
        let opened = Store::open(disk.as_disk(), accepting(options), Arc::new(SystemClock)).unwrap();
        assert!(
            matches!(opened.lost(), [Loss::Tree { .. }, Loss::Log { durable_sequence: 20, .. }]),
            "{:?}",
            opened.lost()
        );
    }
}

#[test]
fn the_mark_follows_the_commits_by_itself() {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), StoreOptions { reach_interval: Duration::ZERO, ..options() });
    put(&store, "a", "1").unwrap();
    let name = last_segment(&disk);
    // Sooner or later; the test ends when it is there.
    let started = Instant::now();
    let survivor = loop {
        assert!(started.elapsed() < Duration::from_secs(60), "the mark was never written");
        let survivor = disk.after_kill();
        survivor.tamper(&name, |content| content[FRAMES_START..].fill(0));
        if try_start(&survivor.as_disk(), options()).is_err() {
            break survivor;
        }
        std::thread::yield_now();
    };
    assert!(matches!(loss(&survivor, options), Loss::Log { durable_sequence: 1, .. }));
}

#[test]
fn without_syncing_the_mark_promises_only_what_a_segment_left_behind() {
    let never = || StoreOptions { sync: SyncPolicy::Never, ..small() };
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), StoreOptions { overlay_bytes_max: 128 << 20, ..never() });
    for i in 0..100 {
        put(&store, &format!("{i:04}"), vec![1; 500]).unwrap();
    }
    store.write_reach();
    for seed in 0..20 {
        let survivor = disk.after_power_loss(&mut Random::new(seed));
        try_start(&survivor.as_disk(), never()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// The folder as a program left it that didn't know the mark.
fn of_older_program(options: fn() -> StoreOptions) -> PowerDisk {
    let disk = killed(options, 20);
    let opened = Store::open(disk.as_disk(), options(), Arc::new(SystemClock)).unwrap();
    opened.tree().forget_reach_file().unwrap();
    drop(opened);
    disk.as_disk().remove("reach").unwrap();
    disk.as_disk().sync_directory().unwrap();
    disk
}

#[test]
fn a_folder_of_an_older_program_is_taken_once_wherever_the_power_goes_meanwhile() {
    for options in BOTH {
        for cut in 0.. {
            let disk = of_older_program(options);
            disk.cut_power_after_syncs(cut);
            let is_open = try_start(&disk.as_disk(), options()).is_ok();
            for seed in 0..8 {
                let survivor = disk.after_power_loss(&mut Random::new(seed));
                let store = try_start(&survivor.as_disk(), options())
                    .unwrap_or_else(|error| panic!("cut {cut}, seed {seed}: {error}"));
                assert_eq!(store.view().sequence(), 20);
            }
            if is_open {
                break;
            }
        }
        let disk = of_older_program(options);
        drop(start(&disk.as_disk(), options()));
        disk.as_disk().remove("reach").unwrap();
        assert!(matches!(loss(&disk, options), Loss::Reach { .. }));
    }
}

#[test]
fn a_log_of_an_older_program_that_is_gone_is_damage() {
    let disk = of_older_program(options);
    let store = start(&disk.as_disk(), options());
    store.close().unwrap();
    drop(store);
    let opened = Store::open(disk.as_disk(), options(), Arc::new(SystemClock)).unwrap();
    opened.tree().forget_reach_file().unwrap();
    drop(opened);
    for name in disk.names("log-").into_iter().chain(["reach".to_owned()]) {
        disk.as_disk().remove(&name).unwrap();
    }
    let refused = try_start(&disk.as_disk(), options()).err().expect("the log is gone");
    assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused}");
}
