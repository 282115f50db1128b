//! The simulated disk: what is synced stays, what isn't may go, and it does as it is told.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use std::collections::BTreeSet;

use singlet_engine_simulated::{Disk, DiskFile};
use singlet_scheduler::Random;
use singlet_sim::disk::{Faults, Loss, SimulatedDisk};

fn text(file: &dyn DiskFile) -> String {
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn synced(seed: u64) -> SimulatedDisk {
    let disk = SimulatedDisk::new(Random::new(seed));
    let file = disk.open("a").unwrap();
    file.write_all_at(0, b"safe").unwrap();
    file.sync_data().unwrap();
    disk.sync_directory().unwrap();
    disk
}

#[test]
fn what_is_synced_survives_and_what_is_not_may() {
    let added = "and sound, ".repeat(100);
    let whole = format!("safe{added}");
    let mut lengths = BTreeSet::new();
    for seed in 0..100 {
        let disk = synced(seed);
        disk.open("a").unwrap().write_all_at(4, added.as_bytes()).unwrap();
        let found = text(disk.after(Loss::Power).open("a").unwrap().as_ref());
        assert!(found.starts_with("safe"), "{found}");
        assert!(found.chars().zip(whole.chars()).all(|(now, then)| now == then || now == '\0'), "{found}");
        lengths.insert(found.len());
        let process = text(disk.after(Loss::Process).open("a").unwrap().as_ref());
        assert_eq!(process, whole);
    }
    assert!(lengths.len() > 4, "kept, lost and torn: {lengths:?}");
}

#[test]
fn a_sector_is_written_whole_or_not() {
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let disk = synced(seed);
        disk.open("a").unwrap().write_all_at(4, b" and sound").unwrap();
        seen.insert(text(disk.after(Loss::Power).open("a").unwrap().as_ref()));
    }
    assert_eq!(seen, BTreeSet::from(["safe", "safe and sound"].map(str::to_owned)));
}

#[test]
fn what_a_killed_process_left_may_be_lost_later() {
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let disk = synced(seed);
        disk.open("a").unwrap().write_all_at(4, b" and sound").unwrap();
        disk.rename("a", "b").unwrap();
        let killed = disk.after(Loss::Process);
        assert_eq!(killed.list().unwrap(), ["b"]);
        let cut = killed.after(Loss::Power);
        let name = cut.list().unwrap().concat();
        seen.insert(format!("{name}: {}", text(cut.open(&name).unwrap().as_ref())));
        killed.open("b").unwrap().sync_data().unwrap();
        killed.sync_directory().unwrap();
        let kept = killed.after(Loss::Power);
        assert_eq!(text(kept.open("b").unwrap().as_ref()), "safe and sound");
    }
    let all = ["a: safe", "a: safe and sound", "b: safe", "b: safe and sound"];
    assert_eq!(seen, BTreeSet::from(all.map(str::to_owned)));
}

#[test]
fn names_that_are_not_synced_may_be_lost_in_the_order_of_their_changes() {
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let disk = synced(seed);
        disk.rename("a", "b").unwrap();
        disk.open("c").unwrap();
        seen.insert(disk.after(Loss::Power).list().unwrap().join(" "));
    }
    assert_eq!(seen, BTreeSet::from(["a", "b", "b c"].map(str::to_owned)));
}

#[test]
fn after_a_sync_that_failed_a_later_one_promises_nothing() {
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let disk = synced(seed);
        let file = disk.open("a").unwrap();
        file.write_all_at(0, b"S").unwrap();
        disk.set_faults(Faults { fail_at: Some(1), ..Faults::default() });
        assert!(file.sync_data().is_err());
        file.write_all_at(3, b"E").unwrap();
        file.sync_data().unwrap();
        seen.insert(text(disk.after(Loss::Power).open("a").unwrap().as_ref()));
    }
    assert_eq!(seen, BTreeSet::from(["safE", "SafE"].map(str::to_owned)));
}

#[test]
fn after_a_folder_sync_that_failed_the_next_one_keeps_all_names_or_nothing_changes_any_more() {
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let disk = synced(seed);
        disk.rename("a", "b").unwrap();
        disk.set_faults(Faults { fail_at: Some(1), ..Faults::default() });
        assert!(disk.sync_directory().is_err());
        let is_kept = disk.sync_directory().is_ok();
        assert_eq!(disk.open("c").is_ok(), is_kept);
        assert_eq!(disk.open("b").unwrap().write_all_at(0, b"S").is_ok(), is_kept);
        let after = disk.after(Loss::Power);
        assert!(!is_kept || after.open("b").is_ok());
        let name = after.list().unwrap().concat();
        seen.insert((is_kept, name.replace('c', "")));
    }
    let all = [(true, "b"), (false, "a"), (false, "b")];
    assert_eq!(seen, BTreeSet::from(all.map(|(is_kept, name)| (is_kept, name.to_owned()))));
}

#[test]
fn a_lie_keeps_nothing_and_a_cut_ends_everything() {
    let mut kept = 0;
    for seed in 0..50 {
        let disk = synced(seed);
        let file = disk.open("a").unwrap();
        disk.set_faults(Faults { lie_one_in: 1, cut_at: Some(3), ..Faults::default() });
        file.write_all_at(0, b"S").unwrap();
        file.sync_data().unwrap();
        assert!(disk.has_lied());
        assert!(file.write_all_at(0, b"T").is_err());
        assert!(
            disk.is_cut() && file.sync_data().is_err() && disk.open("z").is_err() && disk.list().is_err()
        );
        assert!(file.read_exact_at(0, &mut [0]).is_err());
        kept += usize::from(text(disk.after(Loss::Power).open("a").unwrap().as_ref()) == "safe");
    }
    assert!(kept > 5, "{kept}");
}

#[test]
fn a_full_disk_takes_what_needs_no_room() {
    let disk = synced(1);
    disk.set_faults(Faults { bytes_max: Some(6), ..Faults::default() });
    let file = disk.open("a").unwrap();
    file.write_all_at(4, b"++").unwrap();
    assert_eq!(file.write_all_at(6, b"!").unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    file.write_all_at(0, b"SAFE").unwrap();
    assert!(disk.has_failed() && !disk.is_cut());
}

#[test]
fn a_bit_turns() {
    let disk = synced(1);
    disk.flip_bit().unwrap();
    let (before, after) = ("safe".as_bytes(), text(disk.open("a").unwrap().as_ref()));
    let turned: u32 =
        before.iter().zip(after.as_bytes()).map(|(before, after)| (before ^ after).count_ones()).sum();
    assert_eq!(turned, 1);
}
