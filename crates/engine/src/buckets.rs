//! What the database needs of whoever keeps buckets. The engine knows items; files and their formats are elsewhere.

use singlet_values::{Item, ItemRef};

use crate::error::Invalid;
use crate::request::{BucketPlace, ExportDescription, ExportWritten, ImportDescription, TransferFailure};

/// Where exports go and imports come from.
pub trait Buckets: Send + Sync + 'static {
    /// Refuses names and prefixes that no bucket can have. Whether the bucket is there is found out later.
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

    /// Makes everything durable, the manifests last. An export that is dropped before has none.
    fn finish(self: Box<Self>, ended_ms: u64) -> Result<ExportWritten, TransferFailure>;
}

/// What became of an item between two moments. One that neither was there before nor is there after is not told.
#[derive(Debug, Clone, Copy)]
pub struct ItemChange<'a> {
    /// When it was last written in that time, in milliseconds since 1970.
    pub written_ms: u64,
    /// The item as it was.
    pub old: Option<ItemRef<'a>>,
    /// The item as it became.
    pub new: Option<ItemRef<'a>>,
}

/// The objects of one import, read one after the other. Each step takes a bounded time and bounded memory, whatever is in
/// the objects.
pub trait ImportReader {
    /// The next step; `None` after the last object.
    fn step(&mut self) -> Result<Option<ImportStep>, TransferFailure>;

    /// Where the last step was, for people: object and line.
    fn place(&self) -> String;

    /// Bytes read so far, after decompression.
    fn read_bytes(&self) -> u64;

    /// Bytes of the objects read so far, as they are stored, and of all objects.
    fn stored_bytes(&self) -> (u64, u64);
}

/// What a step of reading found.
#[derive(Debug)]
pub enum ImportStep {
    /// An item; whether it fits the table is not known yet.
    Item(Item),
    /// Something that is no item, and why.
    Bad(String),
    /// Nothing yet.
    Nothing,
}
