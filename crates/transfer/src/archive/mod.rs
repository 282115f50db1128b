//! Archives: items that are gone, in files of compressed JSON lines.
//!
//! A file is a row of Zstandard frames, one for each batch. A frame that carries no content stands before each, and says
//! what is in it, so that files can be listed without unpacking them.

mod folder;
mod frame;
mod lines;
mod note;

pub use folder::{ArchiveFolder, ArchivedFile, archive_files};
pub use lines::{ArchiveLines, ArchivedLine};

/// The ending of the files.
const ENDING: &str = ".jsonl.zst";
