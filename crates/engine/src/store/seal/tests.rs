//! Keys and sealed files: what is sealed comes back, or is refused, and the power may go at any time.

use std::sync::Arc;

use proptest::prelude::*;

use super::keys::Sealing;
use super::{Key, KeyError, SealedDisk, rotate_key};
use crate::store::tests::fixture::{Random, key, put, sealed, small, start, try_start};
use crate::store::tests::power_disk::PowerDisk;
use crate::store::{Disk, DiskFile, MemoryDisk, StoreError};

const PAGE: usize = 4096;

fn other_key() -> Key {
    Key::from_bytes([8; 32])
}

fn unlock(disk: &Arc<dyn Disk>, key: Option<&Key>) -> Result<Option<Arc<Sealing>>, StoreError> {
    Sealing::unlock(disk, key)
}

fn key_error(result: Result<Option<Arc<Sealing>>, StoreError>) -> KeyError {
    match result {
        Err(StoreError::Key(error)) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[test]
fn a_key_reads_as_bytes_hexadecimal_digits_and_base64() {
    let bytes: [u8; 32] = std::array::from_fn(|place| place as u8 * 7);
    let id = Key::from_bytes(bytes).id();
    let hex = "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9";
    let base64 = "AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk=";
    let texts = [
        hex.to_owned(),
        hex.to_uppercase(),
        format!("  {hex}\n"),
        base64.to_owned(),
        base64.trim_end_matches('=').to_owned(),
        base64.replace('+', "-").replace('/', "_"),
    ];
    assert_eq!(Key::parse(&bytes).unwrap().id(), id);
    for text in texts {
        assert_eq!(Key::parse(text.as_bytes()).unwrap().id(), id, "{text:?}");
    }
    assert_eq!(Key::from_bytes(bytes).to_hex().as_str(), hex);
}

#[test]
fn what_is_no_key_is_refused() {
    for text in ["", "short", &"g".repeat(64), &"0".repeat(63), &"=".repeat(44)] {
        assert!(matches!(Key::parse(text.as_bytes()), Err(KeyError::Malformed { .. })), "{text:?}");
    }
    assert!(matches!(Key::from_file("/no/such/file"), Err(KeyError::Unreadable(_))));
    assert!(Key::from_environment(|_| None).unwrap().is_none());
    assert!(Key::from_environment(|_| Some("\n".to_owned())).unwrap().is_none());
    assert!(Key::from_environment(|_| Some("x".to_owned())).is_err());
}

#[test]
fn a_key_shows_its_id_and_nothing_else() {
    let key = Key::from_bytes([0xAB; 32]);
    let shown = format!("{key:?}");
    assert!(shown.contains(&key.id().to_string()) && !shown.to_lowercase().contains("abab"), "{shown}");
    assert_ne!(key.id(), other_key().id());
}

#[test]
fn a_folder_opens_with_its_key_and_with_no_other() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    assert!(unlock(&disk, None).unwrap().is_none());
    assert!(unlock(&disk, Some(&key())).unwrap().is_some());
    assert!(unlock(&disk, Some(&key())).unwrap().is_some());
    assert_eq!(key_error(unlock(&disk, None)), KeyError::Missing { id: key().id() });
    let wrong = KeyError::Wrong { expected: key().id(), given: other_key().id() };
    assert_eq!(key_error(unlock(&disk, Some(&other_key()))), wrong);
}

#[test]
fn a_key_for_data_that_is_not_encrypted_is_refused_and_nothing_changes() {
    let disk = PowerDisk::new();
    put(&start(&disk.as_disk(), small()), "a", "1").unwrap();
    let names = disk.names("");
    assert_eq!(key_error(unlock(&disk.as_disk(), Some(&key()))), KeyError::NotEncrypted);
    assert_eq!(disk.names(""), names);
    assert_eq!(start(&disk.as_disk(), small()).view().sequence(), 1);
}

#[test]
fn encrypted_data_whose_keys_are_gone_is_recognised() {
    let disk = PowerDisk::new();
    put(&start(&disk.as_disk(), sealed(small())), "a", "1").unwrap();
    let keys = disk.content("keys");
    disk.as_disk().remove("keys").unwrap();
    for key in [None, Some(&key())] {
        assert!(matches!(key_error(unlock(&disk.as_disk(), key)), KeyError::KeysGone { .. }));
    }
    disk.as_disk().open("keys").unwrap().write_all_at(0, &keys).unwrap();
    assert_eq!(start(&disk.as_disk(), sealed(small())).view().sequence(), 1);
}

#[test]
fn every_flipped_bit_and_every_cut_of_the_keys_is_reported() {
    let disk = PowerDisk::new();
    unlock(&disk.as_disk(), Some(&key())).unwrap();
    let whole = disk.content("keys");
    for bit in 0..whole.len() * 8 {
        disk.tamper("keys", |content| content[bit / 8] ^= 1 << (bit % 8));
        assert!(
            matches!(key_error(unlock(&disk.as_disk(), Some(&key()))), KeyError::Damaged { .. }),
            "bit {bit}"
        );
        disk.tamper("keys", |content| content[bit / 8] ^= 1 << (bit % 8));
    }
    for length in 0..whole.len() {
        disk.tamper("keys", |content| content.truncate(length));
        assert!(matches!(key_error(unlock(&disk.as_disk(), Some(&key()))), KeyError::Damaged { .. }));
        disk.tamper("keys", |content| *content = whole.clone());
    }
}

#[test]
fn after_a_change_of_the_key_only_the_new_one_opens_and_no_data_was_written() {
    let disk = PowerDisk::new();
    put(&start(&disk.as_disk(), sealed(small())), "a", "1").unwrap();
    let before: Vec<_> = ["tree", "log-"].iter().flat_map(|prefix| disk.names(prefix)).collect();
    let contents: Vec<_> = before.iter().map(|name| disk.content(name)).collect();
    let wrong = rotate_key(disk.as_disk().as_ref(), &other_key(), &Key::from_bytes([9; 32]));
    assert!(matches!(wrong, Err(StoreError::Key(KeyError::Wrong { .. }))));
    rotate_key(disk.as_disk().as_ref(), &key(), &other_key()).unwrap();
    assert_eq!(before.iter().map(|name| disk.content(name)).collect::<Vec<_>>(), contents);
    assert!(matches!(key_error(unlock(&disk.as_disk(), Some(&key()))), KeyError::Wrong { .. }));
    let options = crate::store::StoreOptions { key: Some(other_key()), ..small() };
    assert_eq!(start(&disk.as_disk(), options).view().sequence(), 1);
    // Again, as after an interruption that came too late to be noticed.
    rotate_key(disk.as_disk().as_ref(), &key(), &other_key()).unwrap();
    let plain = PowerDisk::new();
    let refused = rotate_key(plain.as_disk().as_ref(), &key(), &other_key());
    assert!(matches!(refused, Err(StoreError::Key(KeyError::NotEncrypted))));
}

#[test]
fn a_change_of_the_key_cut_at_any_step_leaves_one_of_the_two() {
    let disk = PowerDisk::new();
    unlock(&disk.as_disk(), Some(&key())).unwrap();
    for cut in 0..4 {
        for seed in 0..32 {
            let disk = disk.after_kill();
            disk.cut_power_after_syncs(cut);
            let rotated = rotate_key(disk.as_disk().as_ref(), &key(), &other_key());
            let survivor = disk.after_power_loss(&mut Random::new(seed)).as_disk();
            let (old, new) = (unlock(&survivor, Some(&key())), unlock(&survivor, Some(&other_key())));
            assert!(old.is_ok() != new.is_ok(), "cut {cut}, seed {seed}");
            assert!(new.is_ok() || rotated.is_err(), "cut {cut}, seed {seed}: it was said to be done");
            rotate_key(survivor.as_ref(), &key(), &other_key()).unwrap();
            unlock(&survivor, Some(&other_key())).unwrap();
        }
    }
}

#[test]
fn beginning_an_encrypted_folder_can_be_cut_at_any_step() {
    for cut in 0..12 {
        for seed in 0..8 {
            let disk = PowerDisk::new();
            disk.cut_power_after_syncs(cut);
            let _ = try_start(&disk.as_disk(), sealed(small()));
            let survivor = disk.after_power_loss(&mut Random::new(seed)).as_disk();
            let store = try_start(&survivor, sealed(small()));
            put(&store.unwrap_or_else(|error| panic!("cut {cut}, seed {seed}: {error}")), "a", "1").unwrap();
        }
    }
}

fn sealed_disk(disk: &PowerDisk) -> Arc<dyn Disk> {
    SealedDisk::unlock(disk.as_disk(), Some(&key())).unwrap()
}

#[derive(Debug, Clone)]
enum Step {
    Append(usize),
    Write { at: u64, len: usize },
    SetLen(u64),
    Sync,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..9_000_usize).prop_map(Step::Append),
        1 => (0..30_000_u64, 0..9_000_usize).prop_map(|(at, len)| Step::Write { at, len }),
        1 => (0..30_000_u64).prop_map(Step::SetLen),
        2 => Just(Step::Sync),
        1 => Just(Step::Reopen),
    ]
}

fn read_whole(file: &dyn DiskFile) -> Vec<u8> {
    let mut content = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut content).unwrap();
    content
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_sealed_file_behaves_like_a_file(steps in proptest::collection::vec(step(), 1..30)) {
        let disk = PowerDisk::new();
        let mut file = sealed_disk(&disk).open("past-1").unwrap();
        let mut model: Vec<u8> = Vec::new();
        for (number, step) in (1_u8..).zip(steps) {
            match step {
                Step::Append(len) => {
                    file.write_all_at(model.len() as u64, &vec![number; len]).unwrap();
                    model.resize(model.len() + len, number);
                }
                Step::Write { at, len } => {
                    file.write_all_at(at, &vec![number; len]).unwrap();
                    let end = (at as usize + len).max(at as usize);
                    model.resize(model.len().max(end), 0);
                    model[at as usize..at as usize + len].fill(number);
                }
                Step::SetLen(len) => {
                    file.set_len(len).unwrap();
                    model.resize(len as usize, 0);
                }
                Step::Sync => file.sync_data().unwrap(),
                Step::Reopen => file = sealed_disk(&disk).open("past-1").unwrap(),
            }
            prop_assert!(read_whole(file.as_ref()) == model, "after step {number}");
        }
        for (at, len) in [(0, 1), (4_095, 2), (model.len() / 2, model.len() / 3), (model.len(), 0)] {
            if at + len <= model.len() {
                let mut part = vec![0; len];
                file.read_exact_at(at as u64, &mut part).unwrap();
                prop_assert!(part == model[at..at + len]);
            }
        }
        prop_assert!(file.read_exact_at(model.len() as u64, &mut [0]).is_err());
    }
}

#[test]
fn what_was_synced_of_a_growing_file_survives_power_cuts() {
    for seed in 0..80 {
        let random = &mut Random::new(seed);
        let mut disk = PowerDisk::new();
        sealed_disk(&disk).open("past-1").unwrap();
        disk.as_disk().sync_directory().unwrap();
        let mut content = Vec::new();
        for round in 0..5 {
            let file = sealed_disk(&disk).open("past-1").unwrap();
            let mut synced = content.len();
            disk.cut_power_after_syncs(random.below(8) as usize);
            while !disk.is_off() {
                // Bytes of an earlier round in the same place would differ.
                let piece = vec![random.next() as u8; random.below(9_000) as usize];
                if file.write_all_at(content.len() as u64, &piece).is_ok() {
                    content.extend_from_slice(&piece);
                }
                if random.below(2) == 0 && file.sync_data().is_ok() {
                    synced = content.len();
                }
            }
            disk = disk.after_power_loss(random);
            let found = read_whole(sealed_disk(&disk).open("past-1").unwrap().as_ref());
            let context = format!("seed {seed}, round {round}: {} of {synced}", found.len());
            assert!(found.len() >= synced && content.starts_with(&found), "{context}");
            content = found;
        }
    }
}

#[test]
fn a_sealed_file_begun_when_the_power_went_is_empty() {
    for cut in 0..3 {
        for seed in 0..32 {
            let disk = PowerDisk::new();
            let sealed = sealed_disk(&disk);
            disk.cut_power_after_syncs(cut);
            if let Ok(file) = sealed.open("past-1") {
                let _ = file.write_all_at(0, &[1; 10_000]);
                let _ = sealed.sync_directory();
            }
            let survivor = disk.after_power_loss(&mut Random::new(seed));
            let file =
                sealed_disk(&survivor).open("past-1").unwrap_or_else(|error| panic!("{cut} {seed}: {error}"));
            let found = read_whole(file.as_ref());
            assert!(found.len() <= 10_000 && found.iter().all(|byte| *byte == 1), "{cut} {seed}");
        }
    }
}

#[test]
fn every_flipped_byte_of_a_sealed_file_is_reported_or_changes_nothing() {
    let disk = PowerDisk::new();
    let file = sealed_disk(&disk).open("backup-1").unwrap();
    let content: Vec<u8> = (0..10_000).map(|place| (place / 3) as u8).collect();
    file.write_all_at(0, &content).unwrap();
    file.sync_data().unwrap();
    let length = disk.content("backup-1").len();
    let mut reported = 0;
    // One key for all: deriving it anew would take most of the time.
    let sealing = unlock(&disk.as_disk(), Some(&key())).unwrap().expect("there is a key");
    for at in 0..length {
        disk.tamper("backup-1", |content| content[at] ^= 1 << (at % 8));
        let read = sealing.seal_files(&disk.as_disk()).open("backup-1").and_then(|file| {
            let mut read = vec![0; file.len()? as usize];
            file.read_exact_at(0, &mut read)?;
            Ok(read)
        });
        match read {
            Ok(read) => assert!(read == content, "byte {at}"),
            Err(error) => {
                assert!(error.to_string().contains("backup-1"), "{error}");
                reported += 1;
            }
        }
        disk.tamper("backup-1", |content| content[at] ^= 1 << (at % 8));
    }
    // The header and two full blocks; the last block has two copies, and between them is nothing.
    assert_eq!(reported, 48 + 2 * (PAGE + 40));
}

#[test]
fn files_opened_twice_and_renamed_are_one() {
    let disk = PowerDisk::new();
    let sealed = sealed_disk(&disk);
    let (one, other) = (sealed.open("a").unwrap(), sealed.open("a").unwrap());
    one.write_all_at(0, b"text").unwrap();
    assert_eq!(read_whole(other.as_ref()), b"text");
    sealed.rename("a", "b").unwrap();
    assert_eq!(read_whole(sealed.open("b").unwrap().as_ref()), b"text");
    sealed.remove("b").unwrap();
    assert_eq!(sealed.open("b").unwrap().len().unwrap(), 0);
}

#[test]
fn a_cut_file_is_reported() {
    let disk = PowerDisk::new();
    let file = sealed_disk(&disk).open("past-1").unwrap();
    file.write_all_at(0, &[1; 3 * PAGE]).unwrap();
    file.sync_data().unwrap();
    disk.tamper("past-1", |content| content.truncate(content.len() - PAGE));
    let refused = sealed_disk(&disk).open("past-1").err().expect("it was cut");
    assert!(refused.to_string().contains("cut"), "{refused}");
}
