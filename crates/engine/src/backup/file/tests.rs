//! Tests of backup files: they are read as written, and changes are noticed.

use std::sync::Arc;

use singlet_values::{EncodedItem, Item};

use super::{BLOCK_BYTES_MAX, FileReader, FileWriter, Totals};
use crate::bookkeeping::{Backup, BackupState};
use crate::error::{Error, Result};
use crate::moment::Moment;
use crate::request::{CreateTable, IndexDefinition, ScalarType};
use crate::store::tests::fixture::example;
use crate::store::{Disk, DiskFile, MemoryDisk, Tally};
use crate::table::{Birth, Table};

fn head(tally: Tally) -> Backup {
    let birth = Birth { number: 7, time_ms: 5, arn_prefix: "arn:aws:dynamodb:us-east-1:000000000000:table/" };
    let table = CreateTable::new("recipes", "id", ScalarType::N)
        .attribute("kind", ScalarType::S)
        .global_index(IndexDefinition::new("kinds", &["kind"], &[]));
    Backup {
        id: "01700000000000-0000abcd".to_owned(),
        name: "before the move".to_owned(),
        state: BackupState::Creating,
        moment: Moment { sequence: 41, time_ms: 1_700_000_000_000 },
        expires_ms: Some(1_800_000_000_000),
        table: Table::create(table, birth).unwrap(),
        tally,
    }
}

fn item(id: i64, body_bytes: usize) -> EncodedItem {
    let mut item = Item::from([("id", id)]);
    item.insert("body", "x".repeat(body_bytes));
    EncodedItem::encode(&item)
}

fn write(items: &[EncodedItem]) -> (Arc<dyn DiskFile>, Totals) {
    let file = MemoryDisk::new().open("file").unwrap();
    let bytes = items.iter().map(|item| item.size_bytes() as u64).sum();
    let head = head(Tally { count: items.len() as u64, bytes });
    let mut writer = FileWriter::create(file.clone(), "file", &head).unwrap();
    items.iter().for_each(|item| writer.push(item.as_bytes()).unwrap());
    let totals = writer.finish().unwrap();
    (file, totals)
}

fn read(file: &Arc<dyn DiskFile>) -> Result<Vec<EncodedItem>> {
    let mut reader = FileReader::open(file.clone(), "file")?;
    let mut items = Vec::new();
    while let Some(block) = reader.next_block()? {
        items.extend(block);
    }
    Ok(items)
}

fn bytes(file: &Arc<dyn DiskFile>) -> Vec<u8> {
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    bytes
}

fn file_of(bytes: &[u8]) -> Arc<dyn DiskFile> {
    let file = MemoryDisk::new().open("file").unwrap();
    file.write_all_at(0, bytes).unwrap();
    file
}

#[test]
fn what_was_written_is_read() {
    for items in [
        Vec::new(),
        vec![item(1, 3)],
        // Blocks of many small ones, of ones that fill a block, and one that is larger than a block.
        (0..3_000).map(|id| item(id, 90)).collect(),
        vec![item(1, BLOCK_BYTES_MAX - 100), item(2, 10), item(3, 390_000), item(4, 0)],
    ] {
        let (file, totals) = write(&items);
        assert_eq!(totals.items, items.len() as u64);
        assert_eq!(totals.size_bytes, items.iter().map(|item| item.size_bytes() as u64).sum::<u64>());
        assert_eq!(read(&file).unwrap(), items);
        let reader = FileReader::open(file.clone(), "file").unwrap();
        assert_eq!(*reader.head(), head(Tally { count: totals.items, bytes: totals.size_bytes }));
        assert_eq!(reader.verify(|_| Ok(())).unwrap(), totals);
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let items: Vec<_> = (0..40).map(|id| item(id, 2_000)).collect();
    let (file, totals) = write(&items);
    assert!(totals.blocks > 1);
    let whole = bytes(&file);
    // Every byte of head and foot and of where blocks begin, and some of the others.
    let is_tried = |at: usize| at < 2_500 || whole.len() - at < 200 || at.is_multiple_of(97);
    for at in (0..whole.len()).filter(|at| is_tried(*at)) {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            let found = read(&file_of(&damaged));
            assert!(matches!(found, Err(Error::Backup(_))), "byte {at} flipped by {flip:#x}: {found:?}");
        }
    }
}

#[test]
fn a_file_that_is_cut_or_longer_is_noticed() {
    let items: Vec<_> = (0..40).map(|id| item(id, 2_000)).collect();
    let whole = bytes(&write(&items).0);
    for length in (0..whole.len()).filter(|length| length % 31 == 0 || whole.len() - length < 100) {
        let found = read(&file_of(&whole[..length]));
        assert!(matches!(found, Err(Error::Backup(_))), "cut to {length}: {found:?}");
    }
    let longer = [whole.as_slice(), &[0]].concat();
    assert!(read(&file_of(&longer)).is_err());
}

#[test]
fn blocks_that_changed_places_are_noticed() {
    // Blocks of the same length, each with a right checksum of its own.
    let items: Vec<_> = (10..90).map(|id| item(id, 2_000)).collect();
    let whole = bytes(&write(&items).0);
    let head_bytes = 16 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize + 4;
    let block_bytes = 12 + u32::from_le_bytes(whole[head_bytes..head_bytes + 4].try_into().unwrap()) as usize;
    let (head, rest) = whole.split_at(head_bytes);
    let (first, rest) = rest.split_at(block_bytes);
    let (second, rest) = rest.split_at(block_bytes);
    let found = read(&file_of(&[head, second, first, rest].concat()));
    assert!(matches!(found, Err(Error::Backup(_))), "{found:?}");
    let found = read(&file_of(&[head, second, rest].concat()));
    assert!(matches!(found, Err(Error::Backup(_))), "{found:?}");
}

#[test]
fn another_file_and_a_later_format_are_told() {
    let told = |bytes: &[u8]| FileReader::open(file_of(bytes), "file").err().unwrap().to_string();
    assert!(told(b"something else that is long enough").contains("not a backup"));
    let mut later = bytes(&write(&[]).0);
    later[8] = 9;
    let head_bytes = 16 + u32::from_le_bytes(later[12..16].try_into().unwrap()) as usize;
    let checksum = crc32fast::hash(&later[..head_bytes]);
    later[head_bytes..head_bytes + 4].copy_from_slice(&checksum.to_le_bytes());
    assert!(told(&later).contains("format version 9"), "{}", told(&later));
}

#[test]
fn the_block_in_the_documentation_is_what_is_written() {
    let expected = example("backup block");
    let items = [1, 2].map(|id| EncodedItem::encode(&Item::from([("id", id)])));
    let whole = bytes(&write(&items).0);
    let head_bytes = 16 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize + 4;
    assert_eq!(whole[head_bytes..head_bytes + expected.len()], expected);
}
