//! Writes an export: first the data files, made durable, then the manifests. An export without `manifest-summary.json`
//! was interrupted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use singlet_engine::values::ItemRef;
use singlet_engine::{
    ExportDescription, ExportKind, ExportView, ExportWriter, ExportWritten, ItemChange, TransferFailure,
};
use singlet_wire::items::{ChangeLine, write_change_line, write_item_line};

use crate::checksum::{ChecksumWriter, md5_base64, name_from};
use crate::manifest::{self, DataFile};
use crate::path::{make_folders, parts, sync_folder};

/// The folder of all exports under a prefix.
const FOLDER: &str = "AWSDynamoDB";
/// The size of its lines at which a data file is full. The compressed file is much smaller.
const DATA_FILE_BYTES: u64 = 128 << 20;

/// An export that is being written.
pub(crate) struct Export {
    description: ExportDescription,
    /// The export's folder.
    folder: PathBuf,
    /// The folder as a key in the bucket.
    key: String,
    open: Option<OpenFile>,
    files: Vec<DataFile>,
    written: ExportWritten,
    line: Vec<u8>,
    data_file_bytes: u64,
}

type Sink = GzEncoder<ChecksumWriter<BufWriter<File>>>;

/// A data file that is being written.
struct OpenFile {
    sink: Sink,
    key: String,
    items: u64,
    bytes: u64,
}

impl Export {
    /// Creates the folders of an export, and the file that marks its start.
    pub(crate) fn begin(bucket: &Path, export: &ExportDescription) -> Result<Self, TransferFailure> {
        let prefix = export.destination.prefix.as_deref().unwrap_or_default();
        let mut parts = parts(prefix).ok_or_else(|| {
            TransferFailure::new("S3AccessDenied", format!("{prefix:?} is not a path inside a bucket"))
        })?;
        parts.push(FOLDER);
        let make = || -> io::Result<PathBuf> {
            let above = make_folders(bucket, &parts)?;
            let folder = above.join(&export.id);
            fs::create_dir(&folder)?;
            fs::create_dir(folder.join("data"))?;
            sync_folder(&above)?;
            create(&folder.join("_started"))?.sync_all()?;
            sync_folder(&folder)?;
            Ok(folder)
        };
        let folder = make().map_err(|error| failed(bucket, &error))?;
        parts.push(&export.id);
        Ok(Export {
            key: parts.join("/"),
            description: export.clone(),
            folder,
            open: None,
            files: Vec::new(),
            written: ExportWritten::default(),
            line: Vec::new(),
            data_file_bytes: DATA_FILE_BYTES,
        })
    }

    /// Writes the line, and starts a new file after it if this one is full.
    fn write_line(&mut self, item_bytes: usize) -> Result<(), TransferFailure> {
        self.line.push(b'\n');
        let wrote = self.append();
        self.line.clear();
        wrote.map_err(|error| failed(&self.folder, &error))?;
        self.written.items += 1;
        self.written.size_bytes += item_bytes as u64;
        if self.open.as_ref().is_some_and(|open| open.bytes >= self.data_file_bytes) {
            self.close_file().map_err(|error| failed(&self.folder, &error))?;
        }
        Ok(())
    }

    fn append(&mut self) -> io::Result<()> {
        let open = match &mut self.open {
            Some(open) => open,
            None => self.open.insert(OpenFile::create(&self.folder, &self.key, self.files.len())?),
        };
        open.sink.write_all(&self.line)?;
        open.items += 1;
        open.bytes += self.line.len() as u64;
        Ok(())
    }

    /// Makes the open file durable and adds it to the manifest.
    fn close_file(&mut self) -> io::Result<()> {
        if let Some(open) = self.open.take() {
            self.files.push(open.finish()?);
        }
        Ok(())
    }

    fn finish(&mut self, ended_ms: u64) -> io::Result<()> {
        if self.files.is_empty() && self.open.is_none() {
            // The export of an empty table has one empty file.
            self.open = Some(OpenFile::create(&self.folder, &self.key, 0)?);
        }
        self.close_file()?;
        sync_folder(&self.folder.join("data"))?;
        self.written.manifest = format!("{}/manifest-summary.json", self.key);
        self.write_manifest("manifest-files", &manifest::files(&self.files)?)?;
        let files_key = format!("{}/manifest-files.json", self.key);
        let summary = manifest::summary(&self.description, &self.written, &files_key, ended_ms)?;
        self.write_manifest("manifest-summary", &summary)
    }

    /// Writes a manifest and its checksum. The manifest gets its name when it is complete.
    fn write_manifest(&self, name: &str, text: &[u8]) -> io::Result<()> {
        let write = |name: &str, text: &[u8]| -> io::Result<()> {
            let mut file = create(&self.folder.join(name))?;
            file.write_all(text)?;
            file.sync_all()
        };
        write(&format!("{name}.md5"), md5_base64(text).as_bytes())?;
        let new_name = format!("{name}.json.new");
        write(&new_name, text)?;
        fs::rename(self.folder.join(new_name), self.folder.join(format!("{name}.json")))?;
        sync_folder(&self.folder)
    }
}

impl OpenFile {
    fn create(folder: &Path, key: &str, number: usize) -> io::Result<Self> {
        let name = format!("data/{}.json.gz", name_from(&format!("{key}/{number}")));
        let file = create(&folder.join(&name))?;
        let sink = GzEncoder::new(ChecksumWriter::new(BufWriter::new(file)), Compression::default());
        Ok(OpenFile { sink, key: format!("{key}/{name}"), items: 0, bytes: 0 })
    }

    fn finish(self) -> io::Result<DataFile> {
        let (buffer, checksum) = self.sink.finish()?.finish();
        buffer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        Ok(DataFile {
            item_count: self.items,
            md5_checksum: checksum.md5,
            etag: checksum.etag,
            data_file_s3_key: self.key,
        })
    }
}

impl ExportWriter for Export {
    fn item(&mut self, item: ItemRef<'_>) -> Result<(), TransferFailure> {
        write_item_line(&mut self.line, item);
        self.write_line(item.size_bytes())
    }

    fn change(&mut self, change: &ItemChange<'_>) -> Result<(), TransferFailure> {
        let shows_old =
            !matches!(self.description.kind, ExportKind::Incremental { view: ExportView::NewImage, .. });
        let line = ChangeLine {
            written_us: change.written_ms.saturating_mul(1000),
            key: &self.description.key_attributes,
            old: change.old,
            new: change.new,
            shows_old,
        };
        write_change_line(&mut self.line, &line);
        let images = [change.new, change.old.filter(|_| shows_old)];
        self.write_line(images.into_iter().flatten().map(ItemRef::size_bytes).sum())
    }

    fn finish(mut self: Box<Self>, ended_ms: u64) -> Result<ExportWritten, TransferFailure> {
        Export::finish(&mut self, ended_ms).map_err(|error| failed(&self.folder, &error))?;
        Ok(self.written)
    }
}

/// Creates a new file. It doesn't overwrite a file or follow a link.
fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn failed(folder: &Path, error: &io::Error) -> TransferFailure {
    let code = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "S3AccessDenied"
        }
        _ => "S3Error",
    };
    // The caller must not learn the server's paths. They are for the log.
    tracing::warn!(folder = %folder.display(), %error, "can't write an export");
    TransferFailure::new(code, format!("can't write in the bucket: {error}"))
}

#[cfg(test)]
mod tests {
    use singlet_engine::values::{EncodedItem, Item};
    use singlet_engine::{BucketPlace, TransferStatus};

    use super::*;

    fn description() -> ExportDescription {
        ExportDescription {
            arn: "arn:aws:dynamodb:us-east-1:000000000000:table/t/export/01693685827463-2d8752fd".to_owned(),
            id: "01693685827463-2d8752fd".to_owned(),
            status: TransferStatus::InProgress,
            started_ms: 1_693_685_827_463,
            ended_ms: None,
            table_arn: "arn:aws:dynamodb:us-east-1:000000000000:table/t".to_owned(),
            table_id: "id".to_owned(),
            key_attributes: vec!["id".to_owned()],
            kind: ExportKind::Full { time_ms: Some(1_693_685_827_463) },
            destination: BucketPlace::new("b").prefix("p/q/"),
            encryption: None,
            token: None,
            written: None,
            failure: None,
        }
    }

    #[test]
    fn full_files_are_followed_by_new_ones_and_the_manifest_names_all() {
        let bucket = tempfile::tempdir().unwrap();
        let mut export = Export::begin(bucket.path(), &description()).unwrap();
        export.data_file_bytes = 100;
        for number in 0..10 {
            let item = EncodedItem::encode(&Item::from([("id", format!("item number {number}"))]));
            export.item(item.view()).unwrap();
        }
        let folder = bucket.path().join("p/q/AWSDynamoDB/01693685827463-2d8752fd");
        assert!(folder.join("_started").exists() && !folder.join("manifest-summary.json").exists());
        let written = Box::new(export).finish(1_693_685_827_999);
        let written = written.unwrap();
        assert_eq!(written.items, 10);
        let manifest = fs::read_to_string(folder.join("manifest-files.json")).unwrap();
        assert_eq!(manifest.lines().count(), 4);
        assert_eq!(fs::read_dir(folder.join("data")).unwrap().count(), 4);
        let summary = fs::read_to_string(folder.join("manifest-summary.json")).unwrap();
        assert!(summary.contains(r#""s3Prefix":"p/q/""#), "{summary}");
        assert!(
            summary.contains(
                r#""manifestFilesS3Key":"p/q/AWSDynamoDB/01693685827463-2d8752fd/manifest-files.json""#
            ),
            "{summary}"
        );
    }

    #[test]
    fn nothing_that_is_there_is_overwritten() {
        let bucket = tempfile::tempdir().unwrap();
        drop(Export::begin(bucket.path(), &description()).unwrap());
        let again = Export::begin(bucket.path(), &description()).err().unwrap();
        assert_eq!(again.code, "S3AccessDenied");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_bucket_are_not_followed() {
        let (bucket, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), bucket.path().join("p")).unwrap();
        assert_eq!(Export::begin(bucket.path(), &description()).err().unwrap().code, "S3AccessDenied");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
