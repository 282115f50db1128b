//! `singlet import`.

use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;

use singlet_design::Json;
use singlet_engine::values::Number;
use singlet_engine::{
    BucketPlace, CreateTable, ImportCompression, ImportDescription, ImportFormat, ImportTable,
};
use singlet_transfer::{DataError, ExportData, FolderBuckets};

use crate::arguments::{DataCompression, DataFormat, ImportArguments};
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
    for item in wrong.iter().filter(|_| !arguments.json) {
        anstream::eprintln!("{}", report(&format!("left out: {item}")));
    }
    let done = done.map_err(|error| Failure::Refused(format!("nothing was imported: {error}")))?;
    database.close().map_err(|error| Failure::Refused(error.to_string()))?;
    if let Some(failure) = &done.failure {
        return Err(Failure::Refused(format!("nothing was imported: {failure}")));
    }
    if arguments.json {
        writeln!(stdout().lock(), "{}", json(&done, &wrong))?;
        return Ok(());
    }
    tell(&done)
}

fn tell(done: &ImportDescription) -> Result<(), Failure> {
    let counts = done.counts;
    let mut out = stdout().lock();
    writeln!(out, "{}: {} items imported", done.table.name, counts.imported_items)?;
    if counts.errors > 0 {
        writeln!(
            out,
            "  {} of {} items were wrong and left out; the first of them are listed above",
            counts.errors, counts.processed_items
        )?;
    }
    Ok(())
}

/// The first items that were left out are part of the object.
fn json(done: &ImportDescription, wrong: &[String]) -> Json {
    let number = |value: u64| Json::Number(Number::from(value));
    Json::from([
        ("table", Json::from(done.table.name.as_str())),
        ("items", number(done.counts.imported_items)),
        ("wrong", number(done.counts.errors)),
        ("reasons", Json::List(wrong.iter().map(|reason| Json::from(reason.as_str())).collect())),
    ])
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
