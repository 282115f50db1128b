//! Arguments of `singlet export` and `singlet import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use singlet_engine::{IndexDefinition, ScalarType};

use super::backup::FolderArguments;
use super::encryption::KEY_OF_EXISTING;
use super::recovery::moment_ms;

pub(super) const EXPORT_NOTES: &str = "\
The files are laid out as Amazon DynamoDB exports to S3: AWSDynamoDB/ID/ with data files and manifests. `singlet import`
and Amazon DynamoDB's ImportTable take them.

Moments other than now need point-in-time recovery: `singlet recovery --table orders --on`.
A running server exports into its own buckets (`singlet serve --buckets DIR`):
  aws dynamodb export-table-to-point-in-time --table-arn ARN --s3-bucket NAME --endpoint-url http://127.0.0.1:8000

Examples:
  singlet export --table orders --to ./exported
  singlet export --table orders --to ./exported --at 2026-11-16T08:00:00Z
  singlet export --table orders --to ./exported --from 2026-11-16T08:00:00Z --until 2026-11-16T20:00:00Z
      only what changed, 15 minutes to 24 hours";

pub(super) const IMPORT_NOTES: &str = "\
The items become a new table. --from is the folder of an export, a folder with one export in it, a folder of data files,
or one file. Lines that aren't items are counted and left out; the first of them are shown. If all are wrong, or the
command is stopped, there is no new table.

In CSV, the first line names the columns. Keys have their types; everything else is a string.

A running server imports from its own buckets (`singlet serve --buckets DIR`): aws dynamodb import-table

Examples:
  singlet import --from ./exported --table orders --key customer_id:S --sort-key order_id:S
  singlet import --from orders.csv --table orders --key id:N --index by_day=day:S,id:N
  singlet import --from ./AWSDynamoDB/01693685827463-2d8752fd --table catalogue --key Id:N --data ./new-data";

/// `singlet export`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct ExportArguments {
    /// The table
    #[arg(long, value_name = "NAME")]
    pub(crate) table: String,

    /// The folder to export into; it is made if it isn't there
    #[arg(long, value_name = "FOLDER")]
    pub(crate) to: PathBuf,

    /// The moment: 2026-11-16T08:00:00Z, another time zone, or seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", conflicts_with = "from", value_parser = moment_ms)]
    pub(crate) at: Option<u64>,

    /// Only items that changed after this moment
    #[arg(long, value_name = "TIME", value_parser = moment_ms)]
    pub(crate) from: Option<u64>,

    /// Only items that changed up to this moment [default: now]
    #[arg(long, value_name = "TIME", requires = "from", value_parser = moment_ms)]
    pub(crate) until: Option<u64>,

    /// The images to write of items that changed
    #[arg(long, value_enum, requires = "from", default_value_t = Images::Both)]
    pub(crate) images: Images,

    /// Print the result as JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: FolderArguments,
}

/// The images of an item that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Images {
    /// The item after the changes
    New,
    /// The item before and after them
    Both,
}

/// `singlet import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The source: an export, a folder of data files, or one file
    #[arg(long, value_name = "PATH")]
    pub(crate) from: PathBuf,

    /// The new table; there must be none of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) table: String,

    /// The partition key and its type: S, N or B
    #[arg(long, value_name = "NAME:TYPE", value_parser = attribute)]
    pub(crate) key: Attribute,

    /// The sort key and its type
    #[arg(long, value_name = "NAME:TYPE", value_parser = attribute)]
    pub(crate) sort_key: Option<Attribute>,

    /// A global index: its name, its partition key and, if it has one, its sort key
    #[arg(long, value_name = "NAME=KEY:TYPE[,KEY:TYPE]", value_parser = index)]
    pub(crate) index: Vec<Index>,

    /// The format of the files [default: csv if their names say so, otherwise json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DataFormat>,

    /// The separator of values in CSV: one of , ; : | and space, or tab
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,

    /// The names of the columns in CSV; the first line is then an item
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,

    /// How the files are compressed [default: as their names say]
    #[arg(long, value_enum)]
    pub(crate) compression: Option<DataCompression>,

    /// Print the result as JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: FolderArguments,
}

/// The format of data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataFormat {
    /// DynamoDB's JSON, {"Item": {…}} on each line
    Json,
    /// Comma-separated values
    Csv,
}

/// How data files are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataCompression {
    None,
    Gzip,
    Zstd,
}

/// An attribute and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) scalar: ScalarType,
}

/// An index and the attributes of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Index {
    pub(crate) definition: IndexDefinition,
    pub(crate) attributes: Vec<Attribute>,
}

fn attribute(text: &str) -> Result<Attribute, String> {
    let (name, scalar) = text.rsplit_once(':').unwrap_or((text, "S"));
    let scalar = match scalar {
        "S" => ScalarType::S,
        "N" => ScalarType::N,
        "B" => ScalarType::B,
        other => return Err(format!("{other:?} isn't a type of a key; write S, N or B")),
    };
    if name.is_empty() {
        return Err("write the name of an attribute and its type, such as id:S".to_owned());
    }
    Ok(Attribute { name: name.to_owned(), scalar })
}

fn index(text: &str) -> Result<Index, String> {
    let form = "write an index like by_day=day:S,id:N";
    let (name, key) = text.split_once('=').ok_or(form)?;
    let attributes: Vec<Attribute> = key.split(',').map(attribute).collect::<Result<_, _>>()?;
    let definition = match attributes.as_slice() {
        [partition] => IndexDefinition::new(name, &[&partition.name], &[]),
        [partition, sort] => IndexDefinition::new(name, &[&partition.name], &[&sort.name]),
        _ => return Err(form.to_owned()),
    };
    Ok(Index { definition, attributes })
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if b",;:|\t ".contains(byte) => Ok(*byte),
        _ => Err("write one of , ; : | and space, or the word tab".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_indexes_are_read_as_people_write_them() {
        assert_eq!(attribute("id:N"), Ok(Attribute { name: "id".to_owned(), scalar: ScalarType::N }));
        assert_eq!(attribute("a:b:S").map(|found| found.name), Ok("a:b".to_owned()));
        assert_eq!(attribute("id").map(|found| found.scalar), Ok(ScalarType::S));
        for wrong in ["", ":S", "id:X"] {
            assert!(attribute(wrong).is_err(), "{wrong}");
        }
        let found = index("by_day=day:S,id:N").unwrap();
        assert_eq!(found.definition, IndexDefinition::new("by_day", &["day"], &["id"]));
        for wrong in ["by_day", "x=a,b,c", "x="] {
            assert!(index(wrong).is_err(), "{wrong}");
        }
        assert_eq!((delimiter("tab"), delimiter(";")), (Ok(b'\t'), Ok(b';')));
        assert!(delimiter("x").is_err() && delimiter("").is_err());
    }
}
