//! `singlet export`.

use std::fs;
use std::io::{Write, stdout};
use std::sync::Arc;

use singlet_design::Json;
use singlet_engine::values::Number;
use singlet_engine::{BucketPlace, ExportDescription, ExportKind, ExportTable, ExportView};
use singlet_transfer::FolderBuckets;

use crate::arguments::{ExportArguments, Images};
use crate::commands::backups::moment;
use crate::counted::counted;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::size::readable;
use crate::target::{Purpose, open_place};

/// Exports a table into a folder.
pub(crate) fn export(arguments: &ExportArguments) -> Result<(), Failure> {
    let folder = &arguments.to;
    let buckets = fs::create_dir_all(folder).and_then(|()| FolderBuckets::open_one(folder));
    let buckets = buckets
        .map_err(|reason| Failure::Refused(format!("can't export into {}: {reason}", folder.display())))?;
    let database = open_place(&arguments.place, Purpose::Transfer, false, Some(Arc::new(buckets)))?;
    // A manifest names a bucket; here it is the folder.
    let bucket = folder.file_name().and_then(|name| name.to_str()).unwrap_or("folder");
    let kind = match arguments.from {
        None => ExportKind::Full { time_ms: arguments.at },
        Some(from_ms) => ExportKind::Incremental {
            from_ms,
            to_ms: arguments.until,
            view: match arguments.images {
                Images::New => ExportView::NewImage,
                Images::Both => ExportView::NewAndOldImages,
            },
        },
    };
    let request = ExportTable { kind, ..ExportTable::new(&arguments.table, BucketPlace::new(bucket)) };
    let mut line = Progress::new();
    let done = database.export_whole_table(request, &mut |progress| match progress.items_total {
        Some(total) => line.show(progress.items, total.max(progress.items), "items"),
        None => line.count(progress.items, "items"),
    });
    drop(line);
    let done = done.map_err(|error| Failure::Refused(format!("nothing was exported: {error}")))?;
    database.close().map_err(|error| Failure::Refused(error.to_string()))?;
    if let Some(failure) = &done.failure {
        return Err(Failure::Refused(format!("the export failed: {failure}")));
    }
    let path = folder.join("AWSDynamoDB").join(&done.id);
    let path = path.display().to_string();
    if arguments.json {
        writeln!(stdout().lock(), "{}", json(&arguments.table, &done, &path))?;
        return Ok(());
    }
    let written = done.written.unwrap_or_default();
    let when = match done.kind {
        ExportKind::Full { time_ms } => format!("as of {}", moment(time_ms.unwrap_or(done.started_ms))),
        ExportKind::Incremental { from_ms, to_ms, .. } => {
            format!("changed after {} up to {}", moment(from_ms), moment(to_ms.unwrap_or(done.started_ms)))
        }
    };
    writeln!(
        stdout().lock(),
        "{}: {}, {}, {when}\n  {path}",
        arguments.table,
        counted(written.items, "item"),
        readable(written.size_bytes)
    )?;
    Ok(())
}

fn json(table: &str, done: &ExportDescription, path: &str) -> Json {
    let written = done.written.clone().unwrap_or_default();
    let mut members = vec![
        ("table".to_owned(), Json::from(table)),
        ("path".to_owned(), Json::from(path)),
        ("items".to_owned(), Json::Number(Number::from(written.items))),
        ("bytes".to_owned(), Json::Number(Number::from(written.size_bytes))),
    ];
    match done.kind {
        ExportKind::Full { time_ms } => {
            members.push(("at".to_owned(), Json::Text(moment(time_ms.unwrap_or(done.started_ms)))));
        }
        ExportKind::Incremental { from_ms, to_ms, .. } => members.extend([
            ("from".to_owned(), Json::Text(moment(from_ms))),
            ("until".to_owned(), Json::Text(moment(to_ms.unwrap_or(done.started_ms)))),
        ]),
    }
    Json::Object(members)
}
