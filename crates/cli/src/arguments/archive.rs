//! Arguments of `singlet archive`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::design::{OutputFormat, StoreArguments};
use super::encryption::KEY_OF_EXISTING;
use super::recovery::moment_ms;

pub(super) const ARCHIVE_NOTES: &str = "\
A design says which items are archived when they expire or are deleted: docs/derived.md.
The files are compressed JSON lines; `zstdcat FILE` shows them, too.

The folder is the one beside the data, such as ./singlet-data-archive, or the one in
SINGLET_ARCHIVE, or the one that --archive DIR names.

Examples:
  singlet archive list designs/smart-cooking.toml
  singlet archive read designs/smart-cooking.toml --entity CookingHistory --where user_id=17
  singlet archive restore designs/smart-cooking.toml --from 2026-11-01T00:00:00Z";

/// `singlet archive`.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArguments {
    #[command(subcommand)]
    pub(crate) action: ArchiveAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ArchiveAction {
    /// List the files of the archive
    List(ArchiveListArguments),
    /// Print archived items, one as JSON on each line
    Read(ArchiveReadArguments),
    /// Put archived items back into their tables; items that are there stay as they are
    #[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
    Restore(Box<ArchiveReadArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct ArchiveListArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ArchiveReadArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Only files whose path begins with this, such as cooking/2026-11
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,

    /// Only items of this entity
    #[arg(long, value_name = "NAME")]
    pub(crate) entity: Option<String>,

    /// Only items with this value; may be given several times
    #[arg(long = "where", value_name = "FIELD=VALUE")]
    pub(crate) values: Vec<String>,

    /// Only items that were deleted at this time or later
    #[arg(long, value_name = "TIME", value_parser = moment_ms)]
    pub(crate) from: Option<u64>,

    /// Only items that were deleted before this time
    #[arg(long, value_name = "TIME", value_parser = moment_ms)]
    pub(crate) until: Option<u64>,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}
