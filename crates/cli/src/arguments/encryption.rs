//! Arguments of the commands for whole folders: keys, verification and compaction.

use std::path::PathBuf;

use clap::Args;
use singlet_engine::Key;

use super::design::OutputFormat;
use crate::failure::Failure;

pub(super) const NEW_KEY_NOTES: &str = "\
The file is made with permissions for you alone, and never overwritten. Keep a copy where the data is
not: without the key nobody can read the data, and nobody can make the key again.

Example:
  singlet new-key singlet.key
  singlet serve --key-file singlet.key";

pub(super) const ROTATE_KEY_NOTES: &str = "\
The data is not rewritten: it is encrypted with a key of its own, and only that one is wrapped anew, in the
folder's file `keys`. Stop the server first. Copies of that file from before open with the old key still.

Example:
  singlet new-key next.key
  singlet rotate-key --data ./singlet-data --key-file singlet.key --new-key-file next.key";

pub(super) const VERIFY_NOTES: &str = "\
Nothing is changed. The folder must not be open elsewhere.

Checked are all commits in the log, all pages of the tree, all items under their keys and in all indexes,
all index entries against their items, counts and sizes, and the files of backups and of the past.

Exit codes: 0 nothing is wrong, 1 something is, or the folder can't be opened.

Example:
  singlet verify ./singlet-data
  singlet verify /backup/singlet-data --key-file singlet.key";

pub(super) const COMPACT_NOTES: &str = "\
Room that items gave up is used for later ones, and the tree's file doesn't get shorter by itself. This
writes it anew, in as little room as its contents need. The disk needs room for both, and the folder must
not be open elsewhere. A crash at any moment loses nothing.

Example:
  singlet compact ./singlet-data";

/// The help of `--key-file` for commands that never create a folder.
pub(super) const KEY_OF_EXISTING: &str =
    "The file with the key of an encrypted folder [env: SINGLET_KEY, the key itself]";

/// The key of an encrypted folder.
#[derive(Debug, Default, Args)]
pub(crate) struct KeyArguments {
    /// The file with the key of an encrypted folder; an empty folder is encrypted from now on
    /// [env: SINGLET_KEY, the key itself]
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

impl KeyArguments {
    /// The key in the file, or else in the environment.
    pub(crate) fn key(&self) -> Result<Option<Key>, Failure> {
        let key = match &self.key_file {
            Some(file) => Key::from_file(file).map(Some),
            None => Key::from_environment(|name| std::env::var(name).ok()),
        };
        key.map_err(|error| match &self.key_file {
            Some(file) => Failure::Refused(format!("--key-file {}: {error}", file.display())),
            None => Failure::Refused(format!("SINGLET_KEY: {error}")),
        })
    }
}

/// `singlet new-key`.
#[derive(Debug, Args)]
pub(crate) struct NewKeyArguments {
    /// The file to make
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// `singlet rotate-key`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct RotateKeyArguments {
    /// The folder with the data
    #[arg(long, value_name = "DIR", default_value = "./singlet-data")]
    pub(crate) data: PathBuf,

    #[command(flatten)]
    pub(crate) key: KeyArguments,

    /// The file with the key that the folder is to have
    #[arg(long, value_name = "FILE")]
    pub(crate) new_key_file: PathBuf,
}

/// `singlet compact`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct CompactArguments {
    /// The folder with the data
    #[arg(value_name = "DIR", default_value = "./singlet-data")]
    pub(crate) data: PathBuf,

    #[command(flatten)]
    pub(crate) key: KeyArguments,
}

/// `singlet verify`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct VerifyArguments {
    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,

    /// The folder with the data
    #[arg(value_name = "DIR", default_value = "./singlet-data")]
    pub(crate) data: PathBuf,

    #[command(flatten)]
    pub(crate) key: KeyArguments,
}
