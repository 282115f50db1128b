//! The examples in `docs/format.md` are what is written, and files that are used again are never mixed up.

use std::sync::Arc;

use bytes::Bytes;

use super::catalogue::SegmentCatalogue;
use super::frame::{Before, Frame, FrameEntry, seal, widen};
use super::seal::Seal;
use super::segment::encode_header;
use crate::store::seal::Sealing;
use crate::store::tally::{Space, TallyDelta};
use crate::store::tests::fixture::{Random, example, key};
use crate::store::tests::power_disk::PowerDisk;

#[test]
fn the_header_in_the_documentation_is_what_is_written() {
    assert_eq!(encode_header(3, 41), example("segment"));
}

/// The commit of the examples.
fn documented() -> Frame {
    let red = Bytes::from("red");
    let entry = |key: &'static str, value, before| FrameEntry { key: Bytes::from(key), value, before };
    Frame {
        sequence: 41,
        time_ms: 1_700_000_000_000,
        mark: 1,
        tallies: vec![TallyDelta { space: Space(7), count: 2, bytes: 6 }],
        entries: vec![
            entry("k1", Some(red.clone()), Before::Unrecorded),
            entry("k2", Some(red), Before::Unrecorded),
            entry("k3", None, Before::Recorded(Some(Bytes::from("old")))),
        ],
    }
}

#[test]
fn the_encrypted_segment_in_the_documentation_is_what_is_written() {
    let (salt, sealing) = (std::array::from_fn(|place| 0xA0 + place as u8), Sealing::example());
    assert_eq!(Seal::encode_header(&salt, &sealing, 3, 41), example("sealed segment"));
    let encrypted = Seal::Cipher { segment: 3, salt, sealing };
    let mut written = Vec::new();
    documented().encode(&mut written).expect("a small frame");
    let mut written = widen(&written, encrypted.growth());
    assert_eq!(seal(&encrypted, 4096, 40, &mut written), Some(41));
    assert_eq!(written, example("sealed frame"));
    let parsed = Frame::parse(&encrypted, 4096, &written).and_then(|sealed| sealed.decode());
    assert_eq!(parsed.expect("a good frame").0, documented());
    assert!(Frame::parse(&encrypted, 4097, &written).is_none(), "a frame of another place");
}

#[test]
fn the_frame_in_the_documentation_is_what_is_written() {
    let frame = documented();
    let mut written = Vec::new();
    frame.encode(&mut written).expect("a small frame");
    let [third, fourth] = [3, 4].map(|segment| Seal::Checksum { segment });
    assert_eq!(seal(&third, 4096, 40, &mut written), Some(41));
    assert_eq!(written, example("frame"));
    let read = Frame::parse(&third, 4096, &written).and_then(|sealed| sealed.decode()).expect("a good frame");
    assert_eq!(read, (frame, vec![true, false, true]));
    assert!(Frame::parse(&fourth, 4096, &written).is_none(), "a frame of another segment");
}

#[test]
fn a_power_cut_while_files_are_used_again_leaves_a_log_that_opens() {
    cut_while_files_are_used_again(None);
}

#[test]
fn a_power_cut_while_encrypted_files_are_used_again_leaves_a_log_that_opens() {
    let disk = PowerDisk::new().as_disk();
    cut_while_files_are_used_again(Sealing::unlock(&disk, Some(&key())).expect("an empty folder"));
}

fn cut_while_files_are_used_again(sealing: Option<Arc<Sealing>>) {
    const SEGMENT_BYTES: u64 = 16 << 10;
    let open = |disk: &PowerDisk| SegmentCatalogue::open(disk.as_disk(), sealing.clone(), SEGMENT_BYTES, 8);
    for cut in 0..12 {
        let disk = PowerDisk::new();
        let catalogue = open(&disk).expect("an empty folder");
        for first_sequence in [1, 10, 20] {
            catalogue.begin_segment(first_sequence, SEGMENT_BYTES, |_| Ok(())).expect("a segment");
        }
        disk.cut_power_after_syncs(cut);
        // The first two files become spares, and segments again.
        let _ = catalogue.folded(19).last().map(|(last, _)| catalogue.trim(last.id));
        let _ =
            [30, 40].map(|first_sequence| catalogue.begin_segment(first_sequence, SEGMENT_BYTES, |_| Ok(())));
        for seed in 0..32 {
            let survivor = disk.after_power_loss(&mut Random::new(seed));
            let reopened = open(&survivor).unwrap_or_else(|error| panic!("cut {cut}, seed {seed}: {error}"));
            assert!(
                reopened.segments().iter().any(|segment| segment.first_sequence == 20),
                "the last one in use"
            );
        }
    }
}
