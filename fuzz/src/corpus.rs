//! The inputs that are kept: a folder for each target, and one for what long runs found.

use std::path::{Path, PathBuf};

use crate::Target;

/// An input with its name.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The inputs of one target, by name.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// Inputs, sorted by the file's name.
    pub entries: Vec<Entry>,
}

impl Corpus {
    /// The inputs kept for the target: its corpus, and new findings that aren't part of it yet.
    pub fn of(target: Target) -> Self {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name());
        let mut entries = files(&kept);
        entries.extend(files(&found_folder(target)));
        Corpus { entries }
    }
}

/// Where long runs put the inputs that broke a promise.
pub fn found_folder(target: Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("found").join(target.name())
}

fn files(folder: &Path) -> Vec<Entry> {
    let Ok(listing) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.into_iter().filter_map(|path| Some(Entry { bytes: std::fs::read(&path).ok()?, path })).collect()
}
