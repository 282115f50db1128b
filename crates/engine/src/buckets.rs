//! The interface to storage for exports and imports. The engine knows items; the implementation knows files and
//! formats.

use singlet_values::{Item, ItemRef};

use crate::error::Invalid;
use crate::request::{BucketPlace, ExportDescription, ExportWritten, ImportDescription, TransferFailure};

/// Storage for exports and imports.
pub trait Buckets: Send + Sync + 'static {
    /// Refuses invalid names and prefixes. A missing bucket is found later.
    fn check(&self, place: &BucketPlace) -> Result<(), Invalid>;

    /// Begins the files of an export.
    fn begin_export(&self, export: &ExportDescription) -> Result<Box<dyn ExportWriter>, TransferFailure>;

    /// Opens the objects of an import.
    fn open_import(&self, import: &ImportDescription) -> Result<Box<dyn ImportReader>, TransferFailure>;
}

/// The files of one export.
pub trait ExportWriter {
    /// Writes an item of a full export.
    fn item(&mut self, item: ItemRef<'_>) -> Result<(), TransferFailure>;

    /// Writes an item of an incremental export.
    fn change(&mut self, change: &ItemChange<'_>) -> Result<(), TransferFailure>;

    /// Makes everything durable, the manifests last. An export that is dropped earlier has no manifest.
    fn finish(self: Box<Self>, ended_ms: u64) -> Result<ExportWritten, TransferFailure>;
}

/// The change of an item between two moments. An item that is missing at both moments isn't reported.
#[derive(Debug, Clone, Copy)]
pub struct ItemChange<'a> {
    /// The time of the last write in the period, in milliseconds since 1970.
    pub written_ms: u64,
    /// The item at the first moment.
    pub old: Option<ItemRef<'a>>,
    /// The item at the second moment.
    pub new: Option<ItemRef<'a>>,
}

/// The objects of one import, read one after the other. Each step takes bounded time and memory, whatever the objects
/// contain.
pub trait ImportReader {
    /// Returns the next step, or `None` after the last object.
    fn step(&mut self) -> Result<Option<ImportStep>, TransferFailure>;

    /// Returns the position of the last step for people: object and line.
    fn place(&self) -> String;

    /// Returns the number of bytes read so far, after decompression.
    fn read_bytes(&self) -> u64;

    /// Returns the stored bytes of the objects read so far, and of all objects.
    fn stored_bytes(&self) -> (u64, u64);
}

/// The result of one step.
#[derive(Debug)]
pub enum ImportStep {
    /// An item. It may not fit the table.
    Item(Item),
    /// Input that isn't an item, with the reason.
    Bad(String),
    /// Nothing yet; ask again.
    Nothing,
}
