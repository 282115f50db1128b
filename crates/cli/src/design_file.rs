//! Designs from files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
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
