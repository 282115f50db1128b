//! Designs from files.

use std::path::Path;
use std::sync::Arc;

use singlet_design::Design;

use crate::failure::Failure;

/// Reads and checks a design.
pub(crate) fn load(file: &Path) -> Result<Arc<Design>, Failure> {
    let source = std::fs::read_to_string(file).map_err(|reason| Failure::unreadable(file, reason))?;
    let design = singlet_design::load(&file.display().to_string(), &source);
    design.map(Arc::new).map_err(|report| Failure::Design(Box::new(report)))
}
