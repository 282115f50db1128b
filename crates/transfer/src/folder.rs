//! Folders as buckets.
//!
//! A key of an object is a path in the bucket's folder. Names and prefixes come from callers. A path contains only
//! checked parts, and symbolic links aren't followed, so nothing outside the folder is reached. (A user who can put
//! links into the folder during an export can write there anyway.)

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use singlet_engine::{
    BucketPlace, Buckets, ExportDescription, ExportWriter, ImportDescription, ImportReader, Invalid,
    TransferFailure,
};

use crate::export::Export;
use crate::import::Import;
use crate::objects::list;
use crate::path::parts;

/// A folder whose subfolders are the buckets, or a folder that is the only bucket.
#[derive(Debug, Clone)]
pub struct FolderBuckets {
    folder: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// Each subfolder is a bucket.
    Each,
    /// The folder is the only bucket.
    One,
    /// The folder is the only bucket, and this file is the only object in it.
    File(String),
}

impl FolderBuckets {
    /// Opens a folder in which each subfolder is a bucket.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Self> {
        Ok(FolderBuckets { folder: existing(folder.as_ref())?, kind: Kind::Each })
    }

    /// Opens a folder that is the bucket for every bucket name.
    pub fn open_one(folder: impl AsRef<Path>) -> io::Result<Self> {
        Ok(FolderBuckets { folder: existing(folder.as_ref())?, kind: Kind::One })
    }

    /// Opens a file that is the only object for every bucket name. It can only be imported.
    pub fn open_file(file: impl AsRef<Path>) -> io::Result<Self> {
        let file = file.as_ref().canonicalize()?;
        let name = file.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidFilename)?;
        let folder = existing(file.parent().unwrap_or(Path::new("/")))?;
        Ok(FolderBuckets { kind: Kind::File(name.to_owned()), folder })
    }

    /// The folder of a bucket, which must exist.
    fn bucket(&self, name: &str) -> Result<PathBuf, TransferFailure> {
        if self.kind != Kind::Each {
            return Ok(self.folder.clone());
        }
        let path = self.folder.join(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => Ok(path),
            Ok(_) => Err(TransferFailure::new(
                "S3AccessDenied",
                format!("{name} isn't a folder in the folder of the buckets, so it can't stand for a bucket"),
            )),
            Err(_) => Err(TransferFailure::new(
                "S3NoSuchBucket",
                format!(
                    "The specified bucket does not exist: make a folder {name} in the folder of the buckets"
                ),
            )),
        }
    }
}

fn existing(folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.canonicalize()?;
    if folder.is_dir() { Ok(folder) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

impl Buckets for FolderBuckets {
    fn check(&self, place: &BucketPlace) -> Result<(), Invalid> {
        if self.kind == Kind::Each && !is_bucket_name(&place.bucket) {
            return Err(Invalid::Bucket(format!("{:?} is no name of a bucket", place.bucket)));
        }
        let prefix = place.prefix.as_deref().unwrap_or_default();
        if parts(prefix).is_none() {
            return Err(Invalid::Bucket(format!(
                "the prefix {prefix:?} is not a path inside a bucket: its parts must not be empty, . or .., or hold a \
                 backslash or control characters"
            )));
        }
        Ok(())
    }

    fn begin_export(&self, export: &ExportDescription) -> Result<Box<dyn ExportWriter>, TransferFailure> {
        let bucket = self.bucket(&export.destination.bucket)?;
        Ok(Box::new(Export::begin(&bucket, export)?))
    }

    fn open_import(&self, import: &ImportDescription) -> Result<Box<dyn ImportReader>, TransferFailure> {
        let bucket = self.bucket(&import.source.bucket)?;
        let objects = match &self.kind {
            Kind::File(name) => {
                let mut objects = list(&bucket, name)?;
                objects.retain(|object| object.key == *name);
                objects
            }
            Kind::Each | Kind::One => list(&bucket, import.source.prefix.as_deref().unwrap_or_default())?,
        };
        Ok(Box::new(Import::of(objects, import)))
    }
}

fn is_bucket_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.is_empty() && name.len() <= 255 && name.bytes().all(is_part) && name.trim_matches('.') == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_buckets() {
        for name in ["exports", "a-b.c_D"] {
            assert!(is_bucket_name(name), "{name}");
        }
        for name in ["", ".", "..", "...", "a/b", "/a", "a\\b", "é", "a b", "a\0", ".hidden"] {
            assert!(!is_bucket_name(name), "{name}");
        }
    }
}
