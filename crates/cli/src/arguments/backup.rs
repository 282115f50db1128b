//! Arguments of the commands for backups.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::design::OutputFormat;
use super::encryption::{KEY_OF_EXISTING, KeyArguments};
use super::loss::LossArguments;
use super::recovery::moment_ms;

pub(super) const BACKUP_NOTES: &str = "\
A backup is one moment of a table, of a folder that nobody else has open. A running server takes
them when it is asked:
  aws dynamodb create-backup --table-name orders --backup-name before-upgrade \\
    --endpoint-url http://127.0.0.1:8000
and by itself: `singlet serve --backup \"weekly, keep 3 months\"`, or `backup = \"…\"` in the [table] of
a design.

With --to, the backup is a file of its own in that folder, for another disk or another machine; the
data folder knows nothing of it. If the data is encrypted, so is the file, with the same key.

Examples:
  singlet backup --table orders
  singlet backup --table orders --name before-upgrade --data /srv/shop
  singlet backup --all --to /mnt/usb/shop
  singlet backup --all --to /mnt/usb/shop --key-file singlet.key";

pub(super) const BACKUPS_NOTES: &str = "\
For a running server: aws dynamodb list-backups --endpoint-url http://127.0.0.1:8000

Examples:
  singlet backups
  singlet backups --table orders --verify
  singlet backups --in /mnt/usb/shop --verify
  singlet backups --delete arn:aws:dynamodb:…:table/orders/backup/01763280000000-1a2b3c4d";

pub(super) const RESTORE_NOTES: &str = "\
A backup, or a table as it was at a moment, becomes a new table with its indexes; what is there is
never changed. Every checksum is verified. If anything is wrong, or the command is stopped, there is
no new table.

For a running server:
  aws dynamodb restore-table-from-backup --target-table-name orders-restored --backup-arn ARN \\
    --endpoint-url http://127.0.0.1:8000

Examples:
  singlet restore --backup arn:aws:dynamodb:…:table/orders/backup/01763280000000-1a2b3c4d \\
    --table orders-restored
  singlet restore --of orders --at 2026-11-16T08:00:00Z --table orders-before
  singlet restore --from /mnt/usb/shop/orders-01763280000000-1a2b3c4d.backup --table orders \\
    --data ./new-data";

/// `singlet backup`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["table", "all"]))]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct BackupArguments {
    /// The table
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,

    /// All tables, each at a moment of its own
    #[arg(long, conflicts_with = "name")]
    pub(crate) all: bool,

    /// The name of the backup [default: by-hand]
    #[arg(long, value_parser = name, conflicts_with = "to")]
    pub(crate) name: Option<String>,

    /// A folder outside the data for the backup's file; it is made if it isn't there
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: Option<PathBuf>,

    /// Print the result as JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: FolderArguments,
}

/// `singlet backups`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct BackupsArguments {
    /// Only those of tables of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,

    /// The backup files in this folder outside the data, instead of the data's own backups
    #[arg(long = "in", value_name = "FOLDER", conflicts_with = "data")]
    pub(crate) folder: Option<PathBuf>,

    /// Read each backup to its end and verify every checksum
    #[arg(long)]
    pub(crate) verify: bool,

    /// Delete the backup with this ARN
    #[arg(long, value_name = "ARN", conflicts_with_all = ["table", "folder", "verify", "json", "format"])]
    pub(crate) delete: Option<String>,

    /// How the list is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,

    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: FolderArguments,
}

/// `singlet restore`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").required(true).args(["backup", "from", "of"]))]
pub(crate) struct RestoreArguments {
    /// The backup's ARN, as `singlet backups` shows it
    #[arg(long, value_name = "ARN")]
    pub(crate) backup: Option<String>,

    /// A backup's file outside the data, as `singlet backup --to` made it
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,

    /// A table, to have it back as it was at a moment; it may have been deleted since. It needs point-in-time recovery
    /// to be on, see `singlet recovery`
    #[arg(long, value_name = "TABLE")]
    pub(crate) of: Option<String>,

    /// The moment: 2026-11-16T08:00:00Z, another time zone, or seconds since 1970 [default: the latest]
    #[arg(long, value_name = "TIME", requires = "of", value_parser = moment_ms)]
    pub(crate) at: Option<u64>,

    /// The new table; there must be none of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) table: String,

    /// Print the result as JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: FolderArguments,
}

/// A folder with data that nobody else has open.
#[derive(Debug, Args)]
pub(crate) struct FolderArguments {
    /// The folder with the data
    #[arg(long, value_name = "DIR", default_value = "./singlet-data")]
    pub(crate) data: PathBuf,

    #[command(flatten)]
    pub(crate) key: KeyArguments,

    #[command(flatten)]
    pub(crate) loss: LossArguments,
}

fn name(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if (3..=255).contains(&text.len()) && text.bytes().all(fits) {
        return Ok(text.to_owned());
    }
    Err("a backup's name has 3 to 255 letters, digits, hyphens, underscores and dots".to_owned())
}
