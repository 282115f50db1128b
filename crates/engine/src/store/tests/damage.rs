//! Damaged files are reported with file and offset; only what was never acknowledged may be cut off.

use std::time::Duration;

use super::fixture::{bytes, contents, put, sealed, start, try_start};
use super::power_disk::PowerDisk;
use crate::store::{StoreError, StoreOptions};

const FRAMES_START: usize = 4096;

fn options() -> StoreOptions {
    // The mark of how far the log reaches is not written while a test writes, however slow the machine is.
    StoreOptions {
        segment_bytes: 16 << 10,
        reach_interval: Duration::from_secs(3_600),
        ..StoreOptions::default()
    }
}

/// Either without or with encryption.
const BOTH: [fn() -> StoreOptions; 2] = [options, || sealed(options())];

/// A disk with `count` commits in its log and none in its tree, as after kill -9.
fn killed(options: fn() -> StoreOptions, count: usize, value_bytes: usize) -> PowerDisk {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), options());
    for i in 0..count {
        put(&store, &format!("{i:04}"), vec![1; value_bytes]).unwrap();
    }
    disk.after_kill()
}

fn last_segment(disk: &PowerDisk) -> String {
    disk.names("log-").pop().expect("a segment")
}

fn frame_length(content: &[u8], offset: usize) -> usize {
    u32::from_le_bytes(content[offset..offset + 4].try_into().unwrap()) as usize
}

/// The offsets of the frames, and the end of the last one.
fn frames(content: &[u8]) -> Vec<usize> {
    let mut offsets = vec![FRAMES_START];
    loop {
        let last = *offsets.last().unwrap();
        match content.get(last..last + 4).map(|_| frame_length(content, last)) {
            Some(length) if length > 0 => offsets.push(last + length),
            _ => return offsets,
        }
    }
}

#[test]
fn a_torn_last_frame_is_the_end_of_the_log_wherever_it_is_torn() {
    for options in BOTH {
        let disk = killed(options, 5, 50);
        let name = last_segment(&disk);
        let content = disk.content(&name);
        let offsets = frames(&content);
        let (last, end) = (offsets[4], offsets[5]);
        for cut in last..end {
            let disk = disk.after_kill();
            disk.tamper(&name, |content| content[cut..end].fill(0));
            let store = start(&disk.as_disk(), options());
            assert_eq!(store.view().sequence(), 4, "cut at {cut}");
            put(&store, "after", "1").unwrap();
            let store = start(&disk.after_kill().as_disk(), options());
            assert_eq!((store.view().sequence(), contents(&store.view()).len()), (5, 5), "cut at {cut}");
        }
    }
}

#[test]
fn a_file_cut_short_within_its_last_frame_is_the_end_of_the_log() {
    for options in BOTH {
        let disk = killed(options, 5, 50);
        let name = last_segment(&disk);
        let end = *frames(&disk.content(&name)).last().unwrap();
        disk.tamper(&name, |content| content.truncate(end - 7));
        assert_eq!(start(&disk.as_disk(), options()).view().sequence(), 4);
    }
}

#[test]
fn a_flipped_bit_before_the_last_frame_is_reported_with_file_and_offset() {
    for options in BOTH {
        let disk = killed(options, 4, 20);
        let name = last_segment(&disk);
        let offsets = frames(&disk.content(&name));
        for at in FRAMES_START..offsets[3] {
            let frame = *offsets.iter().rfind(|offset| **offset <= at).unwrap();
            disk.tamper(&name, |content| content[at] ^= 1 << (at % 8));
            let refused = try_start(&disk.as_disk(), options())
                .err()
                .unwrap_or_else(|| panic!("flip at {at} went unseen"));
            match refused {
                StoreError::Corrupt { file, offset, .. } => {
                    assert_eq!((file, offset), (name.clone(), frame as u64))
                }
                other => panic!("flip at {at}: {other}"),
            }
            disk.tamper(&name, |content| content[at] ^= 1 << (at % 8));
        }
        assert_eq!(start(&disk.as_disk(), options()).view().sequence(), 4);
    }
}

#[test]
fn a_flipped_bit_in_an_earlier_segment_is_reported() {
    for options in BOTH {
        let disk = killed(options, 100, 500);
        let names = disk.names("log-");
        assert!(names.len() > 2);
        for name in &names[..names.len() - 1] {
            let last_frame = { frames(&disk.content(name)).into_iter().rev().nth(1).unwrap() };
            disk.tamper(name, |content| content[last_frame + 45] ^= 1);
            let refused = try_start(&disk.as_disk(), options()).err().expect("damage");
            assert!(
                matches!(&refused, StoreError::Corrupt { file, offset, .. }
                if file == name && *offset == last_frame as u64),
                "{refused}"
            );
            disk.tamper(name, |content| content[last_frame + 45] ^= 1);
        }
    }
}

#[test]
fn a_damaged_header_is_reported() {
    for options in BOTH {
        let disk = killed(options, 3, 50);
        let name = last_segment(&disk);
        for at in 0..32 {
            disk.tamper(&name, |content| content[at] ^= 1);
            let refused = try_start(&disk.as_disk(), options()).err().expect("damage");
            let expected = matches!(refused, StoreError::Corrupt { .. } | StoreError::UnknownVersion { .. });
            assert!(expected, "byte {at}: {refused}");
            disk.tamper(&name, |content| content[at] ^= 1);
        }
    }
}

#[test]
fn a_newer_format_is_refused_by_its_version() {
    let disk = killed(options, 3, 50);
    disk.tamper(&last_segment(&disk), |content| content[8] = 9);
    let refused = try_start(&disk.as_disk(), options()).err().expect("an unknown version");
    assert!(matches!(refused, StoreError::UnknownVersion { found: 9, known: 2, .. }), "{refused}");
}

#[test]
fn a_missing_segment_is_reported() {
    for options in BOTH {
        let disk = killed(options, 100, 500);
        let names = disk.names("log-");
        disk.as_disk().remove(&names[1]).unwrap();
        let refused = try_start(&disk.as_disk(), options()).err().expect("a gap");
        assert!(matches!(refused, StoreError::Corrupt { .. }), "{refused}");
    }
}

#[test]
fn a_log_that_is_gone_is_reported() {
    for options in BOTH {
        let disk = PowerDisk::new();
        let store = start(&disk.as_disk(), options());
        put(&store, "a", "1").unwrap();
        drop(store);
        for name in disk.names("log-") {
            disk.as_disk().remove(&name).unwrap();
        }
        let refused = try_start(&disk.as_disk(), options()).err().expect("the log is gone");
        assert!(matches!(refused, StoreError::Loss(_)), "{refused}");
    }
}

#[test]
fn frames_left_by_an_earlier_life_of_the_file_are_never_taken_for_new_ones() {
    // The interrupted write left its second frame but not its first; the same numbers are then written again.
    let disk = killed(options, 3, 50);
    let name = last_segment(&disk);
    let offsets = frames(&disk.content(&name));
    disk.tamper(&name, |content| {
        // Commits 2 and 3 as if they had been one unacknowledged write.
        for frame in 1..3 {
            let (start, end) = (offsets[frame], offsets[frame + 1]);
            content[start + 16..start + 24].copy_from_slice(&1_u64.to_le_bytes());
            let mut sum = crc32fast::Hasher::new();
            let id = u64::from_str_radix(&name[4..], 16).unwrap();
            sum.update(&id.to_le_bytes());
            sum.update(&content[start + 8..end]);
            content[start + 4..start + 8].copy_from_slice(&sum.finalize().to_le_bytes());
        }
        content[offsets[1] + 50] ^= 1;
    });
    let store = start(&disk.as_disk(), options());
    assert_eq!(store.view().sequence(), 1);
    put(&store, "0001", vec![1; 50]).unwrap();
    let store = start(&disk.after_kill().as_disk(), options());
    assert_eq!(store.view().sequence(), 2);
    assert_eq!(store.view().get(b"0002").unwrap(), None);
    assert_eq!(contents(&store.view())[0].0, bytes("0000"));
}
