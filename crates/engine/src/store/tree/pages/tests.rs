//! Pages come back as they were written or are refused, with checksums and encrypted, and the power may go at any time.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::store::tests::fixture::{Random, key};
use crate::store::tests::power_disk::PowerDisk;

const PAGE: usize = PAGE_BYTES;

/// Pages with checksums and encrypted pages.
fn protections() -> [Option<Arc<Sealing>>; 2] {
    let disk = PowerDisk::new().as_disk();
    [None, Sealing::unlock(&disk, Some(&key())).expect("an empty folder")]
}

fn try_open(disk: &PowerDisk, sealing: &Option<Arc<Sealing>>) -> Result<PagedFile, StoreError> {
    PagedFile::open(disk.as_disk().open("tree").unwrap(), "tree", sealing.as_ref())
}

fn open(disk: &PowerDisk, sealing: &Option<Arc<Sealing>>) -> PagedFile {
    try_open(disk, sealing).unwrap()
}

fn read(file: &PagedFile, page: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; PAGE];
    file.read_exact_at(page * PAGE as u64, &mut bytes)?;
    Ok(bytes)
}

#[test]
fn lengths_and_places_agree() {
    for sealing in protections() {
        let protection = Protection::new(sealing.as_ref()).unwrap();
        let layout = Layout::of(&protection);
        for pages in 0..1_000 {
            assert!(layout.is_whole(layout.file_bytes(pages)));
            assert_eq!(layout.pages_in(layout.file_bytes(pages)), pages);
            if pages > 0 {
                let place = layout.place(pages);
                assert_eq!(place.data + PAGE as u64, layout.file_bytes(pages), "page {pages} is the last");
                assert!(place.slot >= GROUPS_AT && place.slot + layout.slot_bytes as u64 <= place.data);
            }
        }
        let [one, other] = COPIES_AT;
        let copy_bytes = (layout.slot_bytes + NUMBER_BYTES + PAGE) as u64;
        assert!(protection.header_bytes() as u64 <= one);
        assert!(one + copy_bytes <= other && other + copy_bytes <= GROUPS_AT, "copies overlap");
    }
}

#[test]
fn pages_come_back_across_groups_and_after_growing_and_shrinking() {
    for sealing in protections() {
        let disk = PowerDisk::new();
        let file = open(&disk, &sealing);
        assert_eq!(file.len().unwrap(), 0);
        file.set_len(600 * PAGE as u64).unwrap();
        let content: Vec<u8> = (0..510 * PAGE).map(|place| (place / 7) as u8).collect();
        file.write_all_at(50 * PAGE as u64, &content).unwrap();
        file.write_all_at(0, b"header").unwrap();
        file.write_all_at(PAGE as u64 - 2, &[7; PAGE + 2]).unwrap();
        file.write_all_at(PAGE as u64 + 5, b"amid a page").unwrap();
        file.sync_data().unwrap();
        let check = |file: &PagedFile| {
            assert_eq!(file.len().unwrap(), 600 * PAGE as u64);
            let mut read = vec![0; content.len()];
            file.read_exact_at(50 * PAGE as u64, &mut read).unwrap();
            assert!(read == content);
            file.read_exact_at(50 * PAGE as u64 + 5, read.get_mut(..PAGE).unwrap()).unwrap();
            assert!(read[..PAGE] == content[5..PAGE + 5]);
            let mut first = [1; 8];
            file.read_exact_at(0, &mut first).unwrap();
            assert_eq!(&first, b"header\0\0");
            let mut edge = [0; 9];
            file.read_exact_at(PAGE as u64 - 2, &mut edge).unwrap();
            assert_eq!(&edge, b"\x07\x07\x07\x07\x07\x07\x07am");
        };
        check(&file);
        check(&open(&disk, &sealing));
        file.set_len(150 * PAGE as u64).unwrap();
        file.set_len(600 * PAGE as u64).unwrap();
        assert!(read(&file, 149).is_ok());
        for page in [150, 300, 599] {
            assert!(read(&file, page).is_err(), "what was cut away is gone");
        }
    }
}

#[test]
fn a_page_that_was_changed_moved_or_brought_from_another_file_is_refused() {
    for sealing in protections() {
        let disk = PowerDisk::new();
        let file = open(&disk, &sealing);
        let slot_bytes = file.layout().slot_bytes;
        file.set_len(6 * PAGE as u64).unwrap();
        for page in 1..5 {
            file.write_all_at(page * PAGE as u64, &vec![page as u8; PAGE]).unwrap();
        }
        // The block of slots is at 5 pages, and page 1 follows it.
        let (slots, data) = (5 * PAGE, 6 * PAGE);
        disk.tamper("tree", |content| {
            content.copy_within(data..data + PAGE, data + PAGE);
            content.copy_within(slots..slots + slot_bytes, slots + slot_bytes);
            content[data + 2 * PAGE + 17] ^= 1;
            content[slots + 4 * slot_bytes - 1] ^= 128;
        });
        assert_eq!(read(&file, 1).unwrap(), vec![1; PAGE]);
        for (page, why) in [(2, "moved"), (3, "changed"), (4, "its slot changed"), (5, "never written")] {
            let refused = read(&file, page).expect_err(why).to_string();
            let offset = data + (page as usize - 1) * PAGE;
            let expected = format!("tree is damaged at offset {offset}: page {page} is not what was written");
            assert_eq!(refused, expected, "{why}");
        }
        let other = PowerDisk::new();
        let elsewhere = open(&other, &sealing);
        elsewhere.set_len(2 * PAGE as u64).unwrap();
        let content = disk.content("tree");
        other.tamper("tree", |to| {
            to[slots..slots + slot_bytes].copy_from_slice(&content[slots..slots + slot_bytes]);
            to[data..data + PAGE].copy_from_slice(&content[data..data + PAGE]);
        });
        assert!(read(&elsewhere, 1).is_err(), "a page of another file");
        assert!(try_open(&other, &sealing).is_err(), "a file without a first page");
    }
}

#[test]
fn damage_stays_damage_when_a_part_of_its_page_or_a_neighbour_is_written() {
    for sealing in protections() {
        let disk = PowerDisk::new();
        let file = open(&disk, &sealing);
        file.set_len(4 * PAGE as u64).unwrap();
        file.write_all_at(PAGE as u64, &[1; 3 * PAGE]).unwrap();
        disk.tamper("tree", |content| content[7 * PAGE + 100] ^= 1);
        assert!(file.write_all_at(2 * PAGE as u64 + 200, b"a part").is_err());
        file.write_all_at(PAGE as u64, &[2; PAGE]).unwrap();
        file.write_all_at(3 * PAGE as u64, &[2; PAGE]).unwrap();
        file.sync_data().unwrap();
        assert!(read(&file, 2).is_err());
        assert!(read(&file, 1).is_ok() && read(&file, 3).is_ok());
        file.write_all_at(2 * PAGE as u64, &[3; PAGE]).unwrap();
        assert_eq!(read(&file, 2).unwrap(), vec![3; PAGE], "a page that is written whole is a new one");
    }
}

#[test]
fn a_cut_file_is_refused_wherever_it_is_cut() {
    for sealing in protections() {
        let whole = PowerDisk::new();
        let file = open(&whole, &sealing);
        file.set_len(4 * PAGE as u64).unwrap();
        file.write_all_at(0, &[1; 4 * PAGE]).unwrap();
        file.sync_data().unwrap();
        let length = whole.content("tree").len();
        for cut in (1..length).step_by(511).filter(|cut| cut % PAGE != 0) {
            let disk = whole.after_kill();
            disk.tamper("tree", |content| content.truncate(cut));
            let refused = try_open(&disk, &sealing).err().unwrap_or_else(|| panic!("cut at {cut}"));
            assert!(refused.to_string().contains("cut"), "cut at {cut}: {refused}");
        }
    }
}

#[test]
fn the_first_page_survives_a_power_cut_at_any_sync() {
    for sealing in protections() {
        for (cut, seed) in (0..8).flat_map(|cut| (0..40).map(move |seed| (cut, seed))) {
            let disk = PowerDisk::new();
            let file = open(&disk, &sealing);
            file.set_len(3 * PAGE as u64).unwrap();
            file.write_all_at(0, &[0; 64]).unwrap();
            file.sync_data().unwrap();
            disk.as_disk().sync_directory().unwrap();
            disk.cut_power_after_syncs(cut);
            let (mut durable, mut written) = (0, 0);
            for round in 1..=12_u8 {
                // Two writes between syncs, as when the library's cache is full.
                for half in 0..2 {
                    written = round * 2 + half;
                    if file.write_all_at(0, &[written; 64]).is_err() {
                        break;
                    }
                }
                if file.sync_data().is_err() {
                    break;
                }
                durable = written;
            }
            let survivor = disk.after_power_loss(&mut Random::new(seed));
            let mut found = [0; 64];
            open(&survivor, &sealing).read_exact_at(0, &mut found).unwrap();
            assert!(found.iter().all(|byte| *byte == found[0]), "cut {cut}, seed {seed}: torn");
            assert!((durable..=written).contains(&found[0]), "cut {cut}, seed {seed}: {found:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever bytes change, each page reads as it was written or not at all, and what is written later reads right.
    #[test]
    fn changed_bytes_never_come_back_as_a_page(
        is_encrypted in any::<bool>(),
        changes in proptest::collection::vec((0..1_000_000_usize, 1..=255_u8), 1..6),
        rewritten in 1..300_u64,
    ) {
        let sealing = protections().into_iter().nth(usize::from(is_encrypted)).flatten();
        let disk = PowerDisk::new();
        let file = open(&disk, &sealing);
        file.set_len(300 * PAGE as u64).unwrap();
        let page = |number: u64| -> Vec<u8> { (0..PAGE).map(|at| (at as u64 * number) as u8).collect() };
        (0..300).for_each(|number| file.write_all_at(number * PAGE as u64, &page(number)).unwrap());
        file.sync_data().unwrap();
        disk.tamper("tree", |content| {
            let length = content.len();
            changes.iter().for_each(|(at, change)| content[at % length] ^= change);
        });
        if let Ok(file) = try_open(&disk, &sealing) {
            file.write_all_at(rewritten * PAGE as u64, &page(rewritten)).unwrap();
            prop_assert!(read(&file, rewritten).is_ok());
            for number in 0..300 {
                if let Ok(found) = read(&file, number) {
                    prop_assert!(found == page(number), "page {number}");
                }
            }
        }
    }
}
