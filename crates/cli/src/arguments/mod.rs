//! What can be said on the command line, and the help that teaches it.

mod backup;
mod design;
mod encryption;
mod loss;
mod recovery;
mod serve;
mod transfer;

use clap::{Parser, Subcommand};

pub(crate) use backup::{BackupArguments, BackupsArguments, FolderArguments, RestoreArguments};
pub(crate) use design::{
    ApplyArguments, CallArguments, CheckArguments, DescribeArguments, DescribePart, ExplainArguments,
    PatternsArguments, PatternsFormat, ReviewArguments, ReviewFormat, RunArguments, SeedArguments,
    StoreArguments,
};
#[cfg(test)]
pub(crate) use encryption::KeyArguments;
pub(crate) use encryption::{CompactArguments, NewKeyArguments, RotateKeyArguments, VerifyArguments};
pub(crate) use loss::LossArguments;
pub(crate) use recovery::RecoveryArguments;
pub(crate) use serve::{Durability, LogFormat, LogLevel, ServeArguments, TransactionConflicts};
pub(crate) use transfer::{DataCompression, DataFormat, ExportArguments, Images, ImportArguments};

const EXAMPLES: &str = "\
A design is one file: tables, entities, keys and access patterns.
  singlet check designs/shop.toml
      is it well-formed? every mistake with its line and a fix
  singlet review designs/shop.toml
      will it work at its rates? hot keys, scans, wrong orders, with the changed lines
  singlet apply designs/shop.toml
      make its tables in ./singlet-data, or change them to match
  singlet patterns designs/shop.toml
      what can be asked, with parameters and examples
  singlet run designs/shop.toml create_customer email=mai@example.com
  singlet run designs/shop.toml customer_orders customer_id=123 --table
      run an access pattern
  singlet explain designs/shop.toml customer_orders customer_id=123
      the DynamoDB requests that it becomes, and what they cost

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
      one moment of a table, kept in the data folder; --to FOLDER puts it elsewhere
  singlet backups --verify
  singlet restore --backup ARN --table orders-restored
  singlet restore --of orders --at 2026-11-16T08:00:00Z --table orders-before
      any moment of the last days, once `singlet recovery --table orders --on` was said
  singlet serve --backup \"weekly, keep 3 months\"
      a server takes them by itself

To and from Amazon DynamoDB and other programs:
  singlet export --table orders --to ./exported
  singlet import --from ./exported --table orders-2 --key customer_id:S --sort-key order_id:S
  singlet import --from orders.csv --table orders --key id:N

Past one machine: the same file, another address.
  singlet run designs/shop.toml get_customer customer_id=123 --endpoint-url http://scylla:8000
  singlet apply designs/shop.toml --remote --profile work --environment prod

Exit codes: 0 it was done, 1 it was refused or failed, 2 the arguments or the design are wrong.";

/// Single-table designs that run, on a DynamoDB-compatible database in one program and one folder.
#[derive(Debug, Parser)]
#[command(name = "singlet", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say whether designs are well-formed, and what is wrong with them
    Check(CheckArguments),
    /// Hold designs against rules: what will go wrong or cost too much, and how to mend it
    #[command(after_help = design::REVIEW_NOTES)]
    Review(ReviewArguments),
    /// Make the tables of a design, or change them to match; says first what it will do
    #[command(after_help = design::APPLY_NOTES)]
    Apply(Box<ApplyArguments>),
    /// List the access patterns of a design with their parameters, answers and an example
    #[command(after_help = design::PATTERNS_NOTES)]
    Patterns(PatternsArguments),
    /// Run an access pattern
    #[command(after_help = design::RUN_NOTES, disable_help_flag = true)]
    Run(Box<RunArguments>),
    /// Show the DynamoDB requests that an access pattern becomes, and what they cost
    #[command(after_help = design::EXPLAIN_NOTES, disable_help_flag = true)]
    Explain(Box<ExplainArguments>),
    /// Draw a design: entity chart, pattern table, entity diagram
    #[command(after_help = design::DESCRIBE_NOTES)]
    Describe(DescribeArguments),
    /// Fill the tables of a design with sample data that keeps its bounds and relations
    #[command(after_help = design::SEED_NOTES)]
    Seed(Box<SeedArguments>),
    /// Print the JSON Schema of designs, for editors
    #[command(after_help = design::SCHEMA_NOTES)]
    Schema,
    /// Back up tables: one moment of each, in the data folder or in a file elsewhere
    #[command(after_help = backup::BACKUP_NOTES)]
    Backup(BackupArguments),
    /// List, verify or delete backups
    #[command(after_help = backup::BACKUPS_NOTES)]
    Backups(BackupsArguments),
    /// Make a new table from a backup, or as another one was at a moment
    #[command(after_help = backup::RESTORE_NOTES)]
    Restore(RestoreArguments),
    /// Keep every moment of tables, so that they can be had back, and say how far that reaches
    #[command(after_help = recovery::RECOVERY_NOTES)]
    Recovery(RecoveryArguments),
    /// Write a table, or what changed in it, into files as Amazon DynamoDB exports them
    #[command(after_help = transfer::EXPORT_NOTES)]
    Export(ExportArguments),
    /// Make a new table of an export or of CSV files
    #[command(after_help = transfer::IMPORT_NOTES)]
    Import(Box<ImportArguments>),
    /// Serve a database over the DynamoDB protocol
    #[command(after_help = serve::SERVE_NOTES)]
    Serve(Box<ServeArguments>),
    /// Check a folder: log, tree, items, indexes and counts against each other
    #[command(after_help = encryption::VERIFY_NOTES)]
    Verify(VerifyArguments),
    /// Give back the room on the disk that deleted and rewritten items took
    #[command(after_help = encryption::COMPACT_NOTES)]
    Compact(CompactArguments),
    /// Make a key for an encrypted folder
    #[command(after_help = encryption::NEW_KEY_NOTES)]
    NewKey(NewKeyArguments),
    /// Give an encrypted folder another key
    #[command(after_help = encryption::ROTATE_KEY_NOTES)]
    RotateKey(RotateKeyArguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_declarations_agree_with_each_other() {
        Arguments::command().debug_assert();
    }
}
