//! `singlet compact`.

use std::io::{self, Write};

use singlet_engine::Error;

use crate::arguments::CompactArguments;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::size::readable;
use crate::target::{has_data, in_turn};

/// Shortens the file of a folder's tree, and says by how much.
pub(crate) fn compact(arguments: &CompactArguments) -> Result<(), Failure> {
    let folder = &arguments.data;
    let key = arguments.key.key()?;
    has_data(folder)?;
    let compacted =
        Progress::during("compacting", || in_turn(folder, || singlet_engine::compact(folder, key.as_ref())));
    let compacted = compacted.map_err(|error| {
        let reason = match error {
            Error::FolderInUse { .. } => "it is in use by another process. Stop that one first".to_owned(),
            other => other.to_string(),
        };
        Failure::Refused(format!("can't compact {}: {reason}", folder.display()))
    })?;
    writeln!(
        io::stdout(),
        "The tree in {} took {} and takes {} now.",
        folder.display(),
        readable(compacted.before_bytes),
        readable(compacted.after_bytes)
    )?;
    Ok(())
}
