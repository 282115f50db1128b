//! `singlet compact`.

use std::io::{self, Write};

use singlet_engine::Error;

use crate::arguments::CompactArguments;
use crate::failure::Failure;

/// Shortens the file of a folder's tree, and says by how much.
pub(crate) fn compact(arguments: &CompactArguments) -> Result<(), Failure> {
    let folder = &arguments.data;
    let key = arguments.key.key()?;
    let compacted = singlet_engine::compact(folder, key.as_ref()).map_err(|error| {
        let reason = match error {
            Error::FolderInUse { .. } => "it is in use by another process. Stop that one first".to_owned(),
            other => other.to_string(),
        };
        Failure::Refused(format!("can't compact {}: {reason}", folder.display()))
    })?;
    writeln!(
        io::stdout(),
        "The tree in {} took {:.1} MB and takes {:.1} MB now.",
        folder.display(),
        megabytes(compacted.before_bytes),
        megabytes(compacted.after_bytes)
    )?;
    Ok(())
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
