//! Finds the data of an export from the path that a user gives.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use singlet_engine::ImportCompression;

/// Files to import: a folder or a file, and the compression that the file names imply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportData {
    /// The folder or the file.
    pub path: PathBuf,
    /// The compression, by the name of the first file.
    pub compression: ImportCompression,
}

/// Why there is nothing to import.
#[derive(Debug)]
pub enum DataError {
    /// The path can't be read.
    Unreadable(io::Error),
    /// The folder has several exports.
    Several(Vec<PathBuf>),
    /// The export has begun, but has no manifest.
    Interrupted(PathBuf),
    /// There aren't any files.
    Empty,
}

impl From<io::Error> for DataError {
    fn from(error: io::Error) -> Self {
        DataError::Unreadable(error)
    }
}

impl ExportData {
    /// Finds the data of an export in its folder, or in a folder with one export. Otherwise uses the files directly.
    pub fn find(path: &Path) -> Result<ExportData, DataError> {
        let path = path.to_owned();
        let path = match exports_in(&path)?.as_slice() {
            [] => path,
            [one] => one.clone(),
            several => return Err(DataError::Several(several.to_vec())),
        };
        let path = match (path.join("_started").exists(), path.join("manifest-summary.json").exists()) {
            (_, true) => path.join("data"),
            (true, false) => return Err(DataError::Interrupted(path)),
            (false, false) => path,
        };
        let first = first_file(&path)?.ok_or(DataError::Empty)?;
        let compression = match first.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => ImportCompression::Gzip,
            Some("zst" | "zstd") => ImportCompression::Zstd,
            _ => ImportCompression::None,
        };
        Ok(ExportData { path, compression })
    }
}

fn exports_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = path.join("AWSDynamoDB");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut exports: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    exports.retain(|path| path.is_dir());
    exports.sort();
    Ok(exports)
}

fn first_file(path: &Path) -> io::Result<Option<PathBuf>> {
    if path.is_file() {
        return Ok(Some(path.to_owned()));
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_symlink() {
            continue;
        }
        if let Some(file) = first_file(&entry)? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_found_from_above_and_its_data_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let export = folder.path().join("AWSDynamoDB/01");
        fs::create_dir_all(export.join("data")).unwrap();
        fs::write(export.join("_started"), "").unwrap();
        fs::write(export.join("data/x.json.gz"), "").unwrap();
        assert!(matches!(ExportData::find(folder.path()), Err(DataError::Interrupted(_))));
        fs::write(export.join("manifest-summary.json"), "").unwrap();
        let expected = ExportData { path: export.join("data"), compression: ImportCompression::Gzip };
        for path in [folder.path(), &export, &export.join("data")] {
            assert_eq!(ExportData::find(path).unwrap(), expected);
        }
        fs::create_dir(folder.path().join("AWSDynamoDB/02")).unwrap();
        assert!(
            matches!(ExportData::find(folder.path()), Err(DataError::Several(found)) if found.len() == 2)
        );
    }

    #[test]
    fn files_are_taken_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(ExportData::find(folder.path()), Err(DataError::Empty)));
        let file = folder.path().join("a.csv.zst");
        fs::write(&file, "").unwrap();
        for path in [folder.path(), file.as_path()] {
            let found = ExportData::find(path).unwrap();
            assert_eq!((found.path.as_path(), found.compression), (path, ImportCompression::Zstd));
        }
        assert!(matches!(ExportData::find(&folder.path().join("missing")), Err(DataError::Unreadable(_))));
    }
}
