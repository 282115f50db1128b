//! Exports and imports as files in AWS's layout, and the files of archives.
//!
//! This crate knows buckets as folders, manifests and their checksums, compression, and the lines of data files. It
//! must not know which items belong to an export or how a table is filled: `singlet-engine` calls it through
//! [`Buckets`](singlet_engine::Buckets), and `singlet-derive` through [`ArchiveFiles`](singlet_derive::ArchiveFiles).
//! `singlet-wire` reads and writes items as JSON.
//!
//! ```
//! use std::sync::Arc;
//! use singlet_engine::values::Item;
//! use singlet_engine::{
//!     BucketPlace, CreateTable, Database, ExportTable, ImportCompression, ImportFormat, ImportTable, Options, PutItem,
//!     ScalarType,
//! };
//! use singlet_transfer::FolderBuckets;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::create_dir(folder.path().join("exports"))?;
//! let buckets = FolderBuckets::open(folder.path())?;
//! let database = Database::in_memory_with(Options { buckets: Some(Arc::new(buckets)), ..Options::default() })?;
//!
//! database.create_table(CreateTable::new("recipes", "id", ScalarType::S))?;
//! database.put_item(PutItem::new("recipes", Item::from([("id", "17"), ("name", "Phở bò")])))?;
//! let place = BucketPlace::new("exports").prefix("monday");
//! let export = database.export_whole_table(ExportTable::new("recipes", place), &mut |_| ())?;
//! assert_eq!(export.written.map(|written| written.items), Some(1));
//!
//! let import = database.import_whole_table(
//!     ImportTable {
//!         definition: CreateTable::new("again", "id", ScalarType::S),
//!         source: BucketPlace::new("exports").prefix(format!("monday/AWSDynamoDB/{}/data/", export.id)),
//!         format: ImportFormat::DynamoDbJson,
//!         compression: ImportCompression::Gzip,
//!         token: None,
//!     },
//!     &mut |_| (),
//! )?;
//! assert_eq!(import.counts.imported_items, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod checksum;
mod csv;
mod data;
mod export;
mod folder;
mod header;
mod import;
mod lines;
mod manifest;
mod objects;
mod path;
mod zstd;

pub use archive::{ArchiveFolder, ArchiveLines, ArchivedFile, ArchivedLine, archive_files};
pub use data::{DataError, ExportData};
pub use folder::FolderBuckets;
