//! Files beside log and tree: each must be readable to its end, which for encrypted files authenticates every block.

use super::checks::{Check, Context};
use super::finding::Reporter;
use crate::store::StoreError;

/// Files whose makers have their own formats; those that know more check more.
const PREFIXES: [&str; 2] = ["past-", "backup-"];
/// A file that was still being written; the next opening removes it.
const UNFINISHED: &str = ".new";
const PIECE_BYTES: usize = 1 << 20;

/// Reads every such file from its beginning to its end.
pub(super) struct ReadWhole;

impl Check for ReadWhole {
    fn check(&self, context: &Context<'_>, report: &mut Reporter) -> Result<(), StoreError> {
        let names = context.files.list().map_err(StoreError::io("list", "the folder"))?;
        let is_read = |name: &str| {
            PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !name.ends_with(UNFINISHED)
        };
        for name in names.iter().filter(|name| is_read(name)) {
            report.counts.files += 1;
            match read_whole(context, name) {
                Ok(bytes) => report.counts.file_bytes += bytes,
                Err(error) => report.error(error),
            }
        }
        Ok(())
    }
}

fn read_whole(context: &Context<'_>, name: &str) -> Result<u64, StoreError> {
    let file = context.files.open(name).map_err(StoreError::io("open", name))?;
    let length = file.len().map_err(StoreError::io("measure", name))?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut offset = 0;
    while offset < length {
        let bytes = usize::try_from(length - offset).unwrap_or(PIECE_BYTES).min(PIECE_BYTES);
        file.read_exact_at(offset, piece.get_mut(..bytes).unwrap_or_default())
            .map_err(StoreError::io("read", name))?;
        offset += bytes as u64;
    }
    Ok(length)
}
