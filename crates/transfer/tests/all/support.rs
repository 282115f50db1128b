//! A database with buckets, and a reader of exports that shares no code with the writer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use md5::{Digest, Md5};
use serde_json::Value;
use singlet_engine::values::Item;
use singlet_engine::{
    BucketPlace, CreateTable, Database, ExportDescription, ExportTable, ImportCompression, ImportDescription,
    ImportFormat, ImportTable, IndexDefinition, ManualClock, Options, ProjectedAttributes, ScalarType, Scan,
    StoreOptions,
};
use singlet_transfer::FolderBuckets;
use singlet_wire::items::read_item_line;
use tempfile::TempDir;

pub(crate) const TABLE: &str = "accounts";
pub(crate) const BUCKET: &str = "exports";
pub(crate) const START_MS: u64 = 1_700_000_000_000;
pub(crate) const MINUTE_MS: u64 = 60_000;

/// A table with a sort key and indexes of each kind.
pub(crate) fn definition(name: &str) -> CreateTable {
    CreateTable::new(name, "pk", ScalarType::N)
        .sort_key("sk", ScalarType::S)
        .attribute("group", ScalarType::S)
        .global_index(IndexDefinition::new("all", &["group"], &["sk"]))
        .global_index(
            IndexDefinition::new("keys", &["sk"], &["group"]).projection(ProjectedAttributes::KeysOnly),
        )
}

/// A folder with a bucket, and a database in memory on it.
pub(crate) struct Scene {
    pub(crate) folder: TempDir,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) database: Database,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let clock = Arc::new(ManualClock::new(START_MS));
        let database = Database::in_memory_with(options(folder.path(), &clock)).unwrap();
        Scene { folder, clock, database }
    }

    pub(crate) fn bucket(&self) -> PathBuf {
        self.folder.path().join(BUCKET)
    }

    /// Exports and reads the export.
    pub(crate) fn export(&self, request: ExportTable) -> Export {
        let done = self.database.export_whole_table(request, &mut |_| ()).unwrap();
        assert_eq!(done.failure, None);
        Export::read(&self.bucket(), &done)
    }

    /// Imports everything under a prefix and waits for the end.
    pub(crate) fn import(
        &self,
        table: CreateTable,
        prefix: &str,
        format: ImportFormat,
        compression: ImportCompression,
    ) -> ImportDescription {
        let source = BucketPlace::new(BUCKET).prefix(prefix);
        let request = ImportTable { definition: table, source, format, compression, token: None };
        self.database.import_whole_table(request, &mut |_| ()).unwrap()
    }

    pub(crate) fn put_object(&self, key: &str, content: impl AsRef<[u8]>) {
        let path = self.bucket().join(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Options under which a few items fill the overlay and a log file.
pub(crate) fn options(buckets: &Path, clock: &Arc<ManualClock>) -> Options {
    let store = StoreOptions {
        overlay_bytes_max: 16 << 10,
        cache_bytes: 1 << 20,
        segment_bytes: 64 << 10,
        ..StoreOptions::default()
    };
    Options {
        store,
        clock: clock.clone(),
        buckets: Some(Arc::new(FolderBuckets::open(buckets).unwrap())),
        ..Options::default()
    }
}

pub(crate) fn to_bucket() -> BucketPlace {
    BucketPlace::new(BUCKET)
}

/// All items of a table or index, in an order that depends only on their content.
pub(crate) fn contents(database: &Database, table: &str, index: Option<&str>) -> BTreeSet<String> {
    let mut scan = Scan::new(table);
    if let Some(index) = index {
        scan = scan.index(index);
    }
    let mut found = BTreeSet::new();
    loop {
        let page = database.scan(&scan).unwrap();
        for item in page.items.iter().flatten() {
            assert!(found.insert(show(&item.decode().unwrap())), "an item comes twice");
        }
        match page.last_key {
            Some(last) => scan.start_key = Some(last),
            None => return found,
        }
    }
}

pub(crate) fn show(item: &Item) -> String {
    format!("{item:?}")
}

/// An export in a bucket, with every checksum and count verified.
pub(crate) struct Export {
    pub(crate) description: ExportDescription,
    pub(crate) summary: Value,
    /// The lines of all data files.
    pub(crate) lines: Vec<Value>,
}

impl Export {
    pub(crate) fn read(bucket: &Path, description: &ExportDescription) -> Self {
        let prefix = description.destination.prefix.clone().unwrap_or_default();
        let prefix = prefix.trim_end_matches('/');
        let folder = bucket.join(prefix).join("AWSDynamoDB").join(&description.id);
        assert_eq!(fs::read(folder.join("_started")).unwrap(), b"");
        let summary = manifest(&folder, "manifest-summary");
        let summary: Value = serde_json::from_slice(&summary).unwrap();
        let files = manifest(&folder, "manifest-files");
        let files_key = bucket.join(summary["manifestFilesS3Key"].as_str().unwrap());
        assert_eq!(fs::read(files_key).unwrap(), files);
        let (mut lines, mut named) = (Vec::new(), BTreeSet::new());
        for file in String::from_utf8(files).unwrap().lines() {
            let file: Value = serde_json::from_str(file).unwrap();
            let path = bucket.join(file["dataFileS3Key"].as_str().unwrap());
            let found = data_file(&path, &file);
            assert_eq!(file["itemCount"], found.len());
            lines.extend(found);
            named.insert(path);
        }
        let there = fs::read_dir(folder.join("data")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(named, there, "the manifest names all data files");
        assert_eq!(summary["itemCount"], lines.len());
        assert_eq!(description.written.as_ref().unwrap().items, lines.len() as u64);
        Export { description: description.clone(), summary, lines }
    }

    /// The items of a full export.
    pub(crate) fn items(&self) -> BTreeSet<String> {
        let items = self.lines.iter().map(|line| show(&item(&line["Item"])));
        let found: BTreeSet<String> = items.collect();
        assert_eq!(found.len(), self.lines.len(), "no item comes twice");
        found
    }

    /// The items of a full export by their keys.
    pub(crate) fn by_key(&self, key: &[&str]) -> BTreeMap<String, Value> {
        self.lines.iter().map(|line| (key_of(&line["Item"], key), line["Item"].clone())).collect()
    }
}

pub(crate) fn item(json: &Value) -> Item {
    read_item_line(format!(r#"{{"Item":{json}}}"#).as_bytes()).unwrap()
}

pub(crate) fn key_of(item: &Value, key: &[&str]) -> String {
    key.iter().map(|name| item[*name].to_string()).collect()
}

fn manifest(folder: &Path, name: &str) -> Vec<u8> {
    let text = fs::read(folder.join(format!("{name}.json"))).unwrap();
    let checksum = fs::read_to_string(folder.join(format!("{name}.md5"))).unwrap();
    assert_eq!(checksum, base64(&Md5::digest(&text)));
    text
}

fn data_file(path: &Path, file: &Value) -> Vec<Value> {
    let bytes = fs::read(path).unwrap();
    let digest = Md5::digest(&bytes);
    assert_eq!(file["md5Checksum"], base64(&digest));
    let of_parts: String = Md5::digest(digest).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(file["etag"], format!("{of_parts}-1"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Random numbers from a seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
