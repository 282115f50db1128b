//! Arguments of the commands about derived data.

use std::path::PathBuf;

use clap::Args;

use super::design::{OutputFormat, StoreArguments};
use super::encryption::KEY_OF_EXISTING;

pub(super) const DERIVATIONS_NOTES: &str = "\
States of a field:
  new        no worker has seen its rule yet
  counting   the items that are there are being counted
  writing    the result is being written to the items
  ready      up to date, except for the latest changes

On a folder, the command brings the fields up to date first. A server does so in the background.

Examples:
  singlet derivations designs/social.toml
  singlet derivations designs/social.toml --endpoint-url http://127.0.0.1:8000 --format json";

pub(super) const REBUILD_NOTES: &str = "\
Derived fields are kept up to date by themselves, and a new or changed rule is filled by itself.
A rebuild counts from the items that are there, for instance after `singlet audit` found
differences. Writes may go on. Fields keep their old values until the new ones are known.

Through --endpoint-url, the server's worker does it, and the command waits for its end.

Examples:
  singlet rebuild designs/social.toml
  singlet rebuild designs/social.toml Post.likeCount --endpoint-url http://127.0.0.1:8000";

pub(super) const AUDIT_NOTES: &str = "\
The expected answer is that nothing differs. Each difference names the item, the field, the stored
and the correct value. While a server runs, a difference counts only if a second count finds it
again, because an effect may have been under way.

Exit codes: 0 nothing differs, 1 something differs (with --repair: and is repaired no more).

Examples:
  singlet audit designs/social.toml
  singlet audit designs/social.toml --repair
  singlet audit designs/social.toml --endpoint-url http://127.0.0.1:8000 --format json";

/// `singlet derivations`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct DerivationsArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

/// `singlet rebuild`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct RebuildArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Only these fields, such as Post.likeCount [default: all derived fields]
    #[arg(value_name = "ENTITY.FIELD")]
    pub(crate) fields: Vec<String>,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

/// `singlet audit`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct AuditArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Write the correct values
    #[arg(long)]
    pub(crate) repair: bool,

    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}
