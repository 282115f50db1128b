//! The objects of an import: files in a bucket's folder whose keys begin with a prefix.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use singlet_engine::{ImportCompression, TransferFailure};

use crate::path::{existing_folder, parts};
use crate::zstd::ZstdFrames;

/// The maximum number of objects in an import, as in AWS.
const OBJECTS_MAX: usize = 50_000;

/// An object to read.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Object {
    /// Its key in the bucket.
    pub(crate) key: String,
    path: PathBuf,
    pub(crate) bytes: u64,
}

impl Object {
    /// Opens the object. `read` counts its bytes as stored.
    pub(crate) fn open(
        &self,
        compression: ImportCompression,
        read: &Rc<Cell<u64>>,
    ) -> Result<Box<dyn Read>, TransferFailure> {
        let failed = |error: io::Error| {
            tracing::warn!(path = %self.path.display(), %error, "can't read an object");
            TransferFailure::new("S3AccessDenied", format!("can't read the object {}: {error}", self.key))
        };
        let file = CountingReader::new(File::open(&self.path).map_err(failed)?, read);
        Ok(match compression {
            // An empty file needs no decompression, whatever the format.
            _ if self.bytes == 0 => Box::new(io::empty()),
            ImportCompression::None => Box::new(file),
            ImportCompression::Gzip => Box::new(MultiGzDecoder::new(BufReader::new(file))),
            ImportCompression::Zstd => Box::new(ZstdFrames::new(BufReader::new(file))),
        })
    }
}

/// Counts the bytes that are read through it.
pub(crate) struct CountingReader<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R> CountingReader<R> {
    /// Adds the number of bytes read from `inner` to `count`.
    pub(crate) fn new(inner: R, count: &Rc<Cell<u64>>) -> Self {
        CountingReader { inner, count: count.clone() }
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        self.count.set(self.count.get() + bytes as u64);
        Ok(bytes)
    }
}

/// All objects under a prefix, in the order of their keys.
pub(crate) fn list(bucket: &Path, prefix: &str) -> Result<Vec<Object>, TransferFailure> {
    let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
    let parts = parts(folder).ok_or_else(|| {
        TransferFailure::new("S3AccessDenied", format!("{prefix:?} is not a path inside a bucket"))
    })?;
    let mut objects = Vec::new();
    if let Some(path) = existing_folder(bucket, &parts) {
        let key = if parts.is_empty() { String::new() } else { format!("{}/", parts.join("/")) };
        walk(path, key, prefix, &mut objects)?;
    }
    if objects.is_empty() {
        return Err(TransferFailure::new(
            "S3NoSuchKey",
            format!("there are no objects whose keys begin with {prefix:?} in the bucket"),
        ));
    }
    objects.sort();
    Ok(objects)
}

fn walk(path: PathBuf, key: String, prefix: &str, objects: &mut Vec<Object>) -> Result<(), TransferFailure> {
    // The caller learns only the key. The path is for the log.
    let failed = |path: &Path, key: &str, error: io::Error| {
        tracing::warn!(path = %path.display(), %error, "can't list objects");
        TransferFailure::new("S3AccessDenied", format!("can't read {key:?} in the bucket: {error}"))
    };
    let mut folders = vec![(path, key)];
    while let Some((folder, folder_key)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| failed(&folder, &folder_key, error))? {
            let entry = entry.map_err(|error| failed(&folder, &folder_key, error))?;
            let path = entry.path();
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let key = format!("{folder_key}{name}");
            // This doesn't follow links.
            let found = entry.metadata().map_err(|error| failed(&path, &key, error))?;
            if found.is_dir() {
                let key = format!("{key}/");
                if key.starts_with(prefix) || prefix.starts_with(&key) {
                    folders.push((path, key));
                }
            } else if !key.starts_with(prefix) {
                continue;
            } else if found.is_file() {
                objects.push(Object { key, path, bytes: found.len() });
            } else {
                tracing::warn!(path = %path.display(), "not imported: it is no file; links are not followed");
            }
            if objects.len() > OBJECTS_MAX {
                return Err(TransferFailure::new(
                    "S3TooManyObjects",
                    format!("an import reads at most {OBJECTS_MAX} objects"),
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bucket: &Path, prefix: &str) -> Vec<String> {
        list(bucket, prefix)
            .map(|objects| objects.into_iter().map(|object| object.key).collect())
            .unwrap_or_default()
    }

    #[test]
    fn objects_are_those_whose_keys_begin_with_the_prefix() {
        let bucket = tempfile::tempdir().unwrap();
        fs::create_dir_all(bucket.path().join("a/data")).unwrap();
        for name in ["a/data/2.json", "a/data/1.json", "a/dates", "b"] {
            fs::write(bucket.path().join(name), "x").unwrap();
        }
        assert_eq!(keys(bucket.path(), ""), ["a/data/1.json", "a/data/2.json", "a/dates", "b"]);
        assert_eq!(keys(bucket.path(), "a/da"), ["a/data/1.json", "a/data/2.json", "a/dates"]);
        assert_eq!(keys(bucket.path(), "a/data/"), ["a/data/1.json", "a/data/2.json"]);
        assert_eq!(keys(bucket.path(), "a/data/2"), ["a/data/2.json"]);
        assert_eq!(list(bucket.path(), "nothing/").unwrap_err().code, "S3NoSuchKey");
        for prefix in ["../", "a/../b", "/etc/"] {
            assert!(list(bucket.path(), prefix).is_err(), "{prefix}");
        }
    }

    #[test]
    fn what_can_not_be_read_is_named_by_its_key_and_not_by_its_path() {
        let bucket = tempfile::tempdir().unwrap();
        fs::write(bucket.path().join("gone"), "x").unwrap();
        let objects = list(bucket.path(), "").unwrap();
        fs::remove_file(bucket.path().join("gone")).unwrap();
        let opened = objects[0].open(ImportCompression::None, &Rc::default()).err().unwrap();
        assert!(opened.message.starts_with("can't read the object gone: "), "{opened}");
        let listed = walk(bucket.path().join("none"), "none/".to_owned(), "", &mut Vec::new()).unwrap_err();
        assert!(listed.message.starts_with("can't read \"none/\" in the bucket: "), "{listed}");
        let path = bucket.path().display().to_string();
        assert!(!opened.message.contains(&path) && !listed.message.contains(&path), "{opened} {listed}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (bucket, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("secret"), "x").unwrap();
        fs::write(bucket.path().join("mine"), "x").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), bucket.path().join("folder")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join("secret"), bucket.path().join("file")).unwrap();
        assert_eq!(keys(bucket.path(), ""), ["mine"]);
        assert_eq!(list(bucket.path(), "folder/").unwrap_err().code, "S3NoSuchKey");
        assert_eq!(list(bucket.path(), "file").unwrap_err().code, "S3NoSuchKey");
    }
}
