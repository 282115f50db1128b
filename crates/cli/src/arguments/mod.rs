//! The command line: arguments and help.

mod archive;
mod backup;
mod derived;
mod design;
mod encryption;
mod fmt;
mod loss;
mod recovery;
mod serve;
mod start;
mod token;
mod transfer;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::style::{self, ColorWhen};

pub(crate) use archive::{ArchiveAction, ArchiveArguments, ArchiveListArguments, ArchiveReadArguments};
pub(crate) use backup::{BackupArguments, BackupsArguments, FolderArguments, RestoreArguments};
pub(crate) use derived::{AuditArguments, DerivationsArguments, RebuildArguments};
pub(crate) use design::{
    ApplyArguments, CallArguments, CheckArguments, DescribeArguments, DescribePart, ExplainArguments,
    OutputFormat, PatternsArguments, ReviewArguments, ReviewFormat, RunArguments, SeedArguments,
    StoreArguments,
};
#[cfg(test)]
pub(crate) use encryption::KeyArguments;
pub(crate) use encryption::{CompactArguments, NewKeyArguments, RotateKeyArguments, VerifyArguments};
pub(crate) use fmt::FmtArguments;
pub(crate) use loss::LossArguments;
pub(crate) use recovery::RecoveryArguments;
pub(crate) use serve::{ConsoleMode, Durability, LogFormat, LogLevel, ServeArguments, TransactionConflicts};
pub(crate) use start::{DemoArguments, NewArguments, Template};
pub(crate) use token::{CallerArguments, TokenArguments};
pub(crate) use transfer::{DataCompression, DataFormat, ExportArguments, Images, ImportArguments};

const EXAMPLES: &str = "\
Start here:
  singlet demo
      five designs with sample data on a local server; prints what to try
  singlet new tasks
      a commented design to start from

A design is one file: tables, entities, keys and access patterns.
  singlet check designs/shop.toml
      find mistakes, with their lines and fixes
  singlet review designs/shop.toml
      find hot keys, scans and wrong orders at its rates, with fixes
  singlet apply designs/shop.toml
      create its tables in ./singlet-data, or change them to match
  singlet patterns designs/shop.toml
      list its patterns, with parameters and examples
  singlet run designs/shop.toml create_customer email=mai@example.com
  singlet run designs/shop.toml customer_orders customer_id=123 --table
      run an access pattern
  singlet explain designs/shop.toml customer_orders customer_id=123
      the DynamoDB requests that it becomes, and what they cost

Counts, sums and averages that are kept correct:
  singlet derivations designs/social.toml
  singlet audit designs/social.toml
      count them again; the expected answer is that nothing differs

A server for any DynamoDB client:
  singlet serve designs/shop.toml
      the tables of the design in ./singlet-data, on http://127.0.0.1:8000
  singlet serve --in-memory --address 127.0.0.1:9000
      for tests: nothing is kept
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000

Encrypted at rest, with a key that you keep:
  singlet new-key singlet.key
  singlet serve --data ./secret --key-file singlet.key

Is everything in order?
  singlet verify ./singlet-data

Safe from mistakes and from broken disks:
  singlet backup --table orders
      keep a copy of a table in the data folder; --to FOLDER puts it elsewhere
  singlet backups --verify
  singlet restore --backup ARN --table orders-restored
  singlet restore --of orders --at 2026-11-16T08:00:00Z --table orders-before
      any point in time of the last days, after `singlet recovery --table orders --on`
  singlet serve --backup \"weekly, keep 3 months\"
      a server takes backups automatically

To and from Amazon DynamoDB and other programs:
  singlet export --table orders --to ./exported
  singlet import --from ./exported --table orders-2 --key customer_id:S --sort-key order_id:S
  singlet import --from orders.csv --table orders --key id:N

Beyond one machine: the same file, another address.
  singlet run designs/shop.toml get_customer customer_id=123 --endpoint-url http://scylla:8000
  singlet apply designs/shop.toml --remote --profile work --environment prod

Exit codes: 0 success, 1 refused or failed, 2 wrong arguments or a wrong design.";

const COMPLETIONS_NOTES: &str = "\
  singlet completions bash > ~/.local/share/bash-completion/completions/singlet
  singlet completions zsh > ~/.zfunc/_singlet      with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  singlet completions fish > ~/.config/fish/completions/singlet.fish";

/// The output of `singlet --version`; `-V` prints the first line alone.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let formats: Vec<String> =
        singlet_engine::FORMAT_VERSIONS.iter().map(|(file, version)| format!("{file} {version}")).collect();
    format!(
        "{}\ncommit: {}\nbuilt for: {}\nworks on: folders, Singlet servers, DynamoDB endpoints\nfile formats: {}",
        env!("CARGO_PKG_VERSION"),
        env!("SINGLET_COMMIT"),
        env!("SINGLET_BUILT_FOR"),
        formats.join(", ")
    )
});

/// Single-table designs that run, on a DynamoDB-compatible database in one program and one folder.
#[derive(Debug, Parser)]
#[command(
    name = "singlet",
    version,
    long_version = LONG_VERSION.as_str(),
    after_help = EXAMPLES,
    arg_required_else_help = true,
    styles = style::HELP
)]
pub(crate) struct Arguments {
    /// When to colour the output
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorWhen::Auto)]
    color: ColorWhen,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Try Singlet out: five designs with sample data on a local server
    #[command(after_help = start::DEMO_NOTES)]
    Demo(DemoArguments),
    /// Create a design file from a template
    #[command(after_help = start::NEW_NOTES)]
    New(NewArguments),
    /// Check designs for errors
    Check(CheckArguments),
    /// Format designs: order of keys, alignment, blank lines; comments stay
    #[command(after_help = fmt::FMT_NOTES)]
    Fmt(FmtArguments),
    /// Lint designs: find hot keys, missing indexes and needless cost, with fixes
    #[command(after_help = design::REVIEW_NOTES)]
    Review(ReviewArguments),
    /// Create the tables of a design, or change them to match; shows the plan first
    #[command(after_help = design::APPLY_NOTES)]
    Apply(Box<ApplyArguments>),
    /// List the access patterns of a design, with parameters, answers and examples
    #[command(after_help = design::PATTERNS_NOTES)]
    Patterns(PatternsArguments),
    /// Run an access pattern
    #[command(after_help = design::RUN_NOTES, disable_help_flag = true)]
    Run(Box<RunArguments>),
    /// Show the DynamoDB requests of an access pattern and their cost
    #[command(after_help = design::EXPLAIN_NOTES, disable_help_flag = true)]
    Explain(Box<ExplainArguments>),
    /// Show a design as entity chart, pattern table and entity diagram
    #[command(after_help = design::DESCRIBE_NOTES)]
    Describe(DescribeArguments),
    /// Fill the tables of a design with sample data
    #[command(after_help = design::SEED_NOTES)]
    Seed(Box<SeedArguments>),
    /// Show the derived fields of a design and how far they are
    #[command(after_help = derived::DERIVATIONS_NOTES)]
    Derivations(Box<DerivationsArguments>),
    /// Count derived fields again from the items that are there
    #[command(after_help = derived::REBUILD_NOTES)]
    Rebuild(Box<RebuildArguments>),
    /// Compare derived fields with a recount, and repair them
    #[command(after_help = derived::AUDIT_NOTES)]
    Audit(Box<AuditArguments>),
    /// List, read or restore items that were archived when they expired or were deleted
    #[command(after_help = archive::ARCHIVE_NOTES)]
    Archive(ArchiveArguments),
    /// Print the JSON Schema of designs, for editors
    #[command(after_help = design::SCHEMA_NOTES)]
    Schema,
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_NOTES)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write manual pages into a folder
    Man {
        /// The folder, which is created if need be
        #[arg(value_name = "FOLDER")]
        to: PathBuf,
    },
    /// Back up tables, into the data folder or into files elsewhere
    #[command(after_help = backup::BACKUP_NOTES)]
    Backup(BackupArguments),
    /// List, verify or delete backups
    #[command(after_help = backup::BACKUPS_NOTES)]
    Backups(BackupsArguments),
    /// Create a table from a backup, or from another table at a point in time
    #[command(after_help = backup::RESTORE_NOTES)]
    Restore(RestoreArguments),
    /// Turn point-in-time recovery on or off, and show the recovery window
    #[command(after_help = recovery::RECOVERY_NOTES)]
    Recovery(RecoveryArguments),
    /// Export a table, or its changes, to files in Amazon DynamoDB's layout
    #[command(after_help = transfer::EXPORT_NOTES)]
    Export(ExportArguments),
    /// Create a table from an export or from CSV files
    #[command(after_help = transfer::IMPORT_NOTES)]
    Import(Box<ImportArguments>),
    /// Serve a database over DynamoDB's protocol
    #[command(after_help = serve::SERVE_NOTES)]
    Serve(Box<ServeArguments>),
    /// Print a token for a caller of the API, for development
    #[command(after_help = token::TOKEN_NOTES)]
    Token(TokenArguments),
    /// Check a data folder for damage
    #[command(after_help = encryption::VERIFY_NOTES)]
    Verify(VerifyArguments),
    /// Return unused space of a data folder to the disk
    #[command(after_help = encryption::COMPACT_NOTES)]
    Compact(CompactArguments),
    /// Create a key for an encrypted folder
    #[command(after_help = encryption::NEW_KEY_NOTES)]
    NewKey(NewKeyArguments),
    /// Replace the key of an encrypted folder
    #[command(after_help = encryption::ROTATE_KEY_NOTES)]
    RotateKey(RotateKeyArguments),
}

/// The command line with its help. Notes are written in short lines, and their paragraphs wrapped as wide as the
/// terminal is.
pub(crate) fn command() -> clap::Command {
    with_paragraphs(Arguments::command()).mut_subcommands(with_paragraphs)
}

fn with_paragraphs(command: clap::Command) -> clap::Command {
    match command.get_after_help().map(|notes| paragraphs(&notes.to_string())) {
        Some(notes) => command.after_help(notes),
        None => command,
    }
}

/// Joins the lines of each paragraph. Indented lines stay: they are commands and lists.
fn paragraphs(notes: &str) -> String {
    let mut joined = String::with_capacity(notes.len());
    let mut is_open = false;
    for line in notes.lines() {
        let is_text = !line.is_empty() && !line.starts_with(' ');
        if !joined.is_empty() {
            joined.push(if is_open && is_text { ' ' } else { '\n' });
        }
        joined.push_str(line);
        is_open = is_text;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_commands_stay_apart() {
        let notes = "One\ntwo:\n  a command\nthree\n\nExamples:\n  b\n  c";
        assert_eq!(paragraphs(notes), "One two:\n  a command\nthree\n\nExamples:\n  b\n  c");
    }

    #[test]
    fn the_declarations_agree_with_each_other() {
        command().debug_assert();
    }
}
