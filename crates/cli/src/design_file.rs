//! Designs from files.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_design::Design;

use crate::failure::Failure;

/// The longest file that is read as a design.
const BYTES_MAX: u64 = 16 << 20;

/// Reads the text of a design.
pub(crate) fn read(file: &Path) -> Result<String, Failure> {
    let unreadable = |reason| Failure::unreadable(file, reason);
    let mut text = String::new();
    File::open(file)
        .map_err(unreadable)?
        .take(BYTES_MAX + 1)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    match text.len() as u64 > BYTES_MAX {
        true => Err(unreadable(io::Error::other(format!("it has more than {} MB", BYTES_MAX >> 20)))),
        false => Ok(text),
    }
}

/// Reads and checks a design.
pub(crate) fn load(file: &Path) -> Result<Arc<Design>, Failure> {
    let source = read(file)?;
    let design = singlet_design::load(&file.display().to_string(), &source);
    design.map(Arc::new).map_err(|report| Failure::Design(Box::new(report)))
}

/// Replaces the text of a design.
pub(crate) fn replace(file: &Path, text: &str) -> Result<(), Failure> {
    let unwritable = |reason| Failure::Unwritable { file: file.display().to_string(), reason };
    replace_file(file, text).map_err(unwritable)
}

/// Writes a file whole or not at all: beside it under another name, synced, and then in its place. A link stays a link,
/// and the permissions stay.
fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new: PathBuf = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = write(&path, &new, text);
    if written.is_err() {
        // A partial file is useless, and the first error is the one to report.
        let _ = fs::remove_file(&new);
    }
    written
}

fn write(path: &Path, new: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(new)?;
    file.set_permissions(fs::metadata(path)?.permissions())?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path)
}
