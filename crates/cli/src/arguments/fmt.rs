//! Arguments of `singlet fmt`.

use std::path::PathBuf;

use clap::Args;

pub(super) const FMT_NOTES: &str = "\
Comments, the order of sections and values over several lines stay as they are. A design that has
mistakes is formatted too, as long as it is TOML.

Exit codes: 0 success, 1 with --check if a design isn't formatted, 2 a file that isn't TOML.

Examples:
  singlet fmt designs/shop.toml
  singlet fmt designs/*.toml --check
  singlet fmt --upgrade designs/shop.toml
  singlet fmt - < designs/shop.toml";

/// `singlet fmt`.
#[derive(Debug, Args)]
pub(crate) struct FmtArguments {
    /// The designs; - formats the standard input to the standard output
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Change nothing, and fail if a design isn't formatted
    #[arg(long)]
    pub(crate) check: bool,

    /// Replace old words of the language by the new ones as well
    #[arg(long)]
    pub(crate) upgrade: bool,
}
