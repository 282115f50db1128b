//! `singlet import`.

use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;

use singlet_design::Json;
use singlet_engine::values::Number;
use singlet_engine::{
    BucketPlace, CreateTable, Error, ImportCompression, ImportDescription, ImportFormat, ImportTable,
};
use singlet_transfer::{DataError, ExportData, FolderBuckets};

use crate::arguments::{DataCompression, DataFormat, ImportArguments};
use crate::counted::counted;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::style::report;
use crate::target::{Purpose, open_place};

/// Creates a table from files.
pub(crate) fn import(arguments: &ImportArguments) -> Result<(), Failure> {
    let data = ExportData::find(&arguments.from).map_err(|error| nothing(&arguments.from, &error))?;
    let buckets = if data.path.is_file() {
        FolderBuckets::open_file(&data.path)
    } else {
        FolderBuckets::open_one(&data.path)
    };
    let buckets = buckets
        .map_err(|reason| Failure::Refused(format!("can't read {}: {reason}", data.path.display())))?;
    let request = request(arguments, &data);
    // Files may come to a machine that has no data yet.
    let database = open_place(&arguments.place, Purpose::Transfer, true, Some(Arc::new(buckets)))?;
    let mut line = Progress::new();
    let mut wrong: Vec<String> = Vec::new();
    let done = database.import_whole_table(request, &mut |progress| {
        line.show(progress.stored_bytes, progress.stored_bytes_total, "bytes");
        wrong.extend(progress.wrong);
    });
    drop(line);
    let done = done.map_err(|error| Failure::Refused(format!("nothing was imported: {error}")))?;
    if let Some(failure) = &done.failure {
        list(other_reasons(&wrong), arguments.json);
        return Err(Failure::Refused(format!("nothing was imported: {failure}")));
    }
    list(wrong.iter(), arguments.json);
    let refused = |error: Error| Failure::Refused(error.to_string());
    // Nobody else has the folder open, so these are the items of the import.
    let items = database.describe_table(&done.table.name).map_err(refused)?.item_count;
    database.close().map_err(refused)?;
    let imported = Imported { items, wrong, done };
    if arguments.json {
        writeln!(stdout().lock(), "{}", imported.json())?;
        return Ok(());
    }
    imported.tell()
}

/// Shows items that were left out to people; programs find them in the object.
fn list<'w>(wrong: impl Iterator<Item = &'w String>, as_json: bool) {
    for item in wrong.filter(|_| !as_json) {
        anstream::eprintln!("{}", report(&format!("left out: {item}")));
    }
}

/// The items with another reason than the first, which the failure of the import names.
fn other_reasons(wrong: &[String]) -> impl Iterator<Item = &String> {
    let reason = |item: &String| item.split_once(": ").map(|(_, reason)| reason.to_owned());
    let first = wrong.first().and_then(reason);
    wrong.iter().filter(move |item| reason(item) != first)
}

/// An import that came to its end.
struct Imported {
    /// The items in the new table.
    items: u64,
    /// The first items that were left out, each with its reason.
    wrong: Vec<String>,
    done: ImportDescription,
}

impl Imported {
    /// The number of items that another one with the same key replaced.
    fn replaced(&self) -> u64 {
        self.done.counts.imported_items.saturating_sub(self.items)
    }

    fn tell(&self) -> Result<(), Failure> {
        let counts = self.done.counts;
        let mut out = stdout().lock();
        writeln!(out, "{}: {} imported", self.done.table.name, counted(self.items, "item"))?;
        let were = |count: u64| if count == 1 { "was" } else { "were" };
        if self.replaced() > 0 {
            let (replaced, were) = (self.replaced(), were(self.replaced()));
            writeln!(out, "  {replaced} had the same key as another item and {were} replaced")?;
        }
        if counts.errors > 0 {
            writeln!(
                out,
                "  {} of {} {} wrong and left out; the first of them are listed above",
                counts.errors,
                counted(counts.processed_items, "item"),
                were(counts.errors)
            )?;
        }
        Ok(())
    }

    /// The first items that were left out are part of the object.
    fn json(&self) -> Json {
        let number = |value: u64| Json::Number(Number::from(value));
        Json::from([
            ("table", Json::from(self.done.table.name.as_str())),
            ("items", number(self.items)),
            ("replaced", number(self.replaced())),
            ("wrong", number(self.done.counts.errors)),
            ("reasons", Json::List(self.wrong.iter().map(|reason| Json::from(reason.as_str())).collect())),
        ])
    }
}

fn request(arguments: &ImportArguments, data: &ExportData) -> ImportTable {
    let key = &arguments.key;
    let mut definition = CreateTable::new(&arguments.table, &key.name, key.scalar);
    if let Some(sort) = &arguments.sort_key {
        definition = definition.sort_key(&sort.name, sort.scalar);
    }
    for index in &arguments.index {
        for attribute in &index.attributes {
            definition = definition.attribute(&attribute.name, attribute.scalar);
        }
        definition = definition.global_index(index.definition.clone());
    }
    let is_csv = match arguments.format {
        Some(format) => format == DataFormat::Csv,
        None => {
            !arguments.columns.is_empty()
                || arguments.delimiter.is_some()
                || arguments.from.to_string_lossy().contains(".csv")
        }
    };
    let header = (!arguments.columns.is_empty()).then(|| arguments.columns.clone());
    ImportTable {
        definition,
        source: BucketPlace::new("folder"),
        format: if is_csv {
            ImportFormat::Csv { delimiter: arguments.delimiter, header }
        } else {
            ImportFormat::DynamoDbJson
        },
        compression: arguments.compression.map_or(data.compression, |compression| match compression {
            DataCompression::None => ImportCompression::None,
            DataCompression::Gzip => ImportCompression::Gzip,
            DataCompression::Zstd => ImportCompression::Zstd,
        }),
        token: None,
    }
}

fn nothing(from: &Path, error: &DataError) -> Failure {
    let from = from.display();
    Failure::Refused(match error {
        DataError::Unreadable(reason) => format!("can't read {from}: {reason}"),
        DataError::Empty => format!("there are no files in {from}"),
        DataError::Interrupted(path) => {
            format!("the export {} was interrupted: it has no manifest-summary.json", path.display())
        }
        DataError::Several(exports) => {
            let exports: Vec<String> = exports.iter().map(|path| format!("  {}", path.display())).collect();
            format!("there are several exports in {from}; say which:\n{}", exports.join("\n"))
        }
    })
}
