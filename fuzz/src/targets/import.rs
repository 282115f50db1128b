//! Files of an import: the first line says in words what the rest is, such as `csv gzip`, `csv ; names` or `json zstd`.
//! With `frames` the rest isn't a file: it describes Zstandard frames that are made of it, with windows and blocks of any size.
//!
//! Promises:
//! - an import ends, and each item that it came across was written or counted as an error;
//! - what was written can be read, and `verify` finds items and indexes in order;
//! - written as a data file and imported again, they are the same items;
//! - of JSON that isn't compressed, each line that isn't blank is counted once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use singlet_engine::values::{EncodedItem, Item};
use singlet_engine::{
    BucketPlace, CreateTable, Database, ImportCompression, ImportCounts, ImportFormat, ImportTable,
    IndexDefinition, MemoryDisk, Options, ScalarType, Scan, TransferStatus, verify_on,
};
use singlet_transfer::FolderBuckets;
use singlet_wire::items::write_item_line;

use super::cut;
use crate::fixture::options;

const TABLE: &str = "imported";

/// Items by their keys.
type Items = BTreeMap<Vec<u8>, Item>;

pub(crate) fn run(input: &[u8]) {
    let (first, content) = cut(input, b'\n');
    let words: Vec<&str> = std::str::from_utf8(first).unwrap_or_default().split(' ').collect();
    let (format, compression) = kind(&words);
    let made = words.contains(&"frames").then(|| frames(content));
    let content = made.as_deref().unwrap_or(content);
    let is_plain_json = format == ImportFormat::DynamoDbJson && compression == ImportCompression::None;
    let Some((counts, items)) = import(content, format, compression) else { return };
    if is_plain_json {
        assert_eq!(counts.processed_items, lines(content), "each line is an item or an error");
    }

    let mut file = Vec::new();
    for item in items.values() {
        write_item_line(&mut file, EncodedItem::encode(item).view());
        file.push(b'\n');
    }
    let again = import(&file, ImportFormat::DynamoDbJson, ImportCompression::None);
    let (counts, again) = again.expect("a data file of our own is taken");
    assert_eq!((counts.errors, again), (0, items));
}

fn kind(words: &[&str]) -> (ImportFormat, ImportCompression) {
    let format = if words.contains(&"csv") {
        let delimiter =
            words.iter().find_map(|word| if let [byte] = word.as_bytes() { Some(*byte) } else { None });
        let names = || ["a", "b", "c"].map(str::to_owned).to_vec();
        ImportFormat::Csv { delimiter, header: words.contains(&"names").then(names) }
    } else {
        ImportFormat::DynamoDbJson
    };
    let compression = match words {
        _ if words.contains(&"gzip") => ImportCompression::Gzip,
        _ if words.contains(&"zstd") => ImportCompression::Zstd,
        _ => ImportCompression::None,
    };
    (format, compression)
}

/// Zstandard frames: each begins with three bytes for the descriptor, the window and how many blocks it has, and each block
/// is four bytes for its kind, its size and what is in it. Mutations of such a description stay frames, where most mutations of
/// compressed bytes are refused at once.
fn frames(description: &[u8]) -> Vec<u8> {
    const BLOCK_BYTES_MAX: u32 = 128 << 10;
    let mut bytes = description.iter().copied();
    let mut file = Vec::new();
    while let (Some(descriptor), Some(window), Some(blocks)) = (bytes.next(), bytes.next(), bytes.next()) {
        // Without a dictionary; the content's size is said only where it is the window.
        let descriptor = descriptor & 0b0010_0100 | if descriptor & 0x20 == 0 { 0 } else { 0x80 };
        file.extend_from_slice(&[0x28, 0xB5, 0x2F, 0xFD, descriptor]);
        match descriptor & 0x20 {
            0 => file.push(window),
            _ => file.extend_from_slice(&(u32::from(window) << 24 >> (window & 31)).to_le_bytes()),
        }
        for left in (0..=blocks % 64).rev() {
            let mut next = || bytes.next().unwrap_or(b'\n');
            let (kind, size, content) = (next(), u16::from_le_bytes([next(), next()]), next());
            let size = (u32::from(size) << (kind >> 4)).min(BLOCK_BYTES_MAX + u32::from(kind & 8));
            let header = u32::from(left == 0) | u32::from(kind & 3) << 1 | size << 3;
            file.extend_from_slice(&header.to_le_bytes()[..3]);
            let stored = if kind & 3 == 1 { 1 } else { size.min(1 << 10) };
            file.extend(std::iter::repeat_n(content, stored as usize));
        }
    }
    file
}

/// Lines of a data file that are not blank.
fn lines(content: &[u8]) -> u64 {
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    content.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count() as u64
}

/// Imports a file of this content into a database of its own; `None` if that is refused, or ends early.
fn import(
    content: &[u8],
    format: ImportFormat,
    compression: ImportCompression,
) -> Option<(ImportCounts, Items)> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, content).unwrap();
    let disk = Arc::new(MemoryDisk::new());
    let database = opened(&disk, &file);
    let source = BucketPlace::new("bucket");
    let request = ImportTable { definition: definition(), source, format, compression, token: None };
    let import = database.import_whole_table(request, &mut |_| ()).ok()?;
    assert_ne!(import.status, TransferStatus::InProgress);
    let counts = import.counts;
    assert_eq!(counts.processed_items, counts.imported_items + counts.errors);
    let items = (import.status == TransferStatus::Completed).then(|| contents(&database));
    assert!(items.as_ref().is_none_or(|items| items.len() as u64 <= counts.imported_items));
    database.close().unwrap();
    drop(database);
    let verification = verify_on(disk, None, &mut |_| ()).unwrap();
    assert!(verification.findings.is_empty(), "{:?}", verification.findings);
    Some((counts, items?))
}

fn opened(disk: &Arc<MemoryDisk>, file: &Path) -> Database {
    let buckets = Arc::new(FolderBuckets::open_file(file).unwrap());
    Database::open_on(disk.clone(), Options { buckets: Some(buckets), ..options(None) }).unwrap()
}

fn definition() -> CreateTable {
    CreateTable::new(TABLE, "a", ScalarType::S)
        .sort_key("b", ScalarType::N)
        .attribute("c", ScalarType::B)
        .global_index(IndexDefinition::new("global", &["c"], &["b"]))
}

fn contents(database: &Database) -> Items {
    let mut items = Items::new();
    let mut start = None;
    loop {
        let page = database.scan(&Scan::new(TABLE).start_key(start)).unwrap();
        for item in page.items.unwrap_or_default().iter() {
            let item = item.decode().unwrap();
            let key = Item::from(["a", "b"].map(|name| (name, item.get(name).unwrap().clone())));
            let before = items.insert(EncodedItem::encode(&key).as_bytes().to_vec(), item);
            assert!(before.is_none(), "a key is there once");
        }
        start = page.last_key;
        if start.is_none() {
            return items;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Corpus, Target};

    /// Without this the target might only ever see files refused.
    #[test]
    fn every_format_and_compression_of_the_corpus_gives_items() {
        let mut found = Vec::new();
        for entry in Corpus::of(Target::Import).entries {
            let (first, content) = cut(&entry.bytes, b'\n');
            let words: Vec<&str> = std::str::from_utf8(first).unwrap().split(' ').collect();
            let (format, compression) = kind(&words);
            if import(content, format.clone(), compression).is_some_and(|(_, items)| !items.is_empty()) {
                found.push((format, compression));
            }
        }
        let is_found = |wanted: &dyn Fn(&ImportFormat, ImportCompression) -> bool| {
            assert!(found.iter().any(|(format, compression)| wanted(format, *compression)), "{found:?}");
        };
        is_found(&|format, _| matches!(format, ImportFormat::Csv { header: None, .. }));
        is_found(&|format, _| matches!(format, ImportFormat::Csv { header: Some(_), delimiter: Some(_) }));
        for wanted in [ImportCompression::None, ImportCompression::Gzip, ImportCompression::Zstd] {
            is_found(&|format, compression| *format == ImportFormat::DynamoDbJson && compression == wanted);
        }
    }
}
